package json

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
	"confab/schemas/json/mapspec"
)

// MaxMapped bounds the entries of one mapping.
const MaxMapped = 64

// attributePrefix is the prefix of entries for one attribute.
const attributePrefix = "attributes."

// Mapping decodes interactions from JSON objects of another form: a path locates each field. It is safe for concurrent use.
type Mapping struct {
	decoder *Decoder
	fields  []mappedField // in order of their names
}

// mappedField is a field to fill from the first of its places that has a value.
type mappedField struct {
	field    string
	required bool // a record without it is refused
	places   []mappedPlace
}

// mappedPlace is one place of a field.
type mappedPlace struct {
	path     []mapspec.Step
	read     func(*interactionReader)
	nullable bool               // null means an empty answer
	flat     *mapspec.FlatNames // of a list in flattened names of members
}

// MappingError is an invalid entry of a mapping.
type MappingError struct {
	Field   string // the entry's key
	Message string // the error and the remedy
}

// Error implements error.
func (e *MappingError) Error() string { return e.Field + ": " + e.Message }

// NewMapping returns a mapping from entries: a field of the interaction, or attributes.<name>, to a JSON Pointer (RFC
// 6901) with words, such as answer: /choices/0/message/content. docs/existing-topics.md describes the language, which package
// mapspec parses. The error joins one *[MappingError] per invalid entry.
func NewMapping(entries map[string]string) (*Mapping, error) {
	m := &Mapping{decoder: NewDecoder(Options{})}
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &MappingError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if _, ok := entries["answer"]; !ok {
		fault("answer", "is missing: name where the answer lies, such as /choices/0/message/content")
	}
	if len(entries) > MaxMapped {
		fault("answer", "is one of %d entries: keep at most %d", len(entries), MaxMapped)
	}
	for _, field := range slices.Sorted(maps.Keys(entries)) {
		if _, whole := entries["attributes"]; whole && strings.HasPrefix(field, attributePrefix) {
			fault(field, "the entry attributes takes them all; keep one of the two")
		}
		f, err := newMappedField(field, entries[field])
		if err != nil {
			fault(field, "%s", err)
		}
		m.fields = append(m.fields, f)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return m, nil
}

func newMappedField(field, text string) (mappedField, error) {
	e, err := mapspec.ParseEntry(field, text)
	f := mappedField{field: field, required: e.Required || field == "answer"}
	for i := 0; err == nil && i < len(e.Candidates); i++ {
		c := &e.Candidates[i]
		p := mappedPlace{path: c.Path, nullable: c.Nullable}
		if p.read, err = mappedReader(field, c); c.Plain {
			p.read = plainText(p.read)
		}
		if c.Prefix != "" {
			p.flat = mapspec.NewFlatNames(field, c)
		}
		f.places = append(f.places, p)
	}
	return f, err
}

// WithLimits returns the mapping with other limits.
func (m *Mapping) WithLimits(o Options) *Mapping {
	limited := *m
	limited.decoder = NewDecoder(o)
	return &limited
}

// Decode decodes a record as [Decoder.Decode] does; a record without a required field is refused as unmapped.
func (m *Mapping) Decode(raw []byte, in *schemas.Interaction) error {
	return m.decoder.decode(raw, in, func(s *interactionReader) { s.mapped(m) })
}

// mappedReader returns the function that reads a mapped field.
func mappedReader(field string, c *mapspec.Candidate) (func(*interactionReader), error) {
	if name, ok := strings.CutPrefix(field, attributePrefix); ok && name != "" {
		return func(s *interactionReader) { s.mappedAttribute(name) }, nil
	}
	switch field {
	case "answer":
		return (*interactionReader).mappedAnswer, nil
	case "messages":
		if len(c.Names) == 0 {
			return (*interactionReader).messages, nil
		}
		names := mapspec.ItemNames(field, c.Names)
		return func(s *interactionReader) { s.messageList(names, true) }, nil
	case "response_schema":
		return (*interactionReader).mappedSchema, nil
	case "sources":
		names := mapspec.ItemNames(field, c.Names)
		return func(s *interactionReader) { s.mappedSources(names) }, nil
	case "occurred_at":
		if unit := c.Unit; unit > 0 {
			return func(s *interactionReader) { s.mappedTime(unit) }, nil
		}
	}
	i := findField(field, 0)
	if i < 0 {
		return nil, fmt.Errorf("not a field of an interaction: known are %s and attributes.<name>", strings.Join(FieldNames(), ", "))
	}
	if text := interactionFields[i].text; text != nil {
		return textReader(field, text), nil
	}
	return interactionFields[i].read, nil
}

func textReader(field string, text func(*schemas.Interaction) *string) func(*interactionReader) {
	if field == "trace_id" || field == "span_id" { // the OpenTelemetry SDK prints them with 0x
		return func(s *interactionReader) { *text(s.in) = strings.TrimPrefix(s.text(), "0x") }
	}
	return func(s *interactionReader) { *text(s.in) = s.text() }
}
