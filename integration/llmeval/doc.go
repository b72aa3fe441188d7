// Package llmeval asks a model factual questions whose answers are known, takes a deep look at what it says, and reports
// how well divergence and entropy tell its wrong answers from its right ones, how often its replies as a judge can be
// read, and what a look costs. `make llm-eval` writes the report to docs/llm-eval.md.
//
// It refuses to find fault with answers by any means but the known ones, and its figures never decide anything: those that
// do come from labelled rows (calibration).
package llmeval
