package console

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
)

// NewTable makes a table that is written to w when it is rendered.
func NewTable(w io.Writer, header table.Row) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.AppendHeader(header)
	t.SetStyle(table.StyleLight)
	return t
}

// Printf writes to w.
func Printf(w io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(w, format, args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
