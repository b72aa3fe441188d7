package otlp

import (
	"errors"
	"maps"
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/schemas/json"
)

const kindPrefix = "SPAN_KIND_"

// kindName is the kind of a span, "" for none.
func (e *entry) kindName() string {
	if e.kind == tracepb.Span_SPAN_KIND_UNSPECIFIED {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(e.kind.String(), kindPrefix))
}

// configure parses the map and the conditions.
func (d *Decoder) configure(fields map[string]string, where map[string][]string) error {
	var faults []error
	fault := func(field, message string) {
		faults = append(faults, &json.MappingError{Field: field, Message: message})
	}
	kept := map[string][]string{}
	for _, pointer := range slices.Sorted(maps.Keys(where)) {
		_, known := rootPlaces(pointer)
		if !known {
			fault(pointer, unknownPlace)
			continue
		}
		kept[pointer] = where[pointer]
		if pointer != "/kind" {
			continue
		}
		kept[pointer] = strings.Split(strings.ToLower(strings.Join(where[pointer], ",")), ",")
		for _, kind := range where[pointer] {
			if tracepb.Span_SpanKind_value[kindPrefix+strings.ToUpper(kind)] == 0 {
				fault(pointer, kind+" is not a kind of span: internal, server, client, producer or consumer")
			}
		}
	}
	filter, wrong := json.NewFilter(kept)
	if wrong == nil && len(where) > 0 {
		d.where = filter.WithLimits(spanLimits())
	}
	var err error
	d.mapping, err = newSpanMapping(fields)
	return errors.Join(append(faults, wrong, err)...)
}
