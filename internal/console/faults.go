package console

import (
	"fmt"
	"io"
)

// InputError is an error of the person's input: flags, or the files that they name.
type InputError struct{ Err error }

// Error implements error.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// InputErrorf returns an [InputError].
func InputErrorf(format string, args ...any) error {
	return &InputError{fmt.Errorf(format, args...)}
}

// maxFaults bounds the faults that are printed.
const maxFaults = 20

// PrintFaults prints the first faults of rows, and how many more there are.
func PrintFaults(w io.Writer, faults []string) {
	for _, fault := range faults[:min(maxFaults, len(faults))] {
		fmt.Fprintln(w, Sanitize(fault))
	}
	switch more := len(faults) - maxFaults; {
	case more == 1:
		fmt.Fprintln(w, "and 1 more row")
	case more > 1:
		fmt.Fprintf(w, "and %d more rows\n", more)
	}
}
