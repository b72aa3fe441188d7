package tablefile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"confab/internal/files"
)

// MaxBytes bounds a table that is read.
const MaxBytes = 256 << 20

// Row is one row of a table.
type Row struct {
	Place  string            // file and line, of a list the position
	Values map[string]string // by column; a nested member is "outer.inner". Empty cells and nulls are absent.
}

// RowError is a row that cannot be read. The rows after it can.
type RowError struct {
	Place string
	Err   error
}

func (e *RowError) Error() string { return e.Place + ": " + e.Err.Error() }

// table is what was read so far.
type table struct {
	path string
	rows []Row
	bad  []*RowError
}

func (t *table) add(row Row, err error) {
	if err != nil {
		t.bad = append(t.bad, &RowError{row.Place, err})
		return
	}
	t.rows = append(t.rows, row)
}

// ReadTable returns all rows of the file, up to [MaxBytes], and those that cannot be read: CSV for the extension .csv, else
// JSON Lines or a JSON list.
func ReadTable(path string) ([]Row, []*RowError, error) {
	content, err := files.Read(path, MaxBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return nil, nil, err
	}
	if bytes.HasPrefix(content, []byte("PK\x03\x04")) {
		return nil, nil, fmt.Errorf("%s is a workbook: save it as CSV in UTF-8", path)
	}
	if bytes.HasPrefix(content, []byte{0xff, 0xfe}) || bytes.HasPrefix(content, []byte{0xfe, 0xff}) {
		return nil, nil, fmt.Errorf("%s is UTF-16: save it as CSV in UTF-8", path)
	}
	text := strings.TrimPrefix(string(content), "\ufeff") // spreadsheets write it
	if strings.TrimSpace(text) == "" {
		return nil, nil, fmt.Errorf("%s is empty", path)
	}
	t := &table{path: path}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		err = t.readCSV(text)
	case ".json", ".jsonl", ".ndjson":
		err = t.readJSON(text)
	default:
		err = fmt.Errorf("%s: the extension names no format: end it in .csv, .jsonl or .json", path)
	}
	return t.rows, t.bad, err
}

// readCSV reads CSV with a line of names. The separator is a comma, or the semicolon or tab that the names have instead.
func (t *table) readCSV(text string) error {
	c := csv.NewReader(strings.NewReader(text))
	first, _, _ := strings.Cut(text, "\n")
	for _, separator := range "\t;," {
		if strings.ContainsRune(first, separator) {
			c.Comma = separator
		}
	}
	names, err := c.Read()
	if err != nil {
		return fmt.Errorf("%s: read the line of names: %w", t.path, err)
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if names[i] != "" && slices.Contains(names[:i], names[i]) {
			return fmt.Errorf("%s: two columns are named %q", t.path, names[i])
		}
	}
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		t.add(t.csvRow(c, names, cells, err))
	}
}

// csvRow is the row of the cells that were just read, or why they are none.
func (t *table) csvRow(c *csv.Reader, names, cells []string, err error) (Row, error) {
	row := Row{Values: map[string]string{}}
	if fault, is := errors.AsType[*csv.ParseError](err); is {
		row.Place = fmt.Sprintf("%s:%d", t.path, fault.StartLine)
		if errors.Is(err, csv.ErrFieldCount) {
			return row, fmt.Errorf("%d cells where the first line has %d names", len(cells), len(names))
		}
		return row, fault.Err
	}
	line, _ := c.FieldPos(0)
	row.Place = fmt.Sprintf("%s:%d", t.path, line)
	for i, cell := range cells {
		if cell = unguardCell(cell); strings.TrimSpace(cell) != "" && names[i] != "" {
			row.Values[names[i]] = cell
		}
	}
	return row, nil
}

// readJSON reads JSON Lines or a JSON list.
func (t *table) readJSON(text string) error {
	lines, err := files.NewRecords(strings.NewReader(text), MaxBytes, nil)
	for err == nil {
		var line []byte
		if line, err = lines.Next(); err == nil {
			t.add(readObject(fmt.Sprintf("%s:%d", t.path, lines.Number()), line))
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s: %w", t.path, err)
}

func readObject(place string, raw []byte) (Row, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var object map[string]any
	err := d.Decode(&object)
	if err == nil && d.More() {
		err = errors.New("something follows the object")
	}
	if err == nil && object == nil {
		err = errors.New("null")
	}
	row := Row{Place: place, Values: map[string]string{}}
	if err != nil {
		return row, fmt.Errorf("is not a JSON object: %w", err)
	}
	row.flatten("", object)
	return row, nil
}

// flatten adds the members, those of objects by "outer.inner" and lists as JSON.
func (r *Row) flatten(prefix string, object map[string]any) {
	for name, v := range object {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			r.flatten(prefix+name+".", v)
		case []any:
			r.Values[prefix+name] = listText(v)
		default:
			if s := fmt.Sprint(v); strings.TrimSpace(s) != "" {
				r.Values[prefix+name] = s
			}
		}
	}
}
