package json

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"confab/schemas/json/llmapi"
	"confab/schemas/json/scan"
)

// MaxValues bounds the objects of one value.
const MaxValues = 1000

// Values returns the objects that a value holds which is not one JSON object: a list of objects, several in a row, a text of
// JSON within a JSON string, one behind a byte order mark, an object behind the words of a log line, or one in which NaN or Infinity stands for a number, which
// become null. The parts may point into raw. nil: it holds something else. The error, a *scan.Error, says that it holds more than
// MaxValues.
func Values(raw []byte) ([][]byte, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	if len(raw) > 1 && raw[0] == '"' {
		inner, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, nil //nolint:nilerr // it is no JSON
		}
		raw = bytes.TrimSpace(inner)
	}
	if at := bytes.IndexByte(raw, '{'); at > 0 && isLogPrefix(raw[:at]) {
		raw = raw[at:]
	}
	parts, err := objects(raw)
	if parts != nil || err != nil || !bytes.Contains(raw, []byte("NaN")) && !bytes.Contains(raw, []byte("Infinity")) {
		return parts, err
	}
	return objects(llmapi.WithoutNaN(raw))
}

// isLogPrefix reports whether a text is what a logger writes in front of an object, in one line, and not the beginning of a list.
func isLogPrefix(text []byte) bool {
	isControl := func(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }
	return utf8.Valid(text) && !slices.ContainsFunc(text, isControl) && (text[0] != '[' || bytes.IndexByte(text, ']') > 0)
}

// objects are those of a list, or in a row.
func objects(raw []byte) (parts [][]byte, err error) {
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		return nil, nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // their decoder says it
	list := raw[0] == '['
	if list {
		_, _ = d.ReadToken()
	}
	for d.PeekKind() == '{' {
		if len(parts) == MaxValues {
			return nil, &scan.Error{Reason: scan.ReasonTooMany, Detail: "a record holds at most 1,000 objects"}
		}
		v, err := d.ReadValue()
		if err != nil {
			return nil, nil //nolint:nilerr // it is no JSON
		}
		end := int(d.InputOffset())
		parts = append(parts, raw[end-len(v):end:end])
	}
	if list {
		if end, err := d.ReadToken(); err != nil || end.Kind() != ']' {
			return nil, nil //nolint:nilerr // it is cut off, or holds other values
		}
	}
	if len(bytes.TrimSpace(raw[d.InputOffset():])) > 0 {
		return nil, nil
	}
	return parts, nil
}
