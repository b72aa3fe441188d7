package recordshape

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// listNames are members that hold the records in exports and answers of APIs.
//
//nolint:gochecknoglobals // read-only table
var listNames = []string{
	"data", "items", "results", "rows", "records", "observations", "spans", "traces", "runs", "samples", "examples", "interactions", "logs", "hits", "tickets", "test_cases", "testCases",
}

// openPage gives the records of an object around a list of them, such as an answer of an API or an export, and the rows of a table by
// columns, as pandas writes it by default; nil for another value. A record has a sentence beside its list, unless that is of spans.
func openPage(value []byte) (records [][]byte) {
	var f fields
	if json.Unmarshal(value, &f) != nil {
		return nil
	}
	if records = f.rows(); records != nil || isRead(value) {
		return records
	}
	for name := range f {
		list := f.list(name)
		for _, inner := range []string{name, "spans"} { // of hits in a search, of data in a trace
			if list == nil {
				list = f.object(name).list(inner)
			}
		}
		alone := blanks(value) == blanks(bytes.Join(list, []byte(","))) // nothing but the records has a sentence
		if list != nil && (alone && (slices.Contains(listNames, name) || isRead(list[0])) || IsSpans(list[0])) {
			return list
		}
	}
	return nil
}

// blanks counts the blanks in the texts of JSON values.
func blanks(values []byte) int {
	var compact bytes.Buffer
	_ = json.Compact(&compact, slices.Concat([]byte("["), values, []byte("]"))) // each was read
	return bytes.Count(compact.Bytes(), []byte(" "))
}

// list is the member as a list of objects; nil for another value.
func (f fields) list(name string) (list [][]byte) {
	var items []json.RawMessage
	if json.Unmarshal(f[name], &items) != nil {
		return nil
	}
	for _, item := range items {
		if item[0] != '{' {
			return nil
		}
		list = append(list, item)
	}
	return list
}

// rows are those of a table whose columns are objects with the numbers of the rows; nil for another object.
func (f fields) rows() (rows [][]byte) {
	for name := range f {
		if len(f) < 2 || !f.object(name).has("0") {
			return nil
		}
	}
	for i := 0; ; i++ {
		row := fields{}
		for name := range f {
			if cell, ok := f.object(name)[strconv.Itoa(i)]; ok {
				row[name] = cell
			}
		}
		if len(row) == 0 {
			return rows
		}
		raw, _ := json.Marshal(row) // each cell was read as JSON
		rows = append(rows, raw)
	}
}

// isRead reports a record that is read as it is, or skipped.
func isRead(value []byte) bool {
	err := DecodeLabelled(value, new(schemas.Labelled))
	return err == nil || errors.Is(err, schemasjson.ErrSkipped) || IsSpans(value)
}
