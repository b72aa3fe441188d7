package avro

import (
	"encoding/base64"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// JSONOptions are how AppendJSON writes.
type JSONOptions struct {
	MaxBytes  int  // of the object
	LowerCase bool // names in capitals, as ksqlDB and some databases have them, are written in lower case
}

// AppendJSON appends body, which was written with s, to dst as one JSON object with the names of the writer's fields. A value of a
// union has no wrapper, a time is the number that was written, a decimal a number, NaN null. Bytes are a text if they are one without
// control characters, else base64. The error is a *scan.Error.
func (s *Schema) AppendJSON(dst, body []byte, o JSONOptions) ([]byte, error) {
	native, err := s.native(body)
	if err != nil {
		return dst, err
	}
	w := jsonWriter{buf: slices.Grow(dst, min(len(body)+len(body)/4, o.MaxBytes)), most: len(dst) + o.MaxBytes, lower: o.LowerCase}
	w.value(native, s.root)
	if w.isFull() {
		return dst, &scan.Error{Reason: scan.ReasonTooLarge, Detail: "its form in JSON is longer than kafka.max_record_bytes"}
	}
	return w.buf, nil
}

// jsonWriter writes the values that goavro decoded.
type jsonWriter struct {
	buf   []byte
	most  int
	lower bool
}

func (w *jsonWriter) isFull() bool { return len(w.buf) > w.most }

func (w *jsonWriter) quote(text string) { w.buf, _ = jsontext.AppendQuote(w.buf, text) } // of UTF-8, as was checked

func (w *jsonWriter) value(v any, t *schemaType) {
	switch x := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, x)
	case int32:
		w.buf = strconv.AppendInt(w.buf, int64(x), 10)
	case int64:
		w.buf = strconv.AppendInt(w.buf, x, 10)
	case float32:
		w.float(float64(x), 32)
	case float64:
		w.float(x, 64)
	case string: // of an enum, too
		w.quote(x)
	case []byte:
		w.bytes(x, t)
	case []any:
		w.list(x, t.parts[0])
	case map[string]any:
		w.members(x, t)
	}
}

// members writes a record, a map or a value of a union.
func (w *jsonWriter) members(values map[string]any, t *schemaType) {
	if t.kind == kindUnion {
		for name, inner := range values {
			w.value(inner, t.parts[slices.IndexFunc(t.parts, func(p *schemaType) bool { return p.name == name })])
		}
		return
	}
	first := len(w.buf)
	member := func(name string, v any, t *schemaType) {
		if w.isFull() {
			return
		}
		w.buf = append(w.buf, ',')
		w.quote(name)
		w.buf = append(w.buf, ':')
		w.value(v, t)
	}
	if t.kind == kindMap {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			member(name, values[name], t.parts[0])
		}
	} else {
		for i, f := range t.fields {
			name := f.name
			if w.lower && name == strings.ToUpper(name) {
				name = strings.ToLower(name)
			}
			member(name, values[fieldKey(i)], t.parts[i])
		}
	}
	w.enclose(first, '{', '}')
}

func (w *jsonWriter) list(items []any, t *schemaType) {
	first := len(w.buf)
	for _, item := range items {
		if w.isFull() {
			return
		}
		w.buf = append(w.buf, ',')
		w.value(item, t)
	}
	w.enclose(first, '[', ']')
}

// enclose puts brackets around what was written since first: items behind commas.
func (w *jsonWriter) enclose(first int, opening, closing byte) {
	if len(w.buf) == first {
		w.buf = append(w.buf, opening)
	}
	w.buf[first] = opening
	w.buf = append(w.buf, closing)
}

func (w *jsonWriter) float(f float64, bits int) {
	if !recordformat.IsFinite(f) {
		w.buf = append(w.buf, "null"...)
		return
	}
	w.buf = strconv.AppendFloat(w.buf, f, 'g', -1, bits)
}

// bytes writes a string, bytes or a fixed.
func (w *jsonWriter) bytes(raw []byte, t *schemaType) {
	switch {
	case t.logical == logicalDecimal && len(raw) <= maxScale:
		w.buf = append(w.buf, decimal(raw, t.scale)...)
	case t.kind == kindString || utf8.Valid(raw) && !slices.ContainsFunc(raw, isControl):
		w.quote(recordformat.StringView(raw))
	default:
		w.buf = append(w.buf, '"')
		w.buf = base64.StdEncoding.AppendEncode(w.buf, raw)
		w.buf = append(w.buf, '"')
	}
}

func isControl(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f }

// decimal is a number in two's complement, big-endian, with scale digits behind the point.
func decimal(raw []byte, scale int) string {
	n := new(big.Int).SetBytes(raw)
	if len(raw) > 0 && raw[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
}
