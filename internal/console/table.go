package console

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// NewTable makes a table for [PrintTable].
func NewTable(header table.Row) table.Writer {
	t := table.NewWriter()
	t.AppendHeader(header)
	t.SetStyle(table.StyleLight)
	return t
}

// PrintTable prints the table to w. On a terminal that is narrower than the table it prints one block per row instead.
func PrintTable(w io.Writer, t table.Writer) error {
	return Printf(w, "%s\n", FitTable(t, Columns(w)))
}

// Columns returns the width of the terminal w in characters, 0 if w is not a terminal.
func Columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// FitTable renders the table within a number of columns; 0 means unlimited. A wider table becomes one block per row: the first
// cell, then "header value" pairs that are wrapped. Empty cells are left out.
func FitTable(t table.Writer, columns int) string {
	wide := t.Render()
	if columns <= 0 || text.LongestLineLen(wide) <= columns {
		return wide
	}
	rows, err := csv.NewReader(strings.NewReader(t.RenderCSV())).ReadAll()
	if err != nil || len(rows) == 0 { // the library writes valid CSV
		return wide
	}
	var b strings.Builder
	header := rows[0]
	for _, row := range rows[1:] {
		b.WriteString(foldRow(header, row, columns) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// foldIndent is in front of the values of a row.
const foldIndent = "  "

// foldRow returns the block of one row. A pair stays on one line if it fits.
func foldRow(header, row []string, columns int) string {
	width := max(columns-len(foldIndent), 1)
	lines := []string{""}
	for i := 1; i < len(row); i++ {
		value := oneLine(row[i])
		if value == "" {
			continue
		}
		pair := strings.TrimSpace(oneLine(header[i]) + " " + value)
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = pair
		case text.StringWidthWithoutEscSequences(*last+", "+pair) <= width:
			*last += ", " + pair
		default:
			lines = append(lines, pair)
		}
	}
	block := []string{text.WrapSoft(oneLine(row[0]), columns)}
	for _, pairs := range lines {
		for line := range strings.Lines(text.WrapSoft(pairs, width)) {
			block = append(block, foldIndent+strings.TrimSpace(line))
		}
	}
	return strings.Join(block, "\n")
}

// oneLine joins the lines of a cell.
func oneLine(cell string) string { return strings.Join(strings.Fields(cell), " ") }

// CountOf returns a number of things, such as "1 record" or "2 records".
func CountOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Printf writes to w.
func Printf(w io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(w, format, args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// PrintJSON prints a value as indented JSON.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
