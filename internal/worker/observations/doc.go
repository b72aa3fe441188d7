// Package observations keeps claims that were found false in llm.observations, reads them for the detector known_false, and
// is what `confab observations` does.
package observations
