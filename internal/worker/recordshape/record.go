package recordshape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fields are the members of a JSON object.
type fields map[string]json.RawMessage

func (f fields) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { _, ok := f[n]; return !ok })
}

func (f fields) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { _, ok := f[n]; return ok })
}

// object is the member as an object; nil if it is not one.
func (f fields) object(name string) (o fields) {
	if json.Unmarshal(f[name], &o) != nil {
		return nil
	}
	return o
}

// listNames are members that hold the records in exports and answers of APIs.
//
//nolint:gochecknoglobals // read-only table
var listNames = []string{"data", "items", "results", "rows", "records", "observations", "spans", "runs", "samples", "examples", "interactions", "logs", "hits", "tickets", "traces", "events", "test_cases", "testCases"}

// Hint says what a line that is not read looks like, with the remedy; "" for an unknown one. name is the file's.
func Hint(line []byte, name string) string {
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("{'")) {
		return "this looks like a Python dict as text: write it with json.dumps"
	}
	var f fields
	if json.Unmarshal(line, &f) != nil {
		return ""
	}
	if f.hasAny("resourceSpans", "resourceLogs", "scopeSpans") {
		return "this looks like an OTLP JSON export: set format: otlp_json of the input, or read the file with --preset otlp"
	}
	row, ok := Recognise(line)
	switch {
	case !ok:
		return strings.ReplaceAll(describeNested(f), "FILE", name)
	case row.Skip+row.Remedy != "":
		return "this looks like " + row.Name + ": " + strings.ReplaceAll(row.Skip+row.Remedy, "FILE", name)
	}
	return ""
}

// describeNested describes one object that holds all records, beside which it has no sentence, or spans; "" for another object.
func describeNested(f fields) string {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		path, list := "."+name, f[name]
		for _, inner := range []string{name, "spans"} { // of hits in a search, of data in a trace
			if o := f.object(name); o[inner] != nil {
				path, list = path+"."+inner, o[inner]
			}
		}
		var items []fields
		spans := strings.HasSuffix(path, ".spans")
		if json.Unmarshal(list, &items) == nil && len(items) > 0 && (spans || slices.Contains(listNames, name) && f.blanks() == fields{"": list}.blanks()) {
			return "this is one object with its records in " + name + ": write one per line, e.g. jq -c '" + path + "[]' FILE > records.jsonl"
		}
	}
	return describeColumns(f)
}

// describeColumns describes a table whose columns are objects with the numbers of its rows; "" for another object.
func describeColumns(f fields) string {
	for name := range f {
		if len(f) < 2 || !f.object(name).has("0") {
			return ""
		}
	}
	if len(f) == 0 {
		return ""
	}
	return "this is a table by columns, as pandas writes it by default: write it with to_json('records.jsonl', orient='records', lines=True)"
}

// blanks counts the blanks in the texts of all members.
func (f fields) blanks() int {
	raw, _ := json.Marshal(f) // compact: each was read as JSON
	return bytes.Count(raw, []byte(" "))
}

// UnreadSpans is the number of spans of an OTLP record that a map does not reach: all but the first.
func UnreadSpans(line []byte) int {
	if !spanRecord.Match(line) {
		return 0
	}
	return max(0, bytes.Count(line, []byte(`"startTimeUnixNano"`))-1)
}

// DescribeSpans says what to do about spans that were not read.
func DescribeSpans(n int, name string) string {
	return fmt.Sprintf("%d spans were not read, since a map reads the first of each record: confab check %s --preset otlp reads all", n, name)
}
