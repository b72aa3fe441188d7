package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"confab/internal/console"
	"confab/internal/strictyaml"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // brokers, files, bad input lines
	exitUsage   = 2 // the command line or the configuration
	exitPolicy  = 3 // check --fail, diff --fail-on, lost records of verify
)

// errPolicy says that a condition of --fail or --fail-on holds, or that verify found losses. The command has reported it.
var errPolicy = errors.New("policy")

// usageError marks an error of the command line or of what it names.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// loggedError is an error that the worker's log holds already: nothing else is printed.
type loggedError struct{ err error }

func (e loggedError) Error() string { return e.err.Error() }
func (e loggedError) Unwrap() error { return e.err }

// exitCode writes the error to stderr, except errPolicy, and maps it to the exit code.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errPolicy) {
		return exitPolicy
	}
	if _, ok := errors.AsType[loggedError](err); ok {
		return exitFailure
	}
	if problems, ok := errors.AsType[*strictyaml.Error](err); ok {
		noun := "problems"
		if len(problems.Problems) == 1 {
			noun = "problem"
		}
		fmt.Fprintf(stderr, "confab: %d %s in the configuration:\n%s\n", len(problems.Problems), noun, indentLines(problems.Error()))
		return exitUsage
	}
	text := strings.TrimSpace(err.Error())
	if strings.Contains(text, "\n") { // several joined errors, a line each
		text = "\n" + indentLines(text)
	} else {
		text = " " + text
	}
	fmt.Fprintf(stderr, "confab:%s\n", text)
	_, usage := errors.AsType[usageError](err)
	if _, input := errors.AsType[*console.InputError](err); usage || input {
		return exitUsage
	}
	return exitFailure
}

func indentLines(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
