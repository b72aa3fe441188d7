package recordshape

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	case !ok && openPage(line) != nil:
		return "this is one object around many records: write each as a record of its own"
	case !ok:
	case row.Skip+row.Remedy != "":
		return "this looks like " + row.Name + ": " + strings.ReplaceAll(row.Skip+row.Remedy, "FILE", name)
	}
	return ""
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
