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

// PrintFaults prints at most so many faults of rows, and how many more there are.
func PrintFaults(w io.Writer, faults []string, most int) {
	for _, fault := range faults[:min(most, len(faults))] {
		fmt.Fprintln(w, Sanitize(fault))
	}
	if more := len(faults) - most; more > 0 {
		fmt.Fprintf(w, "and %d more\n", more)
	}
}
