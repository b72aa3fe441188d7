package main

import (
	"bytes"
	"io"
	"log"
)

// muteStandardLog has the standard library's own log, which quotes what servers send, written to w up to the first quotation
// mark of each line.
func muteStandardLog(w io.Writer) { log.SetOutput(unquotedWriter{w}) }

// unquotedWriter drops quotations.
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
