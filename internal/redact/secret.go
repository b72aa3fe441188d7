package redact

import (
	"fmt"
	"io"
	"log/slog"
)

// mask is printed instead of a secret that is not empty.
const mask = "[secret]"

// Secret is a string that fmt (with every verb), text, JSON and YAML encoders, and slog print as a mask, or as "" when it is
// empty. Keep it in exported fields and never use it as a map key: fmt ignores methods of unexported fields, and
// encoding/json those of string keys. It decodes like a string.
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns the mask, "" for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString returns the mask as a Go literal.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// Format writes the mask for every verb, including %x and %q.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' || (verb == 'v' && f.Flag('#')) {
		text = s.GoString()
	}
	_, _ = io.WriteString(f, text) // Format cannot return an error
}

// MarshalText encodes the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON encodes the mask.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(s.GoString()), nil }

// LogValue logs the mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
