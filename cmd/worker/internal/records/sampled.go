package records

import (
	"context"

	"confab/cmd/worker/internal/config"
	"confab/consumer"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

const reasonNoOrigin = "missing_origin"

// SampledCodec reads copies of interactions as the topic that they came from is read. Tenant, place and name are those
// that the detect role has trusted, so both passes derive the same ids.
type SampledCodec struct{ *InteractionCodec }

// NewSampledCodec reads the topic of sampled interactions.
func NewSampledCodec(inputs []config.Input, cluster string, maxBytes int) SampledCodec {
	c := SampledCodec{NewInteractionCodec(inputs, cluster, maxBytes)}
	// A topic that is an input elsewhere only: its values are taken for what they look like.
	c.inputs[""] = config.Input{Format: config.FormatAuto}
	c.readers[""] = json.NewDecoder(json.Options{MaxBytes: maxBytes})
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
	in := c.pool.Get().(*schemas.Interaction)
	if err := c.read(ctx, input.Format, &raw, in); err != nil {
		c.Release(in)
		return dst, err
	}
	overrideTenant(in, tenant)
	if in.ID == "" {
		in.ID, in.IDSource = schemas.OffsetID(c.cluster, origin), schemas.IDSourceOffset
	}
	return append(dst, in), nil
}
