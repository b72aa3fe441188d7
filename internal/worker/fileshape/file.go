package fileshape

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// magics are the first bytes of files that are not text.
//
//nolint:gochecknoglobals // read-only table
var magics = []struct{ prefix, what string }{
	{"PK\x03\x04", "this is a zip archive: unpack it first, e.g. unzip -p FILE > interactions.jsonl"},
	{"PAR1", "this is a Parquet file: write JSON Lines first, e.g. in Python pandas.read_parquet('FILE').to_json('interactions.jsonl', orient='records', lines=True)"},
	{"ARROW1", "this is an Arrow file: write JSON Lines first, e.g. in Python pandas.read_feather('FILE').to_json('interactions.jsonl', orient='records', lines=True)"},
	{"Obj\x01", "this is an Avro container file: write JSON Lines first, e.g. avro-tools tojson FILE"},
	{"\x28\xb5\x2f\xfd", "this is compressed by zstd: zstd -dc FILE | confab check -"},
	{"\xfd7zXZ\x00", "this is compressed by xz: xz -dc FILE | confab check -"},
	{"BZh", "this is compressed by bzip2: bzip2 -dc FILE | confab check -"},
	{"SQLite format 3\x00", "this is an SQLite database: write its rows as JSON Lines first"},
	{"\xff\xfe", utf16Text},
	{"\xfe\xff", utf16Text},
}

const (
	utf16Text  = "this is UTF-16 text: convert it first, e.g. iconv -f UTF-16 -t UTF-8 FILE > interactions.jsonl"
	arrayText  = "this is one JSON array: write one object per line, e.g. jq -c '.[]' FILE > interactions.jsonl"
	prettyText = "this is JSON over many lines: write one object per line, e.g. jq -c . FILE > interactions.jsonl"
	csvText    = "this looks like CSV: write one JSON object per line, e.g. in Python pandas.read_csv('FILE'OPTIONS).to_json('interactions.jsonl', orient='records', lines=True)"
	binaryText = "this is not text: expected one JSON object per line"
	htmlText   = "this is an HTML page: was a login page saved instead of the file? Expected one JSON object per line"
)

// File says why none of a file can be read as JSON Lines, with the remedy, from its first bytes after gzip; "" if it may be
// readable. The text names the file as the given name.
func File(head []byte, name string) string {
	return strings.ReplaceAll(describeFile(head), "FILE", name)
}

func describeFile(head []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.what
		}
	}
	if at := bytes.IndexByte(head, 0); at >= 0 {
		if isWide(head) {
			return utf16Text
		}
		if at < 512 {
			return binaryText
		}
	}
	return describeText(head)
}

// describeText looks at the first two lines that are not blank.
func describeText(head []byte) string {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	first = bytes.TrimSpace(first)
	second := firstLine(rest)
	switch {
	case len(first) == 0:
		return ""
	case bytes.HasPrefix(bytes.ToLower(first), []byte("<!doctype html")), bytes.HasPrefix(bytes.ToLower(first), []byte("<html")):
		return htmlText
	case first[0] == '[':
		return describeArray(first, second)
	case first[0] == '{' && bytes.HasPrefix(second, []byte(`"`)) && !json.Valid(first):
		return prettyText
	case isTable(first, second):
		return strings.Replace(csvText, "OPTIONS", tableOptions(first, second), 1)
	}
	return ""
}

// tableOptions are further arguments of pandas.read_csv: the separator, and how a list in a cell is read.
func tableOptions(first, second []byte) (options string) {
	if separator := headerLine.FindSubmatch(first)[2]; separator[0] == ';' {
		options += ", sep=';'"
	} else if separator[0] == '\t' {
		options += `, sep='\t'`
	}
	if !listCell.Match(second) {
		return options
	}
	for _, name := range []string{"retrieved_contexts", "contexts", "retrieval_context", "context", "sources"} {
		if listed := regexp.MustCompile(`(^|[,;\t"])` + name + `($|[,;\t"])`); listed.Match(first) {
			return options + ", converters={'" + name + "': __import__('ast').literal_eval}"
		}
	}
	return options
}

// listCell is a quoted cell that holds a list of texts.
var listCell = regexp.MustCompile(`"\[(?:'|"")|[,;\t]\['`)

func firstLine(s []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(s, " \t\r\n"), []byte("\n"))
	return bytes.TrimSpace(line)
}

// describeArray distinguishes an array over the whole file from one bad line that holds an array, and from a log whose lines
// begin with a bracket.
func describeArray(first, second []byte) string {
	next := bytes.TrimSpace(first[1:])
	if len(next) == 0 {
		next = second
	}
	if len(second) > 0 && json.Valid(first) || len(next) > 0 && !bytes.ContainsRune([]byte(`{["]`), rune(next[0])) {
		return ""
	}
	return arrayText
}

// isWide reports whether every other byte of the beginning is zero, as in UTF-16 without a byte order mark.
func isWide(head []byte) bool {
	head = head[:min(len(head), 64)&^1]
	var zeros [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i%2]++
		}
	}
	return len(head) >= 4 && (zeros[0] == len(head)/2 || zeros[1] == len(head)/2)
}

// headerLine is a line of names of columns, two at least.
var headerLine = regexp.MustCompile(`^"?[\pL_][\pL\pN_ .-]*"?(([,;\t])"?[\pL_][\pL\pN_ .-]*"?)+$`)

// isTable reports whether the first lines are a header and a row of values.
func isTable(first, second []byte) bool {
	return headerLine.Match(first) && !bytes.HasPrefix(second, []byte("{"))
}
