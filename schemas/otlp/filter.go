package otlp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas"
	"confab/schemas/json"
)

// valuePlace returns the value at a place of a span, "" for none.
type valuePlace func(e *entry) string

const kindPrefix = "SPAN_KIND_"

// parsePlace parses the pointer to a value of a span.
func parsePlace(pointer string) (valuePlace, error) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	if key, ok := strings.CutPrefix(pointer, "/attributes/"); ok && key != "" {
		return func(e *entry) string { return attributeText(e.attributes, unescape.Replace(key)) }, nil
	}
	if key, ok := strings.CutPrefix(pointer, "/resource/attributes/"); ok && key != "" {
		return func(e *entry) string { return attributeText(e.from.attributes, unescape.Replace(key)) }, nil
	}
	switch pointer {
	case "/name":
		return func(e *entry) string { return e.name }, nil
	case "/kind":
		return func(e *entry) string {
			if e.kind == tracepb.Span_SPAN_KIND_UNSPECIFIED {
				return ""
			}
			return strings.ToLower(strings.TrimPrefix(e.kind.String(), kindPrefix))
		}, nil
	}
	return nil, errors.New("is not a place of a span: known are /name, /kind, /attributes/KEY and /resource/attributes/KEY")
}

// condition holds for spans that have one of the values at a place; "" stands for none.
type condition struct {
	at     valuePlace
	values []string
}

// extraField is a field of the interaction that is read from a configured place.
type extraField struct {
	field string
	at    valuePlace
}

// MaxPlaces bounds the entries of a map and the conditions of a filter.
const MaxPlaces = 16

// configure parses the map and the conditions.
func (d *Decoder) configure(fields map[string]string, where map[string][]string) error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &json.MappingError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if max(len(fields), len(where)) > MaxPlaces {
		fault("", "has too many entries for spans: keep at most %d", MaxPlaces)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		at, err := parsePlace(fields[field])
		known := mappedFields(new(schemas.Interaction))
		switch {
		case known[field] == nil && attributeName(field) == "":
			names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			fault(field, "is found by the conventions of spans: known are %s and attributes.<name>", names)
		case err != nil:
			fault(field, "%s", err)
		default:
			d.extra = append(d.extra, extraField{field, at})
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
			if wrong := c.lowerKinds(pointer); wrong != "" {
				fault(pointer, "%s is not a kind of span: internal, server, client, producer or consumer", wrong)
			}
			d.where = append(d.where, c)
		}
	}
	return errors.Join(faults...)
}

// lowerKinds writes kinds of spans in lower case. It returns the first value that is none.
func (c *condition) lowerKinds(pointer string) (wrong string) {
	if pointer != "/kind" {
		return ""
	}
	for i, v := range c.values {
		c.values[i] = strings.ToLower(v)
		if wrong == "" && tracepb.Span_SpanKind_value[kindPrefix+strings.ToUpper(v)] == 0 {
			wrong = v
		}
	}
	return wrong
}

// mappedFields are the texts of an interaction that a map may name, besides attributes.
func mappedFields(in *schemas.Interaction) map[string]*string {
	return map[string]*string{
		"conversation_id": &in.ConversationID, "interaction_id": &in.ID, "operation": &in.Operation,
		"response_schema": &in.ResponseSchema, "service": &in.Service,
	}
}

// attributeName is the name in attributes.<name>, "" for another field.
func attributeName(field string) string {
	name, ok := strings.CutPrefix(field, "attributes.")
	if !ok {
		return ""
	}
	return name
}

// matches reports whether every condition holds.
func (d *Decoder) matches(e *entry) bool {
	for i := range d.where {
		if !slices.Contains(d.where[i].values, d.where[i].at(e)) {
			return false
		}
	}
	return true
}

// fillExtra reads the configured fields.
func (d *Decoder) fillExtra(in *schemas.Interaction, e *entry) {
	for i := range d.extra {
		text := d.extra[i].at(e)
		if text == "" {
			continue
		}
		if name := attributeName(d.extra[i].field); name != "" {
			setAttribute(in, name, text)
		} else {
			*mappedFields(in)[d.extra[i].field] = text
		}
	}
}

func setAttribute(in *schemas.Interaction, name, text string) {
	if in.Attributes == nil {
		in.Attributes = make(map[string]string)
	}
	in.Attributes[name] = text
}
