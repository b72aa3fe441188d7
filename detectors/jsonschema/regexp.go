package jsonschema

import (
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confab/detectors"
	"confab/detectors/jsonschema/format"
)

// meteredFormat is the format with its work charged. The format "regex" becomes that of ECMA-262, which the library does not let
// replace by name.
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
		return f.Validate(s)
	}}
}

// isRegex says whether a pattern is one of ECMA-262, what linear-time matching cannot express included. That takes a look
// without the assertions and back-references.
func (m *workMeter) isRegex(s string) bool {
	if len(s) > maxPattern || strings.Contains(s, "(?P") || format.SetsFlags(s) {
		return false
	}
	m.charge(perReplacer)
	s = strings.NewReplacer(`\\`, `\\`, "(?=", "(?:", "(?!", "(?:", "(?<=", "(?:", "(?<!", "(?:").Replace(s)
	_, _, err := m.parsePattern(format.WithoutBackReferences(s))
	return err == nil // a program of what can be parsed can be made
}
