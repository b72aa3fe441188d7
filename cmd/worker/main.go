// Command confab finds likely hallucinations in a stream of LLM interactions and notifies on-call about them.
//
// This package is the command line: one file per command, which parses flags and calls one package below. It holds no
// logic.
package main

import (
	"os"
	_ "time/tzdata" // inputs name time zones, and the image holds only the binary
)

func main() {
	muteStandardLog(os.Stderr)
	os.Exit(runProgram(stdStreams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:], os.Environ()))
}
