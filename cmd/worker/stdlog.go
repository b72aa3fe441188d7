package main

import (
	"bytes"
	"io"
	"log"
)

// muteStandardLog writes the standard library's log to w, cutting each line at its first quotation mark: net/http quotes
// what servers send.
func muteStandardLog(w io.Writer) { log.SetOutput(unquotedWriter{w}) }

// unquotedWriter cuts each line at its first quotation mark.
type unquotedWriter struct{ io.Writer }

// Write implements io.Writer.
func (u unquotedWriter) Write(line []byte) (int, error) {
	if before, _, quotes := bytes.Cut(line, []byte{'"'}); quotes {
		if _, err := u.Writer.Write(append(bytes.Clone(before), "[text]\n"...)); err != nil {
			return 0, err
		}
		return len(line), nil
	}
	return u.Writer.Write(line)
}
