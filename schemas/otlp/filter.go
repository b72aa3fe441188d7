package otlp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
	"confab/schemas/json"
)

// valuePlace is where a value of a span is.
type valuePlace struct {
	kind placeKind
	key  string // of an attribute
}

type placeKind uint8

const (
	ofName placeKind = iota
	ofSpanKind
	ofAttribute
	ofResource
)

// parsePlace parses the pointer to a value of a span.
func parsePlace(pointer string) (valuePlace, error) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	if key, ok := strings.CutPrefix(pointer, "/attributes/"); ok && key != "" {
		return valuePlace{ofAttribute, unescape.Replace(key)}, nil
	}
	if key, ok := strings.CutPrefix(pointer, "/resource/attributes/"); ok && key != "" {
		return valuePlace{ofResource, unescape.Replace(key)}, nil
	}
	switch pointer {
	case "/name":
		return valuePlace{kind: ofName}, nil
	case "/kind":
		return valuePlace{kind: ofSpanKind}, nil
	}
	return valuePlace{}, errors.New("is not a place of a span: known are /name, /kind, /attributes/KEY and /resource/attributes/KEY")
}

// condition holds for spans that have one of the values at a place; "" stands for none.
type condition struct {
	at     valuePlace
	values []string
}

// normalize writes kinds of spans in lower case. It returns the first value that is none.
func (c *condition) normalize() (wrong string) {
	if c.at.kind != ofSpanKind {
		return ""
	}
	for i, v := range c.values {
		c.values[i] = strings.ToLower(v)
		if !slices.Contains(spanKinds[:], c.values[i]) {
			return v
		}
	}
	return ""
}

// spanKinds are the kinds by number.
//
//nolint:gochecknoglobals // a read-only table
var spanKinds = [...]string{"", "internal", "server", "client", "producer", "consumer"}

// extraField is a field of the interaction that is read from a configured place.
type extraField struct {
	field string
	at    valuePlace
	set   func(in *schemas.Interaction, text string)
}

// MaxPlaces bounds the entries of a map and the conditions of a filter.
const MaxPlaces = 16

// configure parses the map and the conditions.
func (d *Decoder) configure(fields map[string]string, where map[string][]string) error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &json.MappingError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if len(fields) > MaxPlaces || len(where) > MaxPlaces {
		fault("", "has too many entries for spans: keep at most %d", MaxPlaces)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		at, err := parsePlace(fields[field])
		set := setterOf(field)
		switch {
		case set == nil:
			fault(field, "is found by the conventions of spans: known are %s and attributes.<name>", strings.Join(mappedFields(), ", "))
		case err != nil:
			fault(field, "%s", err)
		default:
			d.extra = append(d.extra, extraField{field, at, set})
		}
	}
	for _, pointer := range slices.Sorted(maps.Keys(where)) {
		at, err := parsePlace(pointer)
		switch {
		case err != nil:
			fault(pointer, "%s", err)
		case len(where[pointer]) == 0:
			fault(pointer, "lists no values, so that no span matches: name those to keep")
		default:
			c := condition{at, slices.Clone(where[pointer])}
			if wrong := c.normalize(); wrong != "" {
				fault(pointer, "%s is not a kind of span: internal, server, client, producer or consumer", wrong)
			}
			d.where = append(d.where, c)
		}
	}
	return errors.Join(faults...)
}

// mappedFields are the fields that a map may name.
func mappedFields() []string {
	return []string{"conversation_id", "interaction_id", "operation", "response_schema", "service"}
}

func setterOf(field string) func(*schemas.Interaction, string) {
	if name, ok := strings.CutPrefix(field, "attributes."); ok && name != "" {
		return func(in *schemas.Interaction, text string) {
			if in.Attributes == nil {
				in.Attributes = make(map[string]string)
			}
			in.Attributes[name] = text
		}
	}
	switch field {
	case "conversation_id":
		return func(in *schemas.Interaction, text string) { in.ConversationID = text }
	case "interaction_id":
		return func(in *schemas.Interaction, text string) { in.ID = text }
	case "operation":
		return func(in *schemas.Interaction, text string) { in.Operation = text }
	case "response_schema":
		return func(in *schemas.Interaction, text string) { in.ResponseSchema = text }
	case "service":
		return func(in *schemas.Interaction, text string) { in.Service = text }
	}
	return nil
}

// textAt is the value at a place, "" for none.
func (p valuePlace) textAt(e *entry) string {
	switch p.kind {
	case ofName:
		return e.name
	case ofSpanKind:
		if e.kind < 0 || int(e.kind) >= len(spanKinds) {
			return ""
		}
		return spanKinds[e.kind]
	case ofResource:
		return attributeText(e.from.attributes, p.key)
	default:
		return attributeText(e.attributes, p.key)
	}
}

// matches reports whether every condition holds.
func (d *Decoder) matches(e *entry) bool {
	for i := range d.where {
		if !slices.Contains(d.where[i].values, d.where[i].at.textAt(e)) {
			return false
		}
	}
	return true
}

// fillExtra reads the configured fields.
func (d *Decoder) fillExtra(s *recordState, e *entry) {
	for i := range d.extra {
		if text := d.extra[i].at.textAt(e); text != "" {
			d.extra[i].set(s.in, text)
		}
	}
}
