package otlp

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas/json"
)

// spanMapping reads fields from the places of a map in a span as JSON, which has name, kind, attributes, events by their names,
// body and resource.
type spanMapping struct {
	fields  *json.Mapping
	answers [][]string // the names of the pointers of the answer
}

const unknownPlace = "is not a place of a span: known are /name, /kind, /attributes/KEY, /events/NAME/KEY, /body and /resource/attributes/KEY"

// noAnswer is a place that every span has: the map need not find an answer, as conventions may.
const noAnswer = "/answer"

// newSpanMapping returns the mapping of a map; nil for an empty one. The error joins one *json.MappingError per fault.
func newSpanMapping(entries map[string]string) (*spanMapping, error) {
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // there is no map
	}
	m := &spanMapping{}
	var faults []error
	for _, field := range slices.Sorted(maps.Keys(entries)) {
		places, known := rootPlaces(entries[field])
		if field == "answer" || field == "response" {
			m.answers = append(m.answers, places...)
		}
		switch {
		case field == "tenant":
			faults = append(faults, &json.MappingError{Field: field, Message: "is never that of a span: set tenant_from"})
		case !known:
			faults = append(faults, &json.MappingError{Field: field, Message: unknownPlace})
		}
	}
	entries = maps.Clone(entries)
	if entries["answer"] != "" {
		entries["answer"] += " | "
	}
	entries["answer"] += noAnswer
	fields, err := json.NewMapping(entries)
	if err == nil {
		m.fields = fields.WithLimits(spanLimits())
	}
	return m, errors.Join(append(faults, err)...)
}

// spanLimits are those of a span as JSON.
func spanLimits() json.Options { return json.Options{MaxBytes: math.MaxInt, MaxDepth: jsonDepth} }

// rootPlaces are the names in the pointers of a map's entry that begin at the span. known is false if one is no place of a span.
func rootPlaces(entry string) (places [][]string, known bool) {
	known = true
	for token := range strings.FieldsSeq(entry) {
		pointer, ok := strings.CutPrefix(token, "/")
		if !ok {
			continue
		}
		names := strings.Split(pointer, "/")
		for i := range names {
			names[i] = strings.NewReplacer("~0", "~", "~1", "/", "~2", " ").Replace(names[i])
		}
		places = append(places, names)
		known = known && slices.Contains([]string{"name", "kind", "attributes", "events", "body", "resource"}, names[0])
	}
	return places, known
}

// isMapped reports whether a span or log record has a value where the map has the answer.
func (d *Decoder) isMapped(e *entry) bool {
	return d.mapping != nil && slices.ContainsFunc(d.mapping.answers, func(names []string) bool {
		switch {
		case names[0] == "body":
			return e.body.GetValue() != nil
		case len(names) < 2:
			return false
		case names[0] == "attributes":
			return slices.ContainsFunc(e.attributes, func(a *commonpb.KeyValue) bool { return a.GetKey() == names[1] && a.GetValue().GetValue() != nil })
		}
		return names[0] == "events" && slices.ContainsFunc(e.events, func(o *tracepb.Span_Event) bool { return o.GetName() == names[1] && len(o.GetAttributes()) > 0 })
	})
}

// document is an entry as JSON.
func document(e *entry) []byte {
	doc := appendQuoted([]byte(`{"answer":"","name":`), e.name)
	doc = appendQuoted(append(doc, `,"kind":`...), e.kindName())
	doc = appendMembers(append(doc, `,"attributes":`...), e.attributes)
	doc = appendMembers(append(doc, `,"resource":{"attributes":`...), e.from.attributes)
	doc = append(doc, `},"events":{`...)
	for i, event := range e.events {
		if name := event.GetName(); !slices.ContainsFunc(e.events[:i], func(o *tracepb.Span_Event) bool { return o.GetName() == name }) {
			doc = append(appendMembers(append(appendQuoted(doc, name), ':'), event.GetAttributes()), ',')
		}
	}
	doc = append(closeJSON(doc, '}'), `,"body":`...)
	return append(appendJSON(doc, e.body), '}')
}

// appendMembers appends attributes, the first of each key, as an object.
func appendMembers(doc []byte, list []*commonpb.KeyValue) []byte {
	seen := map[string]bool{}
	doc = append(doc, '{')
	for _, a := range list {
		if key := a.GetKey(); !seen[key] {
			seen[key] = true
			doc = append(appendJSON(append(appendQuoted(doc, key), ':'), a.GetValue()), ',')
		}
	}
	return closeJSON(doc, '}')
}
