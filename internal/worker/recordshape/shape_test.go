package recordshape

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

func wideText(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

func TestFile(t *testing.T) {
	const line = `{"interaction_id":"i","answer":"yes"}`
	const (
		wide = "this is UTF-16 text: convert it first, e.g. iconv -f UTF-16 -t UTF-8 in.json > utf8.json"
	)
	for name, c := range map[string]struct{ head, want string }{
		"interactions":             {line + "\n" + line + "\n", ""},
		"one line":                 {line, ""},
		"a long first line":        {`{"answer":"` + strings.Repeat("x", 1000), ""},
		"empty":                    {"", ""},
		"blank":                    {" \n\n", ""},
		"a cut first line":         {`{"answer":"ye` + "\n" + line + "\n", ""},
		"a comment first":          {"# exported, today\n" + line + "\n", ""},
		"words first":              {"exported, today\n" + line + "\n", ""},
		"prose":                    {"It was a dark night.\nThe rain fell, and fell.\n", ""},
		"a bad line with an array": {"[]\n" + line + "\n", ""},
		"a log":                    {"[2026-01-02 03:04:05] started\n[INFO] read\n", ""},
		"UTF-16 with a mark":       {"\xff\xfe" + wideText(line, binary.LittleEndian), wide},
		"UTF-16, big":              {"\xfe\xff" + wideText(line, binary.BigEndian), wide},
		"UTF-16 without a mark":    {wideText(line, binary.LittleEndian), "this is not text: expected one JSON object per line"},
		"workbook":                 {"PK\x03\x04\x14\x00[Content_Types].xml", "this is a document of Excel or Word: save its table as CSV, in UTF-8"},
		"zip":                      {"PK\x03\x04\x14\x00", "this is a zip archive: unpack it first, e.g. unzip -p in.json > interactions.jsonl"},
		"parquet":                  {"PAR1\x15\x04\x15", "this is a Parquet file: write its rows as JSON Lines or CSV"},
		"zstd":                     {"\x28\xb5\x2f\xfd\x00", "this is compressed by zstd: zstd -dc in.json | confab check -"},
		"HTML":                     {"<!DOCTYPE html>\n<html>", "this is an HTML page: was a login page saved instead of the file? Expected one JSON object per line"},
		"binary":                   {"\x7fELF\x02\x01\x01\x00\x00\x00", "this is not text: expected one JSON object per line"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, File([]byte(c.head), "in.json")) })
	}
}

func TestUnreadSpans(t *testing.T) {
	const span = `{"spanId":"1","startTimeUnixNano":"1"}`
	for name, c := range map[string]struct {
		line string
		want int
	}{
		"own":       {`{"answer":"resourceSpans"}`, 0},
		"one":       {`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `]}]}]}`, 0},
		"a batch":   {`{"resourceSpans":[{"scopeSpans":[{"spans":[` + span + `,` + span + `]},{"spans":[` + span + `]}]},{"scopeSpans":[{"spans":[` + span + `]}]}]}`, 3},
		"none":      {`{"resourceSpans":[]}`, 0},
		"not JSON":  {`{"resourceSpans":[`, 0},
		"not spans": {`{"resourceSpans":{}}`, 0},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, UnreadSpans([]byte(c.line))) })
	}
	require.Contains(t, DescribeSpans(3, "in.json"), "3 spans were not read")
	require.Contains(t, DescribeSpans(3, "in.json"), "confab check in.json --preset otlp")
}

func TestIsSpans(t *testing.T) {
	for head, want := range map[string]bool{
		`{"resourceSpans":[{`: true, " {\n \"resourceLogs\": [": true, `{"resource_spans":[`: true,
		`{"answer":"resourceSpans"}`: false, `{"resourceSpansX":[]}`: false, "": false,
	} {
		require.Equal(t, want, IsSpans([]byte(head)), head)
	}
}
