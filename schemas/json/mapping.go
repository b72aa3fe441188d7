package json

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"confab/schemas"
)

// MaxMapped bounds the entries of one mapping.
const MaxMapped = 64

// attributePrefix is the prefix of entries for one attribute.
const attributePrefix = "attributes."

// Mapping decodes interactions from JSON objects of another form: a JSON Pointer locates each field. It is safe for
// concurrent use.
type Mapping struct {
	decoder *Decoder
	root    pathNode
	needed  []mappedField // required fields
}

// pathNode is one step of the pointers: a member of an object or an item of a list.
type pathNode struct {
	name     string
	index    int // index in a list, -1 when the name is not an index
	targets  []mappedField
	children []*pathNode
}

// mappedField is a field to fill.
type mappedField struct {
	field    string
	read     func(*interactionReader)
	bit      uint64 // bit in interactionReader.found
	nullable bool   // null means an empty answer
}

// MappingError is an invalid entry of a mapping.
type MappingError struct {
	Field   string // the entry's key
	Message string // the error and the remedy
}

// Error implements error.
func (e *MappingError) Error() string { return e.Field + ": " + e.Message }

// NewMapping returns a mapping from entries: a field of the interaction, or attributes.<name>, to a JSON Pointer (RFC
// 6901), such as answer: /choices/0/message/content. Options may precede the pointer: "required" refuses records without
// the field; "nullable" treats null as an empty answer, as in a turn with tool calls only; "seconds", "milliseconds",
// "microseconds" and "nanoseconds" are the unit of a numeric occurred_at; "text=content" sets the names of id, text, uri
// or score in a list of sources. The error joins one *[MappingError] per invalid entry.
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
		if err := m.add(field, entries[field]); err != nil {
			fault(field, "%s", err)
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	for i := range m.needed {
		m.needed[i].bit = 1 << i
	}
	m.root.assignBits(m.needed)
	return m, nil
}

// WithLimits returns the mapping with other limits.
func (m *Mapping) WithLimits(o Options) *Mapping {
	limited := *m
	limited.decoder = NewDecoder(o)
	return &limited
}

// add adds one entry to the tree.
func (m *Mapping) add(field, entry string) error {
	at := strings.IndexByte(entry, '/')
	if at < 0 {
		return errors.New("expected a JSON Pointer, such as /response/id")
	}
	options, err := parseMapOptions(field, strings.Fields(entry[:at]))
	if err != nil {
		return err
	}
	read, err := mappedReader(field, options)
	if err != nil {
		return err
	}
	steps, err := parsePointer(entry[at:])
	if err != nil {
		return err
	}
	p := &m.root
	for _, step := range steps {
		p = p.child(step)
	}
	p.targets = append(p.targets, mappedField{field: field, read: read, nullable: options.nullable})
	if options.required || field == "answer" {
		m.needed = append(m.needed, mappedField{field: field})
	}
	return nil
}

// requires reports whether records without the field are refused.
func (m *Mapping) requires(field string) bool {
	return slices.ContainsFunc(m.needed, func(n mappedField) bool { return n.field == field })
}

// child returns the child of p with that name, and creates it if needed.
func (p *pathNode) child(name string) *pathNode {
	if i := p.find(name, 0); i >= 0 {
		return p.children[i]
	}
	index, err := strconv.Atoi(name)
	if err != nil || index < 0 || strconv.Itoa(index) != name {
		index = -1
	}
	next := &pathNode{name: name, index: index}
	p.children = append(p.children, next)
	return next
}

// find returns the index of the child with that name, -1 when there is none. The search starts at an index and wraps
// around.
func (p *pathNode) find(name string, at int) int {
	for range p.children {
		if at >= len(p.children) {
			at = 0
		}
		if p.children[at].name == name {
			return at
		}
		at++
	}
	return -1
}

// assignBits assigns the bits of required fields below p.
func (p *pathNode) assignBits(needed []mappedField) {
	for i := range p.targets {
		for _, n := range needed {
			if n.field == p.targets[i].field {
				p.targets[i].bit = n.bit
			}
		}
	}
	for _, b := range p.children {
		b.assignBits(needed)
	}
}

// parsePointer splits a JSON Pointer.
func parsePointer(pointer string) ([]string, error) {
	if !utf8.ValidString(pointer) {
		return nil, errors.New("the pointer is not UTF-8")
	}
	steps := strings.Split(pointer[1:], "/")
	if len(steps) >= DefaultMaxDepth {
		return nil, fmt.Errorf("the pointer goes deeper than the %d levels that a record may have", DefaultMaxDepth)
	}
	for i, step := range steps {
		rest := strings.NewReplacer("~0", "", "~1", "").Replace(step)
		if strings.Contains(rest, "~") {
			return nil, errors.New("in a JSON Pointer ~ is written ~0, and / within a name ~1")
		}
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps, nil
}

// mappedReader returns the function that reads a mapped field.
func mappedReader(field string, o mapOptions) (func(*interactionReader), error) {
	if name, ok := strings.CutPrefix(field, attributePrefix); ok && name != "" {
		return func(s *interactionReader) { s.mappedAttribute(name) }, nil
	}
	switch field {
	case "answer":
		return (*interactionReader).mappedAnswer, nil
	case "messages":
		return (*interactionReader).mappedMessages, nil
	case "response_schema":
		return (*interactionReader).mappedSchema, nil
	case "sources":
		return func(s *interactionReader) { s.mappedSources(&o.sources) }, nil
	case "occurred_at":
		if o.unit > 0 {
			return func(s *interactionReader) { s.mappedTime(o.unit) }, nil
		}
	}
	i := findField(field, 0)
	if i < 0 {
		return nil, fmt.Errorf("not a field of an interaction: known are %s and attributes.<name>", strings.Join(FieldNames(), ", "))
	}
	if text := interactionFields[i].text; text != nil {
		return func(s *interactionReader) { *text(s.in) = s.mappedText() }, nil
	}
	return interactionFields[i].read, nil
}

// Decode decodes a record as [Decoder.Decode] does; a record without a required field is refused as unmapped.
func (m *Mapping) Decode(raw []byte, in *schemas.Interaction) error {
	return m.decoder.decode(raw, in, func(s *interactionReader) { s.mapped(m) })
}
