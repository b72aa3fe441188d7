package tablefile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Writer writes rows of named columns.
type Writer struct {
	w     io.Writer
	csv   *csv.Writer // nil for JSON Lines
	names [][]byte    // of the columns, as JSON
	cells []string
	line  bytes.Buffer
}

// NewWriter returns a writer of that format. CSV begins with a line of the columns' names. Its texts that a spreadsheet would run
// as a formula begin with an apostrophe, which a Reader removes.
func NewWriter(w io.Writer, f Format, columns []string) (*Writer, error) {
	t := &Writer{w: w}
	for _, name := range columns {
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("write table: %w", err)
		}
		t.names = append(t.names, quoted)
	}
	if f != CSV {
		return t, nil
	}
	t.csv = csv.NewWriter(w)
	return t, t.csv.Write(columns)
}

// Write writes one row: a value for each column. A value is nil or NaN (an empty cell, null), a bool, an int, a float64,
// a string or a list of strings, which is JSON in a cell.
func (t *Writer) Write(values ...any) error {
	if len(values) != len(t.names) {
		return fmt.Errorf("write table: %d values for %d columns", len(values), len(t.names))
	}
	if t.csv != nil {
		return t.writeCells(values)
	}
	t.line.Reset()
	for i, v := range values {
		t.line.WriteByte("{,"[min(i, 1)])
		t.line.Write(t.names[i])
		t.line.WriteByte(':')
		value, err := jsonValue(v)
		if err != nil {
			return err
		}
		t.line.Write(value)
	}
	t.line.WriteString("}\n")
	_, err := t.w.Write(t.line.Bytes())
	return err
}

// Flush writes what is buffered.
func (t *Writer) Flush() error {
	if t.csv == nil {
		return nil
	}
	t.csv.Flush()
	return t.csv.Error()
}

func (t *Writer) writeCells(values []any) error {
	t.cells = t.cells[:0]
	for _, v := range values {
		cell, err := cellText(v)
		if err != nil {
			return err
		}
		if _, text := v.(string); text {
			cell = guardCell(cell)
		}
		t.cells = append(t.cells, cell)
	}
	return t.csv.Write(t.cells)
}

func cellText(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int:
		return strconv.Itoa(v), nil
	case float64:
		if math.IsNaN(v) {
			return "", nil
		}
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	}
	value, err := jsonValue(v)
	return string(value), err
}

func jsonValue(v any) ([]byte, error) {
	if f, ok := v.(float64); ok && math.IsNaN(f) {
		v = nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write table: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
