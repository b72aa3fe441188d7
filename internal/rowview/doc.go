// Package rowview prepares an evaluated interaction for a person: its answer with the places that detectors found, the
// passage of a source next to each, redacted and of bounded size. What shows it is another package.
package rowview
