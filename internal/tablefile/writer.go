package tablefile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// formulaSigns begin a cell that a spreadsheet would run.
const formulaSigns = "=+-@\t\r"

// unguardCell removes the apostrophe that keeps a spreadsheet from running a cell.
func unguardCell(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune(formulaSigns, rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

// CheckName rejects a file that does not end in .csv.
func CheckName(path string) error {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		return fmt.Errorf("%s: the table is CSV: end the name in .csv", path)
	}
	return nil
}

// Writer writes rows of named columns as CSV.
type Writer struct {
	csv     *csv.Writer
	columns int
}

// NewWriter writes the line of the columns' names. Texts that a spreadsheet would run as a formula begin with an apostrophe,
// which ReadTable removes.
func NewWriter(w io.Writer, columns []string) (*Writer, error) {
	t := &Writer{csv.NewWriter(w), len(columns)}
	return t, t.csv.Write(columns)
}

// Write writes one row: a value for each column. A value is nil or NaN (an empty cell), a bool, an int, a float64, a string or a
// list of strings, which is JSON in a cell.
func (t *Writer) Write(values ...any) error {
	if len(values) != t.columns {
		return fmt.Errorf("write table: %d values for %d columns", len(values), t.columns)
	}
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = cellText(v)
	}
	return t.csv.Write(cells)
}

// Flush writes what is buffered.
func (t *Writer) Flush() error {
	t.csv.Flush()
	return t.csv.Error()
}

func cellText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		if v != "" && strings.ContainsRune(formulaSigns, rune(v[0])) {
			return "'" + v
		}
		return v
	case float64:
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []string:
		return listText(v)
	}
	return fmt.Sprint(v)
}

func listText(list any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(list); err != nil { // strings, numbers and maps of them always can be
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
