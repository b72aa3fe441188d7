package records

import (
	"context"
	"fmt"
	"strings"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

const reasonNoOrigin = "missing_origin"

// SampledCodec decodes copies of interactions like records of their original topic. Tenant, origin and id are those of the
// detect role, so both passes derive the same ids.
type SampledCodec struct{ *InteractionCodec }

// NewSampledCodec makes the codec of the sampled topic.
func NewSampledCodec(inputs []config.Input, cluster string, maxBytes int) SampledCodec {
	c := SampledCodec{NewInteractionCodec(inputs, cluster, maxBytes)}
	// For original topics that are no inputs of this process: the format is decided by the first bytes.
	c.inputs[""], _ = newInputDecoder(&config.Input{Format: config.FormatAuto}, maxBytes, maxBytes) // it has nothing that could fail
	return c
}

// Decode implements consumer.Codec.
func (c SampledCodec) Decode(ctx context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	origin, tenant, err := schemas.ParseOrigin([]byte(lastHeader(r, sampling.HeaderOrigin)))
	if err != nil {
		return dst, &consumer.PoisonError{Stage: stageValidate, Reason: reasonNoOrigin, Err: err}
	}
	raw := *r
	raw.Topic = origin.Topic
	input, known := c.inputs[origin.Topic]
	if !known {
		raw.Topic, input = "", c.inputs[""]
	}
	format := input.Format
	switch {
	case input.IsOTLP():
		format = config.FormatJSON // of a copy
	case format == config.FormatAvro:
		format = config.FormatAuto // a copy may be in JSON
	}
	in := c.pool.Get().(*schemas.Interaction)
	if err := c.decode(ctx, input, format, &raw, in); err != nil {
		c.Release(in)
		return dst, c.skip(raw.Topic, err)
	}
	restore(in, &raw)
	input.finder.Fill(in)
	overrideTenant(in, tenant)
	c.complete(in, origin)
	return append(dst, in), nil
}

// Copy returns the value and the further headers of a copy of one interaction: the record's own bytes where it holds one,
// else the interaction alone in JSON. SampledCodec reads both.
func (c *InteractionCodec) Copy(r *consumer.Record[*schemas.Interaction]) (value []byte, headers []kafka.Header, err error) {
	if r.Value.Record != nil {
		return r.Value.Record, nil, nil
	}
	if c == nil || c.inputs[r.Topic] == nil || c.inputs[r.Topic].spans == nil {
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
