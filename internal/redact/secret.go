package redact

import (
	"fmt"
	"io"
	"log/slog"
)

// mask is what every way of printing a secret that is set shows.
const mask = "[secret]"

// Secret is a string that does not print itself: fmt (every verb), encoders of text, JSON and YAML, and slog show a mask,
// or nothing for an empty one. Keep it in exported fields, and never as the key of a map: fmt reads unexported fields, and
// JSON string keys, past every method.
//
// Decoding needs no method: it is a string.
type Secret string

// Reveal is the secret itself, for the one call that needs it.
func (s Secret) Reveal() string { return string(s) }

// String is the mask, "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString is the mask as a Go literal.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// Format writes the mask whatever the verb, %x and %q included.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' || (verb == 'v' && f.Flag('#')) {
		text = s.GoString()
	}
	_, _ = io.WriteString(f, text) // a fmt.State that fails has no other place to say so
}

// MarshalText encodes the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON encodes the mask.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(s.GoString()), nil }

// LogValue logs the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
