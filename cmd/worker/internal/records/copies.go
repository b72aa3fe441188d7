package records

import (
	"fmt"
	"iter"
	"strings"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

// Copy returns the value and the further headers of a copy of one interaction: the record's own bytes where it holds one,
// else the interaction alone in JSON. SampledCodec reads both.
func (c *InteractionCodec) Copy(r *consumer.Record[*schemas.Interaction]) (value []byte, headers []kafka.Header, err error) {
	if c == nil || c.spans[r.Topic] == nil {
		return r.Raw, nil, nil
	}
	own := *r.Value
	switch own.SourcesFrom {
	case schemas.SourcesFromField, schemas.SourcesFromRetriever:
		own.Sources = own.Sources[:len(own.Sources)-c.references.Count(r.Value)]
	default:
		own.Sources = nil // they are found in the messages again
	}
	if own.IDSource == schemas.IDSourceOffset {
		own.ID = "" // its origin names it
	}
	if value, err = json.AppendInteraction(nil, &own); err != nil {
		return nil, nil, fmt.Errorf("copy interaction: %w", err)
	}
	add := func(key, text string) {
		if text != "" {
			headers = append(headers, kafka.Header{Key: key, Value: []byte(text)})
		}
	}
	if own.SourcesFrom == schemas.SourcesFromRetriever {
		add(sampling.HeaderSourcesFrom, own.SourcesFrom)
	}
	add(sampling.HeaderNoSources, own.NoSources)
	add(sampling.HeaderMalformed, strings.Join(own.Malformed, ","))
	return value, headers, nil
}

// splitNames returns the names of a list with commas.
func splitNames(list string) iter.Seq[string] { return strings.SplitSeq(list, ",") }
