package mapping

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
)

// maxRecords bounds the records of a sample.
const maxRecords = 200

// splitSample are the records of a file's beginning, and what it is if it is not JSON Lines.
func splitSample(head []byte) (records [][]byte, what string) {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(records) < maxRecords && len(line) > 0 && line[0] == '{' && json.Valid(line) {
			records = append(records, line)
		}
	}
	if len(records) > 0 {
		return records, ""
	}
	if records = values(head); len(records) > 0 {
		return records, "an array"
	}
	return table(head), "a table"
}

// values are the objects of a JSON array or of a sequence, each of which may have many lines.
func values(head []byte) (records [][]byte) {
	d := json.NewDecoder(bytes.NewReader(head))
	if trimmed := bytes.TrimSpace(head); len(trimmed) > 0 && trimmed[0] == '[' {
		_, _ = d.Token()
	}
	for d.More() && len(records) < maxRecords {
		var v json.RawMessage
		if d.Decode(&v) != nil || len(v) == 0 || v[0] != '{' {
			break
		}
		records = append(records, v)
	}
	return records
}

// table reads CSV with a header as one object for each row.
func table(head []byte) (records [][]byte) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(head))
	r.LazyQuotes = true
	for _, sep := range ";\t" {
		if bytes.Count(line, []byte(string(sep))) > strings.Count(string(line), string(r.Comma)) {
			r.Comma = sep
		}
	}
	columns, err := r.Read()
	if err != nil || len(columns) < 2 {
		return nil
	}
	for len(records) < maxRecords {
		row, err := r.Read()
		if err != nil {
			return records
		}
		o := map[string]string{}
		for i, name := range columns {
			o[name] = row[i]
		}
		raw, _ := json.Marshal(o)
		records = append(records, raw)
	}
	return records
}
