package json

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
	"confab/schemas/json/llmapi"
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
	joins   bool          // it reads the records of a conversation together
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
	joined []mappedPlace // whose values follow
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
	m.joins = strings.Contains(entries[mapspec.Request], "/"+mapspec.Joined)
	explicit := !hasKey(entries, mapspec.Response) && !hasKey(entries, mapspec.Interaction)
	if explicit && !hasKey(entries, "answer") {
		fault("answer", "is missing: name where the answer lies, such as /output/text, or as response: where the response of an API does")
	}
	if len(entries) > MaxMapped {
		fault("answer", "is one of %d entries: keep at most %d", len(entries), MaxMapped)
	}
	for _, field := range slices.Sorted(maps.Keys(entries)) {
		if hasKey(entries, "attributes") && strings.HasPrefix(field, attributePrefix) {
			fault(field, "the entry attributes takes them all; keep one of the two")
		}
		if err := m.add(field, entries[field], explicit); err != nil {
			fault(field, "%s", err)
		}
	}
	slices.SortStableFunc(m.fields, func(a, b mappedField) int { return a.rank() - b.rank() })
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return m, nil
}

// add adds an entry. Where no key stands for many fields, the answer is required.
func (m *Mapping) add(field, entry string, explicit bool) error {
	if entry == noField && findField(fieldLabel(field), 0) >= 0 {
		m.none = append(m.none, field)
		return nil
	}
	f, err := newMappedField(field, entry)
	f.required = f.required || field == "answer" && explicit && !m.joins // without one it is a step
	m.fields = append(m.fields, f)
	return err
}

func hasKey(entries map[string]string, key string) bool {
	_, ok := entries[key]
	return ok
}

// rank orders the fields: those that are read as a whole fill what the others leave.
func (f *mappedField) rank() int {
	if isWhole(f.field) {
		return 1
	}
	return 0
}

// isWhole reports whether a key of a map stands for many fields.
func isWhole(field string) bool {
	return field == mapspec.Interaction || field == mapspec.Request || field == mapspec.Response
}

func newMappedField(field, text string) (mappedField, error) {
	if slices.Contains([]string{"where", "kinds", "time_zone", "sources_from", "sources_pattern"}, field) {
		return mappedField{}, errors.New("it stands beside map:, not in it")
	}
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
	case "answer":
		return (*interactionReader).mappedAnswer, nil
	case "occurred_at":
		return func(s *interactionReader) { s.order = c.Order; s.occurredAt(); s.order = "" }, nil
	case "messages":
		if len(c.Names) == 0 {
			return (*interactionReader).messages, nil
		}
		names, role := mapspec.ItemNames(field, c.Names), mapspec.Role(c.Names)
		return func(s *interactionReader) { s.messageList(names, true, role) }, nil
	case schemas.FieldTools:
		return func(s *interactionReader) { s.mappedTools((*interactionReader).tools, llmapi.ReadTools) }, nil
	case schemas.FieldToolCalls:
		if len(c.Names) > 0 {
			return func(s *interactionReader) { llmapi.ReadNamedCalls(s.Source(), c.Names, s.in) }, nil
		}
		return func(s *interactionReader) { s.mappedTools((*interactionReader).toolCalls, llmapi.ReadCalls) }, nil
	case "response_schema":
		return (*interactionReader).mappedSchema, nil
	case "sources":
		names, named := mapspec.ItemNames(field, c.Names), len(c.Names) > 0
		return func(s *interactionReader) { s.mappedSources(names, named) }, nil
	}
	return fieldReader(field)
}

// fieldReader returns the function that reads a field as one of our records has it, or one of the keys for many fields.
func fieldReader(field string) (func(*interactionReader), error) {
	i := findField(field, 0)
	if i < 0 && isWhole(field) {
		return wholeReader(field), nil
	}
	if i < 0 {
		return nil, fmt.Errorf("not a field of an interaction: known are %s, attributes.<name>, interaction, request and response", strings.Join(FieldNames(), ", "))
	}
	if text := interactionFields[i].text; text != nil {
		return textReader(field, text), nil
	}
	return interactionFields[i].read, nil
}

// wholeReader returns the function that reads what a key for many fields points at.
func wholeReader(field string) func(*interactionReader) {
	switch field {
	case mapspec.Request:
		return (*interactionReader).request
	case mapspec.Response:
		return (*interactionReader).response
	}
	return (*interactionReader).mappedInteraction
}

func textReader(field string, text func(*schemas.Interaction) *string) func(*interactionReader) {
	if field == "trace_id" || field == "span_id" { // the OpenTelemetry SDK prints them with 0x
		return func(s *interactionReader) { *text(s.in) = strings.TrimPrefix(s.text(), "0x") }
	}
	return func(s *interactionReader) { *text(s.in) = s.text() }
}
