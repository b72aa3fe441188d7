package records

import (
	"slices"
	"strings"

	"confab/consumer"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/otlp"
)

// spanSink takes the interactions of one record.
type spanSink struct {
	codec  *InteractionCodec
	raw    *consumer.Raw
	input  *inputDecoder
	tenant string // of a header; "" for the input's
	found  []*schemas.Interaction
}

// New implements otlp.Sink.
func (s *spanSink) New() *schemas.Interaction { return s.codec.pool.Get().(*schemas.Interaction) }

// Accept implements otlp.Sink.
func (s *spanSink) Accept(in *schemas.Interaction, index int) {
	s.input.finder.Fill(in)
	if s.tenant != "" {
		overrideTenant(in, s.tenant)
	} else {
		assignTenant(in, &s.input.Input)
	}
	s.codec.complete(in, schemas.Origin{Topic: s.raw.Topic, Partition: s.raw.Partition, Offset: s.raw.Offset, Index: index})
	s.found = append(s.found, in)
	s.raw.Indexes = append(s.raw.Indexes, index)
}

// Reject implements otlp.Sink.
func (s *spanSink) Reject(bad *otlp.Rejected) {
	s.raw.Rejected = append(s.raw.Rejected, consumer.Part{
		Index: bad.Index, Value: bad.Value, Err: &consumer.PoisonError{Stage: stageDecode, Reason: bad.Err.Reason, Err: bad.Err},
	})
}

// decodeSpans appends the interactions of a record in OTLP. Spans that cannot be read become parts of r.
func (c *InteractionCodec) decodeSpans(input *inputDecoder, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	sink, err := c.newSpanSink(r, dst)
	if err != nil {
		return dst, err
	}
	counts, err := input.spans.Decode(r.Value, &sink)
	if err != nil {
		return dst, asPoisonError(err)
	}
	sink.count(&counts, len(dst))
	return sink.found, nil
}

// newSpanSink returns the sink of a record, whose interactions it appends to dst.
func (c *InteractionCodec) newSpanSink(r *consumer.Raw, dst []*schemas.Interaction) (spanSink, error) {
	input := c.inputs[r.Topic]
	sink := spanSink{codec: c, raw: r, input: input, found: dst}
	if input.TenantFrom == config.TenantHeader {
		if sink.tenant = lastHeader(r, input.TenantHeader); sink.tenant == "" {
			return sink, missingTenant(&input.Input)
		}
	}
	return sink, nil
}

// count counts what the record had. had is the number of interactions before it.
func (s *spanSink) count(counts *otlp.Counts, had int) {
	m, topic := s.codec.metrics, s.raw.Topic
	for _, in := range s.found[had:] {
		m.countPrompt(topic, in)
	}
	m.countSpans(topic, counts)
	if len(s.found) == had && len(s.raw.Rejected) == 0 {
		m.countSkipped(topic)
	}
}

// restore sets what the headers of a copy say.
func restore(in *schemas.Interaction, r *consumer.Raw) {
	if lastHeader(r, sampling.HeaderSourcesFrom) == schemas.SourcesFromRetriever && len(in.Sources) > 0 {
		in.SourcesFrom = schemas.SourcesFromRetriever
	}
	if why := lastHeader(r, sampling.HeaderNoSources); slices.Contains(otlp.NoSourcesReasons(), why) {
		in.NoSources = why
	}
	for name := range strings.SplitSeq(lastHeader(r, sampling.HeaderMalformed), ",") {
		if slices.Contains(schemas.MalformedNames(), name) {
			in.Malformed = append(in.Malformed, name)
		}
	}
}
