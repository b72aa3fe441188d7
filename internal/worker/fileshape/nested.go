package fileshape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// listNames are members that hold the records in exports and answers of APIs.
//
//nolint:gochecknoglobals // read-only table
var listNames = []string{"data", "items", "results", "rows", "records", "observations", "spans", "runs", "samples", "examples", "interactions", "logs", "test_cases", "testCases"}

// describeNested recognises one object that holds all records; the zero value is another object.
func describeNested(f fields) Shape {
	if f.hasAny("answer", "response", "actual_output", "choices") {
		return Shape{}
	}
	for _, name := range listNames {
		var items []fields
		if json.Unmarshal(f[name], &items) == nil && len(items) > 0 {
			return Shape{
				What:   "this is one object with its records in " + name,
				Remedy: "write one per line, e.g. jq -c '." + name + "[]' FILE > records.jsonl",
			}
		}
	}
	if isByColumns(f) {
		return Shape{
			What:   "this is a table by columns, as pandas writes it by default",
			Remedy: "write it with to_json('records.jsonl', orient='records', lines=True)",
		}
	}
	return Shape{}
}

// isByColumns reports whether every member is an object of values by row, which begin with row 0.
func isByColumns(f fields) bool {
	for name := range f {
		if !f.object(name).has("0") {
			return false
		}
	}
	return len(f) > 1
}

// UnreadSpans is the number of spans of an OTLP record that a map does not reach: all but the first.
func UnreadSpans(line []byte) int {
	if !bytes.Contains(line[:min(len(line), 100)], []byte(`"resourceSpans"`)) {
		return 0
	}
	var record struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []json.RawMessage `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if json.Unmarshal(line, &record) != nil {
		return 0
	}
	n := 0
	for _, r := range record.ResourceSpans {
		for _, s := range r.ScopeSpans {
			n += len(s.Spans)
		}
	}
	return max(0, n-1)
}

// DescribeSpans says what to do about spans that were not read.
func DescribeSpans(n int, name string) string {
	return fmt.Sprintf("%d spans were not read, since a map reads the first of each record: confab check %s --preset otlp reads all", n, name)
}

// spanRecord begins a record of spans or log records, as the Collector's file exporter writes it.
var spanRecord = regexp.MustCompile(`^\s*\{\s*"resource_?([sS]pans|[lL]ogs)"\s*:`)

// IsSpans reports whether a file or line begins like a record of spans or log records in OTLP JSON.
func IsSpans(head []byte) bool { return spanRecord.Match(head) }

// maxNames bounds the names in a text.
const maxNames = 8

// FieldNames are the first names of a JSON object, in order; nil for other lines.
func FieldNames(line []byte) []string {
	var f fields
	if json.Unmarshal(line, &f) != nil {
		return nil
	}
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return positionOf(line, a) - positionOf(line, b) })
	if len(names) > maxNames {
		names = append(names[:maxNames], "…")
	}
	return names
}

// positionOf is where a name stands in a line; names that are escaped there come last.
func positionOf(line []byte, name string) int {
	if at := bytes.Index(line, []byte(`"`+name+`"`)); at >= 0 {
		return at
	}
	return len(line)
}
