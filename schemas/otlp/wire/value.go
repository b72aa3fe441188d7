package wire

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"confab/internal/recordformat"
	"confab/schemas/json/keyvalue"
	"confab/schemas/json/scan"
)

// Text returns a value as text: that of a text, or a number or a truth value as it is written. Resolved escapes are
// appended to scratch. ok is false for other kinds and for bytes that are not UTF-8.
func (v *Value) Text(scratch *[]byte) (text string, ok bool) {
	switch v.Kind {
	case String:
		if v.json {
			return v.jsonText(scratch)
		}
		if !utf8.Valid(v.raw) {
			return "", false
		}
		return recordformat.StringView(v.raw), true
	case Int, Double, Bool:
		begin := len(*scratch)
		*scratch = v.appendScalar(*scratch)
		return recordformat.StringView((*scratch)[begin:]), true
	default:
		return "", false
	}
}

// IsEmpty reports an empty text.
func (v *Value) IsEmpty() bool {
	return v.Kind == String && (len(v.raw) == 0 || v.json && string(v.raw) == `""`)
}

// jsonText reads the string of a record in JSON; another value there is not a text.
func (v *Value) jsonText(scratch *[]byte) (text string, ok bool) {
	s := scan.New(1)
	s.Start(v.raw)
	s.Scratch = *scratch
	if s.Peek() != '"' {
		return "", false
	}
	text = s.Text()
	*scratch = s.Scratch
	if s.Err != nil {
		return "", false
	}
	return text, true
}

// appendScalar appends a number or truth value as text.
func (v *Value) appendScalar(dst []byte) []byte {
	switch {
	case v.json:
		raw := v.raw
		if n := len(raw); n > 2 && raw[0] == '"' {
			raw = raw[1 : n-1]
		}
		return append(dst, raw...)
	case v.Kind == Int:
		return strconv.AppendInt(dst, int64(v.bits), 10)
	case v.Kind == Double:
		return strconv.AppendFloat(dst, math.Float64frombits(v.bits), 'g', -1, 64)
	default:
		return strconv.AppendBool(dst, v.bits != 0)
	}
}

// Number returns a number, or that which a text holds.
func (v *Value) Number() (f float64, ok bool) {
	switch {
	case v.Kind != Int && v.Kind != Double && v.Kind != String:
		return 0, false
	case v.json || v.Kind == String:
		return parseNumber(v.raw)
	case v.Kind == Int:
		return float64(int64(v.bits)), true
	}
	f = math.Float64frombits(v.bits)
	return f, recordformat.IsFinite(f)
}

// parseNumber parses the digits of a number, with or without quotes.
func parseNumber(raw []byte) (float64, bool) {
	f, err := strconv.ParseFloat(recordformat.StringView(bytes.Trim(raw, `"`)), 64)
	return f, err == nil && recordformat.IsFinite(f)
}

// Truth returns a truth value, or that which a text holds.
func (v *Value) Truth() bool {
	if !v.json && v.Kind == Bool {
		return v.bits != 0
	}
	var scratch []byte
	text, _ := v.Text(&scratch)
	return text == "true" || text == "True"
}

// Structured reports a list or a map.
func (v *Value) Structured() bool { return v.Kind == List || v.Kind == Map }

// JSON returns a list or a map as plain JSON, appended to scratch. ok is false for other kinds and for broken ones.
func (v *Value) JSON(scratch *[]byte) (text []byte, ok bool) {
	if !v.Structured() {
		return nil, false
	}
	begin := len(*scratch)
	if v.json {
		s := scan.New(jsonDepth)
		s.Start(v.raw)
		*scratch = keyvalue.AppendValue(*scratch, &s)
		ok = s.Err == nil
	} else {
		*scratch, ok = appendStructured(*scratch, v, 1)
	}
	return (*scratch)[begin:], ok
}

// appendStructured appends a value in protobuf as JSON.
func appendStructured(dst []byte, v *Value, depth int) ([]byte, bool) {
	switch v.Kind {
	case String:
		return appendQuoted(dst, v.raw)
	case Int, Bool:
		return v.appendScalar(dst), true
	case Double:
		if f := math.Float64frombits(v.bits); !recordformat.IsFinite(f) {
			return append(dst, "null"...), true
		}
		return v.appendScalar(dst), true
	case Bytes:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v.raw)
		return append(dst, '"'), true
	case List, Map:
		if depth > maxDepth {
			return dst, false
		}
		return appendItems(dst, v, depth)
	default:
		return append(dst, "null"...), true
	}
}

// appendItems appends the items of a list or the members of a map.
func appendItems(dst []byte, v *Value, depth int) ([]byte, bool) {
	open, end := byte('['), byte(']')
	if v.Kind == Map {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	begin := len(dst)
	r := protoReader{data: v.raw}
	for r.next() {
		if !r.is(fieldFirst, protowire.BytesType) {
			continue
		}
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		item, ok := Value{}, false
		if v.Kind == Map {
			var a Attribute
			if a, ok = protoKeyValue(r.raw); ok {
				dst, ok = appendQuoted(dst, []byte(a.Key))
				dst = append(dst, ':')
			}
			item = a.Value
		} else {
			item, ok = protoValue(r.raw)
		}
		if ok {
			dst, ok = appendStructured(dst, &item, depth+1)
		}
		if !ok {
			return dst, false
		}
	}
	return append(dst, end), !r.bad
}

// appendQuoted appends a text as a JSON string.
func appendQuoted(dst, text []byte) ([]byte, bool) {
	if !utf8.Valid(text) {
		return dst, false
	}
	dst = append(dst, '"')
	from := 0
	for i, c := range text {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		const hex = "0123456789abcdef"
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"'), true
}
