// Command confab finds likely hallucinations in a stream of LLM interactions and tells on-call about them.
//
// This package holds the command line: one file per command, each of them flags around one call into a room below. It
// refuses any logic of its own.
package main

import (
	"os"
	_ "time/tzdata" // quiet hours name time zones, and the image has no files but the binary
)

func main() {
	muteStandardLog(os.Stderr)
	os.Exit(runProgram(stdStreams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, os.Args[1:], os.Environ()))
}
