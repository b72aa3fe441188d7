package jsonschema

import (
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confab/detectors"
	"confab/detectors/jsonschema/format"
)

// meteredFormat returns the format with its work charged. "regex" becomes the ECMA-262 format here, because the library does
// not let it be registered by name.
func (m *workMeter) meteredFormat(f *jsonschema.Format) *jsonschema.Format {
	if f == nil {
		return nil
	}
	if f.Name == "regex" {
		return format.New(format.RegexName, m.isRegex)
	}
	perByte, longest := perFormatByte, detectors.MaxTextBytes
	switch f.Name {
	case "hostname", "idn-hostname":
		perByte, longest = perHostByte, utf8.UTFMax*format.MaxHostname
	case "uri", "uri-reference", "iri", "iri-reference":
		perByte = perURIByte
	}
	return &jsonschema.Format{Name: f.Name, Validate: func(v any) error {
		s, ok := v.(string)
		if !ok {
			return nil
		}
		m.charge(perFormat + perByte*min(len(s), longest))
		return f.Validate(v)
	}}
}

// isRegex reports whether the pattern is valid ECMA-262. Lookaround and back-references, which Go's parser rejects, are removed
// first.
func (m *workMeter) isRegex(s string) bool {
	if len(s) > maxPattern || strings.Contains(s, "(?P") || format.SetsFlags(s) {
		return false
	}
	m.charge(perReplacer)
	s = strings.NewReplacer(`\\`, `\\`, "(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:").Replace(s)
	_, _, err := m.parsePattern(format.WithoutBackReferences(s))
	return err == nil // what parses also compiles
}
