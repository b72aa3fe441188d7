package json

import (
	"bytes"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"confab/schemas/json/scan"
)

// MaxValues bounds the objects of one value.
const MaxValues = 1000

// notNumber is a value that Python writes for a number and JSON does not know, or a string, which may hold one.
var notNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b`)

// Values returns the objects that a value holds which is not one JSON object: a list of objects, several in a row, a text of
// JSON within a JSON string, or an object in which NaN or Infinity stands for a number, which become null. The parts may point
// into raw. nil: it holds something else. The error, a *scan.Error, says that it holds more than MaxValues.
func Values(raw []byte) ([][]byte, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 1 && raw[0] == '"' {
		inner, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, nil //nolint:nilerr // it is no JSON
		}
		raw = bytes.TrimSpace(inner)
	}
	parts, err := objects(raw)
	if parts != nil || err != nil || !bytes.Contains(raw, []byte("NaN")) && !bytes.Contains(raw, []byte("Infinity")) {
		return parts, err
	}
	return objects(notNumber.ReplaceAllFunc(raw, func(match []byte) []byte {
		if match[0] == '"' {
			return match
		}
		return []byte("null")
	}))
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
