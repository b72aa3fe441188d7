package json

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	root    pathNode
	needed  []mappedField // required fields
	late    []lateField   // fields that are read after the record
	slots   int           // values of late fields
	flats   int           // flattened lists
}

// mappedField is a field to fill.
type mappedField struct {
	field    string
	read     func(*interactionReader)
	bit      uint64 // bit in interactionReader.found
	nullable bool   // null means an empty answer
	slot     int    // 1 + index of the value to keep for a late field, 0 to read it at once
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
	for i := range m.late {
		m.late[i].bit = bitOf(m.needed, m.late[i].field)
	}
	return m, nil
}

// WithLimits returns the mapping with other limits.
func (m *Mapping) WithLimits(o Options) *Mapping {
	limited := *m
	limited.decoder = NewDecoder(o)
	return &limited
}

// add adds one entry to the tree.
func (m *Mapping) add(field, text string) error {
	e, err := mapspec.ParseEntry(field, text)
	if err != nil {
		return err
	}
	late := lateField{field: field}
	for i := range e.Candidates {
		c := &e.Candidates[i]
		read, err := mappedReader(field, c)
		if err != nil {
			return err
		}
		if c.Plain {
			read = plainText(read)
		}
		node := m.root.descend(c.Path)
		target := mappedField{field: field, read: read, nullable: c.Nullable}
		switch {
		case c.Prefix != "":
			m.flats++
			list := &flatList{field, m.flats, mapspec.NewFlatNames(field, c)}
			node.flats = append(node.flats, list)
			late.candidates = append(late.candidates, lateCandidate{flat: list})
			continue
		case len(e.Candidates) > 1:
			m.slots++
			target.slot = m.slots
			late.candidates = append(late.candidates, lateCandidate{slot: m.slots, read: read})
		}
		node.targets = append(node.targets, target)
	}
	if len(late.candidates) > 0 {
		m.late = append(m.late, late)
	}
	if e.Required || field == "answer" {
		m.needed = append(m.needed, mappedField{field: field})
	}
	return nil
}

// requires reports whether records without the field are refused.
func (m *Mapping) requires(field string) bool {
	return slices.ContainsFunc(m.needed, func(n mappedField) bool { return n.field == field })
}

// bitOf returns the bit of a required field, 0 for another one.
func bitOf(needed []mappedField, field string) uint64 {
	for _, n := range needed {
		if n.field == field {
			return n.bit
		}
	}
	return 0
}

// pathNode is one step of the paths: a member of an object or an item of a list, or what is within a value.
type pathNode struct {
	name      string
	index     int // index in a list, -1 when the name is not an index
	targets   []mappedField
	children  []*pathNode
	text      *pathNode   // the JSON within a text
	keyValues *pathNode   // a list of keys and values as an object
	flats     []*flatList // lists in flattened names of members
}

// descend returns the node at the end of a path below p, and creates what is missing.
func (p *pathNode) descend(path []mapspec.Step) *pathNode {
	for _, step := range path {
		switch step.Kind {
		case mapspec.Text:
			if p.text == nil {
				p.text = &pathNode{index: -1}
			}
			p = p.text
		case mapspec.KeyValues:
			if p.keyValues == nil {
				p.keyValues = &pathNode{index: -1}
			}
			p = p.keyValues
		default:
			p = p.child(step.Name)
		}
	}
	return p
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

// below calls visit for p and every node below it.
func (p *pathNode) below(visit func(*pathNode)) {
	visit(p)
	for _, b := range p.children {
		b.below(visit)
	}
	for _, b := range []*pathNode{p.text, p.keyValues} {
		if b != nil {
			b.below(visit)
		}
	}
}

// assignBits assigns the bits of required fields below p.
func (p *pathNode) assignBits(needed []mappedField) {
	p.below(func(n *pathNode) {
		for i := range n.targets {
			n.targets[i].bit = bitOf(needed, n.targets[i].field)
		}
	})
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
		names := mapspec.NewItemNames(field, c.Names)
		return func(s *interactionReader) { s.messageList(names) }, nil
	case "response_schema":
		return (*interactionReader).mappedSchema, nil
	case "sources":
		names := mapspec.NewItemNames(field, c.Names)
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

// textReader returns the function that reads a text.
func textReader(field string, text func(*schemas.Interaction) *string) func(*interactionReader) {
	if field == "trace_id" || field == "span_id" { // the OpenTelemetry SDK prints them with 0x
		return func(s *interactionReader) { *text(s.in) = strings.TrimPrefix(s.text(), "0x") }
	}
	return func(s *interactionReader) { *text(s.in) = s.text() }
}

// Decode decodes a record as [Decoder.Decode] does; a record without a required field is refused as unmapped.
func (m *Mapping) Decode(raw []byte, in *schemas.Interaction) error {
	return m.decoder.decode(raw, in, func(s *interactionReader) { s.mapped(m) })
}
