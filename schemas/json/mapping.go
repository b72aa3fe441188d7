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
	fields  []mappedField // in order of their names, those that are read as a whole at last
	none    []string      // fields that stay empty
}

// mappedField is a field to fill from the first of its places that has a value.
type mappedField struct {
	field    string
	required bool // a record without it is refused
	places   []mappedPlace
}

// mappedPlace is one place of a field.
type mappedPlace struct {
	path   []mapspec.Step
	read   func(*interactionReader)
	flat   *mapspec.FlatNames // of a list in flattened names of members
	joined []mappedPlace      // whose values follow
}

// MappingError is an invalid entry of a mapping.
type MappingError struct {
	Field   string // the entry's key
	Message string // the error and the remedy
}

// Error implements error.
func (e *MappingError) Error() string { return e.Field + ": " + e.Message }

// noField is the entry of a field that stays empty, whatever a value that is read as a whole says.
const noField = "none"

// NewMapping returns a mapping from entries: a field of the interaction, attributes.<name>, interaction, request or response to a
// JSON Pointer (RFC 6901) with words, such as answer: /choices/0/message/content. docs/existing-topics.md describes the language,
// which package mapspec parses. The error joins one *[MappingError] per invalid entry.
func NewMapping(entries map[string]string) (*Mapping, error) {
	m := &Mapping{decoder: NewDecoder(Options{})}
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &MappingError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	_, answer := entries["answer"]
	_, response := entries[mapspec.Response]
	_, interaction := entries[mapspec.Interaction]
	if !answer && !response && !interaction {
		fault("answer", "is missing: name where the answer lies, such as /output/text, or as response: where the response of an API does")
	}
	var whole []mappedField
	if len(entries) > MaxMapped {
		fault("answer", "is one of %d entries: keep at most %d", len(entries), MaxMapped)
	}
	for _, field := range slices.Sorted(maps.Keys(entries)) {
		if _, whole := entries["attributes"]; whole && strings.HasPrefix(field, attributePrefix) {
			fault(field, "the entry attributes takes them all; keep one of the two")
		}
		f, err := newMappedField(field, entries[field])
		f.required = f.required || field == "answer" && !response && !interaction
		switch {
		case err != nil && entries[field] == noField && findField(fieldLabel(field), 0) >= 0:
			m.none = append(m.none, field)
		case err != nil:
			fault(field, "%s", err)
		case isWhole(field):
			whole = append(whole, f)
		default:
			m.fields = append(m.fields, f)
		}
	}
	m.fields = append(m.fields, whole...)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return m, nil
}

// isWhole reports whether a key of a map stands for many fields.
func isWhole(field string) bool {
	return field == mapspec.Interaction || field == mapspec.Request || field == mapspec.Response
}

func newMappedField(field, text string) (mappedField, error) {
	e, err := mapspec.ParseEntry(field, text)
	f := mappedField{field: field, required: e.Required}
	if err == nil {
		f.places, err = newPlaces(field, e.Candidates)
	}
	return f, err
}

func newPlaces(field string, candidates []mapspec.Candidate) (places []mappedPlace, err error) {
	for i := 0; err == nil && i < len(candidates); i++ {
		c := &candidates[i]
		p := mappedPlace{path: c.Path}
		if p.read, err = mappedReader(field, c); err != nil {
			break
		}
		if c.Prefix != "" {
			p.flat = mapspec.NewFlatNames(field, c)
		}
		p.joined, err = newPlaces(field, c.Joined)
		places = append(places, p)
	}
	return places, err
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
	case mapspec.Interaction:
		return (*interactionReader).mappedInteraction, nil
	case mapspec.Request:
		return (*interactionReader).request, nil
	case mapspec.Response:
		return (*interactionReader).response, nil
	case "answer":
		return (*interactionReader).mappedAnswer, nil
	case "messages":
		if len(c.Names) == 0 {
			return (*interactionReader).messages, nil
		}
		names, role := mapspec.ItemNames(field, c.Names), mapspec.Role(c.Names)
		return func(s *interactionReader) { s.messageList(names, true, role) }, nil
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
		return nil, fmt.Errorf("not a field of an interaction: known are %s, attributes.<name>, interaction, request and response", strings.Join(FieldNames(), ", "))
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
