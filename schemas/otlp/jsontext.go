package otlp

import (
	"bytes"
	"unicode/utf8"
	"unsafe"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/internal/recordformat"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// json returns a value as JSON: that which a text holds, or a structured value. A text need not hold JSON.
func (s *recordState) json(v *commonpb.AnyValue) (raw []byte, ok bool) {
	if isStructured(v) {
		return appendJSON(nil, v), true
	}
	text, ok := textOf(v)
	return bytes.TrimSpace(bytesOf(text)), ok && text != ""
}

// bytesOf returns a text as bytes without a copy; they must not be changed.
func bytesOf(text string) []byte {
	return unsafe.Slice(unsafe.StringData(text), len(text)) //nolint:gosec // only read
}

// looksLikeJSON reports whether a text begins like a list or an object.
func looksLikeJSON(raw []byte) bool { return len(raw) > 0 && (raw[0] == '[' || raw[0] == '{') }

// openText starts the scanner of texts within attributes, whose resolved escapes follow those of the interaction. Call
// closeText at the end, and open no other one before.
func (s *recordState) openText(raw []byte) *scan.Scanner {
	s.inner.Start(raw)
	s.inner.Scratch = s.in.Scratch
	return &s.inner
}

// closeText keeps what the scanner resolved. It returns the first fault.
func (s *recordState) closeText() *scan.Error {
	s.in.Scratch, s.in.Repaired = s.inner.Scratch, s.in.Repaired || s.inner.Repaired
	err := s.inner.Err
	s.inner.Release()
	return err
}

// stringOf is the text of a JSON string; "" for another value.
func (s *recordState) stringOf(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	text := s.openText(raw).Text()
	if s.closeText() != nil {
		return ""
	}
	return text
}

// memberOf returns the source text of a member, or of an item by its number, below a JSON value; nil for none and in broken
// JSON.
func memberOf(raw []byte, path ...string) []byte {
	r := scan.New(json.DefaultMaxDepth)
	r.Start(raw)
	at := 0
	for _, name := range path {
		if at, _ = r.Find(at, name); at < 0 {
			return nil
		}
	}
	return r.BytesSince(at)
}

// isText reports text that a reader may show.
func isText(text string) bool { return text != "" && text != redacted && utf8.ValidString(text) }

// plainText is a text that is not JSON, or the text of a JSON string.
func plainText(raw []byte) string {
	if len(raw) > 1 && raw[0] == '"' {
		r := scan.New(1)
		r.Start(raw)
		text := r.Text()
		if r.End(); r.Err == nil {
			return text
		}
	}
	return recordformat.StringView(raw)
}

// redacted is what OpenInference writes in place of hidden content.
const redacted = "__REDACTED__"
