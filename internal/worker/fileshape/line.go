package fileshape

import (
	"bytes"
	"encoding/json"
	"regexp"
	"unicode/utf8"
)

// notNumber is a value that Python writes and JSON does not know.
var notNumber = regexp.MustCompile(`[:,\[]\s*(-?Infinity|NaN)\b`)

// Line says what is wrong with the syntax of a line, with the remedy; "" if unknown. FILE stands for the file.
func Line(line []byte) string {
	line = bytes.TrimSpace(line)
	at := bytes.IndexByte(line, '{')
	switch {
	case !utf8.Valid(line):
		return "the text is not UTF-8: convert it, e.g. iconv -f WINDOWS-1252 -t UTF-8 FILE > interactions.jsonl"
	case bytes.HasPrefix(line, []byte("data:")) || bytes.HasPrefix(line, []byte("event:")):
		return "these are server-sent events: keep their data, e.g. sed -n 's/^data: *{/{/p' FILE > chunks.jsonl"
	case at < 0:
		return "expected one JSON object per line: see docs/interaction.md"
	case at > 0 && json.Valid(line[at:]):
		return "something precedes the JSON object: remove it, e.g. sed 's/^[^{]*//' FILE > interactions.jsonl"
	case at > 0:
		return ""
	case bytes.HasSuffix(line, []byte("},")) && json.Valid(line[:len(line)-1]):
		return "a comma follows the JSON object: remove it, e.g. sed 's/,[[:space:]]*$//' FILE > interactions.jsonl"
	case notNumber.Match(line):
		return "NaN and Infinity are not JSON: write null, e.g. jq -c . FILE > interactions.jsonl"
	case hasTwoObjects(line):
		return "the line holds several objects: write one per line, e.g. jq -c . FILE > interactions.jsonl"
	}
	return ""
}

func hasTwoObjects(line []byte) bool {
	d := json.NewDecoder(bytes.NewReader(line))
	for range 2 {
		var f fields
		if d.Decode(&f) != nil {
			return false
		}
	}
	return true
}
