package redaction

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a labelled row.
const (
	maxRowBytes = 4 << 20
	maxSecrets  = 1000
)

// anyKind is the kind of a secret whose row names none.
const anyKind = "secret"

// row is a labelled text as its file has it.
type row struct {
	ID      string     `json:"id"`
	Text    *string    `json:"text"`
	Secrets []wanted   `json:"secrets"`
	Spans   []charSpan `json:"spans"`
}

// wanted is a secret by its text: a string, or {"text", "kind"}. Every occurrence is meant.
type wanted struct{ Text, Kind string }

// UnmarshalJSON implements json.Unmarshaler.
func (w *wanted) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return stdjson.Unmarshal(b, &w.Text)
	}
	type plain wanted
	return decodeStrictly(b, (*plain)(w))
}

// charSpan is a secret by its place, in characters.
type charSpan struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Kind  string `json:"kind"`
}

// secret is a labelled secret by its place, in bytes.
type secret struct {
	start, end int
	kind       string
}

func decodeStrictly(line []byte, into any) error {
	d := stdjson.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has more than one value")
	}
	return nil
}

// decodeRow returns the row of a line and its secrets in order. Secrets that overlap are one.
func decodeRow(line []byte) (r row, all []secret, err error) {
	if err = decodeStrictly(line, &r); err != nil {
		return r, nil, err
	}
	switch {
	case r.Text == nil:
		return r, nil, errors.New(`has no text: expected {"text": "…", "secrets": ["…"]}`)
	case len(r.Secrets)+len(r.Spans) > maxSecrets:
		return r, nil, fmt.Errorf("has more than %d secrets", maxSecrets)
	}
	for _, w := range r.Secrets {
		found := len(all)
		for at := 0; w.Text != ""; {
			i := strings.Index((*r.Text)[at:], w.Text)
			if i < 0 {
				break
			}
			all = append(all, secret{at + i, at + i + len(w.Text), w.Kind})
			at += i + len(w.Text)
		}
		if len(all) == found {
			return r, nil, errors.New("a secret is not in the text")
		}
	}
	for _, s := range r.Spans {
		start, end := byteOffset(*r.Text, s.Start), byteOffset(*r.Text, s.End)
		if start < 0 || end < 0 || start >= end {
			return r, nil, fmt.Errorf("span %d to %d is not in the text, which has %d characters", s.Start, s.End, utf8.RuneCountInString(*r.Text))
		}
		all = append(all, secret{start, end, s.Kind})
	}
	return r, joined(all), nil
}

// byteOffset is the place of a character in bytes; -1 outside the text.
func byteOffset(text string, char int) int {
	if char < 0 {
		return -1
	}
	at := 0
	for ; char > 0; char-- {
		if at >= len(text) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// joined sorts secrets and joins those that overlap. The first one's kind stays.
func joined(all []secret) []secret {
	slices.SortStableFunc(all, func(a, b secret) int { return a.start - b.start })
	var out []secret
	for _, s := range all {
		if s.kind == "" {
			s.kind = anyKind
		}
		if n := len(out); n > 0 && s.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, s.end)
			continue
		}
		out = append(out, s)
	}
	return out
}
