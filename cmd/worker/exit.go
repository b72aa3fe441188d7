package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"confab/internal/strictyaml"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the world: brokers, files, bad input lines
	exitUsage   = 2 // the command line or the configuration
	exitPolicy  = 3 // what was asked to fail did: check --fail, evaluate --fail-below, diff --fail-on
)

// errPolicy marks a failure that the caller asked for.
var errPolicy = errors.New("policy")

// usageError is a command line that makes no sense.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// exitCode sorts an error and tells it, once, to a person. Nothing is said of errPolicy, whose command has said it.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errPolicy) {
		return exitPolicy
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
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailure
}

// indentLines puts two spaces before every line.
func indentLines(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
