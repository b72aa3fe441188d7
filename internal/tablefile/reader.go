package tablefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"confab/internal/files"
)

// MaxBytes bounds a table that is read.
const MaxBytes = 256 << 20

// Row is one row of a table.
type Row struct {
	Place  string            // file and line, or file and position in the list
	Values map[string]string // by column; a nested member is "outer.inner". Empty cells and nulls are absent.
}

// RowError is a row that cannot be read. The rows after it can.
type RowError struct {
	Place string
	Err   error
}

func (e *RowError) Error() string { return e.Place + ": " + e.Err.Error() }

func (e *RowError) Unwrap() error { return e.Err }

// Reader reads the rows of a table. It is not safe for concurrent use.
type Reader struct {
	path string
	next func() (Row, error)
}

// OpenTable reads the file into memory, up to [MaxBytes]: CSV for the extension .csv, else JSON Lines, a JSON list or an
// object with the list in data.
func OpenTable(path string) (*Reader, error) {
	content, err := files.Read(path, MaxBytes)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(content), "\ufeff") // spreadsheets write it
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s is empty", path)
	}
	r := &Reader{path: path}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		r.next, err = r.csvRows(text)
	case ".json", ".jsonl", ".ndjson":
		r.next, err = r.jsonRows(text)
	default:
		err = fmt.Errorf("%s: the extension names no format: end it in .csv, .jsonl or .json", path)
	}
	return r, err
}

// Next returns the next row, a *RowError for one that cannot be read, and io.EOF at the end.
func (r *Reader) Next() (Row, error) { return r.next() }

// ReadTable returns all rows of the file, and those that cannot be read.
func ReadTable(path string) (rows []Row, bad []*RowError, err error) {
	r, err := OpenTable(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, fmt.Errorf("%s does not exist", path)
		}
		return nil, nil, err
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, bad, nil
		}
		if fault, is := errors.AsType[*RowError](err); is {
			bad = append(bad, fault)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, row)
	}
}
