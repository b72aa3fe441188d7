package otlp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

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
		return (*entry).kindName, nil
	}
	return nil, errors.New("is not a place of a span: known are /name, /kind, /attributes/KEY and /resource/attributes/KEY")
}

// kindName is the kind of a span, "" for none.
func (e *entry) kindName() string {
	if e.kind == tracepb.Span_SPAN_KIND_UNSPECIFIED {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(e.kind.String(), kindPrefix))
}

// condition holds for spans that have one of the values at a place; "" stands for none.
type condition struct {
	at     valuePlace
	values []string
}

// MaxPlaces bounds the conditions of a filter.
const MaxPlaces = 16

// configure parses the map and the conditions.
func (d *Decoder) configure(fields map[string]string, where map[string][]string) error {
	var faults []error
	fault := func(field, format string, args ...any) {
		faults = append(faults, &json.MappingError{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if len(where) > MaxPlaces {
		fault("", "has too many entries for spans: keep at most %d", MaxPlaces)
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
	var err error
	d.mapping, err = newSpanMapping(fields)
	return errors.Join(append(faults, err)...)
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

// matches reports whether every condition holds.
func (d *Decoder) matches(e *entry) bool {
	for i := range d.where {
		if !slices.Contains(d.where[i].values, d.where[i].at(e)) {
			return false
		}
	}
	return true
}
