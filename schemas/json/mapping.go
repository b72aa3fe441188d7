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

// MaxMapped caps the entries of one mapping.
const MaxMapped = 64

// attributePrefix starts the entries that fill one attribute.
const attributePrefix = "attributes."

// Mapping reads interactions out of JSON objects of another shape: a JSON Pointer says where each field lies. It is safe
// for concurrent use.
type Mapping struct {
	decoder *Decoder
	root    pathNode
	needed  []mappedField // those that a record must hold
}

// pathNode is one step of the pointers: a member of an object or an item of a list.
type pathNode struct {
	name     string
	index    int // as an item of a list, -1 where the name is no index
	targets  []mappedField
	children []*pathNode
}

// mappedField is one field to fill.
type mappedField struct {
	field    string
	read     func(*interactionReader)
	bit      uint64 // in reader.found
	nullable bool   // null is an empty answer
}

// MappingError is one entry of a mapping that cannot be used.
type MappingError struct {
	Field   string // the entry's key
	Message string // what is wrong, and what to do about it
}

// Error is the entry and what is wrong with it.
func (e *MappingError) Error() string { return e.Field + ": " + e.Message }

// NewMapping makes a mapping of entries from a field of the interaction, or attributes.<name>, to a JSON Pointer
// (RFC 6901), such as answer: /choices/0/message/content. Words may stand in front of the pointer: "required" refuses
// records without the field; "nullable" takes null for an empty answer, as a turn that only calls tools has it; "seconds", "milliseconds", "microseconds" and "nanoseconds" are the unit of an occurred_at
// that is a number; "text=content" says how the objects in a list of sources name our id, text, uri or score. The error
// joins one *[MappingError] for every entry that is wrong.
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
		fault("answer", "stands among %d entries: keep at most %d", len(entries), MaxMapped)
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

// WithLimits is the mapping with other limits than the defaults.
func (m *Mapping) WithLimits(o Options) *Mapping {
	limited := *m
	limited.decoder = NewDecoder(o)
	return &limited
}

// add puts one entry into the tree.
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

// child is the place below p with that name, a new one where there is none.
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

// find is where the place with that name is, -1 when there is none. The search begins at a place and goes around.
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

// assignBits gives the needed targets below p their bits.
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

// parsePointer takes a JSON Pointer apart; the error says what is wrong with it.
func parsePointer(pointer string) ([]string, error) {
	if !utf8.ValidString(pointer) {
		return nil, errors.New("the pointer is no UTF-8")
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

// mappedReader is what reads a field where a pointer leads to it.
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
		return nil, fmt.Errorf("no field of an interaction: known are %s and attributes.<name>", strings.Join(FieldNames(), ", "))
	}
	if text := interactionFields[i].text; text != nil {
		return func(s *interactionReader) { *text(s.in) = s.mappedText() }, nil
	}
	return interactionFields[i].read, nil
}

// Decode resets in and fills it from raw, an object of the shape that the mapping describes. What holds for
// [Decoder.Decode] holds here; a record without a field that it must hold is refused as unmapped.
func (m *Mapping) Decode(raw []byte, in *schemas.Interaction) error {
	return m.decoder.decode(raw, in, func(s *interactionReader) { s.mapped(m) })
}
