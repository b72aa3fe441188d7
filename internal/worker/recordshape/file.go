package recordshape

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// magics are the first bytes of files that are no JSON Lines.
//
//nolint:gochecknoglobals // read-only table
var magics = []struct{ prefix, what string }{
	{"PK\x03\x04", "this is a zip archive: unpack it first, e.g. unzip -p FILE > interactions.jsonl"},
	{"PAR1", "this is a Parquet file: write its rows as JSON Lines or CSV"},
	{"Obj\x01", "this is an Avro container file: write its records as JSON Lines"},
	{"\x28\xb5\x2f\xfd", "this is compressed by zstd: zstd -dc FILE | confab check -"},
	{"\x04\x22\x4d\x18", "this is compressed by lz4: lz4 -dc FILE | confab check -"},
	{"\xff\x06\x00\x00sNaPpY", "this is compressed by snappy: snzip -dc FILE | confab check -"},
	{"\xfd7zXZ\x00", "this is compressed by xz: xz -dc FILE | confab check -"},
	{"BZh", "this is compressed by bzip2: bzip2 -dc FILE | confab check -"},
	{"\xff\xfe", utf16Text},
	{"\xfe\xff", utf16Text},
	{"<!doctype html", htmlText},
	{"<!DOCTYPE html", htmlText},
	{"<html", htmlText},
}

const (
	utf16Text  = "this is UTF-16 text: convert it first, e.g. iconv -f UTF-16 -t UTF-8 FILE > utf8.EXT"
	notUTF8    = "the text is not UTF-8: convert it, e.g. iconv -f WINDOWS-1252 -t UTF-8 FILE > utf8.EXT"
	binaryText = "this is not text: expected one JSON object per line"
	htmlText   = "this is an HTML page: was a login page saved instead of the file? Expected one JSON object per line"
)

// File says why none of a file can be read as JSON Lines, with the remedy, from its first bytes after gzip; "" if it may be
// readable. The text names the file as the given name.
func File(head []byte, name string) string {
	return named(describeFile(head), name)
}

// named writes the name of the file into a text, and its extension.
func named(what, name string) string {
	extension := cmp.Or(filepath.Ext(strings.TrimSuffix(name, ".gz")), ".jsonl")
	return strings.NewReplacer("FILE", name, ".EXT", extension).Replace(what)
}

func describeFile(head []byte) string {
	head = bytes.TrimLeft(head, " \t\r\n")
	if bytes.HasPrefix(head, []byte("PK")) && bytes.Contains(head, []byte("[Content_Types].xml")) {
		return "this is a document of Excel or Word: save its table as CSV, in UTF-8"
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.what
		}
	}
	if bytes.IndexByte(head[:min(len(head), 512)], 0) >= 0 {
		return binaryText
	}
	return ""
}

// Line says what is wrong with the syntax of a line of the named file, with the remedy; "" if unknown.
func Line(line []byte, name string) string {
	return named(describeLine(line), name)
}

func describeLine(line []byte) string {
	line = bytes.TrimSpace(line)
	at := bytes.IndexByte(line, '{')
	switch {
	case !utf8.Valid(line):
		return notUTF8
	case bytes.HasPrefix(line, []byte("[")) && json.Valid(line):
		return "the line is a list: write one object per line, e.g. jq -c '.[]' FILE > interactions.jsonl"
	case at < 0:
		return "expected one JSON object per line: see docs/interaction.md"
	case at > 0:
		return ""
	case bytes.HasSuffix(line, []byte("},")) && json.Valid(line[:len(line)-1]):
		return "a comma follows the JSON object: remove it, e.g. sed 's/,[[:space:]]*$//' FILE > interactions.jsonl"
	}
	return ""
}
