package records

import (
	"bytes"
	"context"
	"encoding/hex"
	"time"

	"confab/consumer"
	"confab/consumer/hold"
	"confab/schemas"
	"confab/schemas/otlp"
)

// traceCodec decodes the records of one assignment of a topic whose traces are joined across records.
type traceCodec struct {
	*InteractionCodec

	decoder *otlp.Decoder
	traces  *hold.Memory[*otlp.TraceSpans]
}

// Split implements consumer.Splitter.
func (c *InteractionCodec) Split(topic string) consumer.Codec[*schemas.Interaction] {
	in, spans := c.inputs[topic], c.spans[topic]
	if limits, joins := in.HoldLimits(); joins && spans != nil {
		limits.Wait *= 2 // a record that has waited for the limit still finds its trace
		return &traceCodec{c, spans, hold.NewMemory[*otlp.TraceSpans](limits)}
	}
	return c
}

// Decode implements consumer.Codec. A record with an answer whose trace may still get passages waits. Passages that come
// before their answer are kept, and the record's offset is not committed before the answer has come.
func (c *traceCodec) Decode(_ context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	key, keyed := traceOfKey(r.Key)
	now := time.Now()
	trace, known := c.traces.Get(key, now)
	if !known {
		trace = &otlp.TraceSpans{Trace: key}
	}
	sink, err := c.newSpanSink(r, dst)
	if err != nil {
		return dst, err
	}
	if !keyed {
		return c.decodeAlone(&sink)
	}
	counts, parts, err := c.decoder.DecodeTrace(r.Value, r.Offset, trace, &sink)
	if err != nil {
		return dst, asPoisonError(err)
	}
	c.traces.Put(key, trace, trace.Bytes(), now)
	found := sink.found[len(dst):]
	if r.Turn.Open && mayGetSources(found, hex.EncodeToString(key[:])) {
		c.wait(r, found)
		r.Turn.Key, r.Turn.Arrives = key, parts.Sources && r.Turn.Ended == ""
		return dst, nil
	}
	sink.explain(r.Turn.Ended, len(dst))
	sink.count(&counts, len(dst))
	r.Turn.Key, r.Turn.Arrives, r.Turn.Settles = key, parts.Sources && r.Turn.Ended == "", parts.Answers
	if r.Turn.Open && parts.Sources && !parts.Answers && !trace.HasAnswers() {
		r.Turn.Ask = hold.KeepUnmarked
	}
	return sink.found, nil
}

// decodeAlone decodes a record that cannot be joined to others.
func (c *traceCodec) decodeAlone(s *spanSink) ([]*schemas.Interaction, error) {
	had := len(s.found)
	counts, err := c.decoder.Decode(s.raw.Value, s)
	if err != nil {
		return s.found[:had], asPoisonError(err)
	}
	for _, in := range s.found[had:] {
		if isUnjoined(in) {
			in.NoSources = otlp.NotKeyed
		}
	}
	s.count(&counts, had)
	return s.found, nil
}

// wait makes the record wait: nothing of it is returned.
func (c *traceCodec) wait(r *consumer.Raw, found []*schemas.Interaction) {
	for _, in := range found {
		c.Release(in)
	}
	clear(found)
	r.Indexes, r.Rejected = r.Indexes[:0], r.Rejected[:0]
	r.Turn.Ask = hold.WaitForKey
}

// explain says why answers have no passages after their record has waited.
func (s *spanSink) explain(ended hold.Reason, had int) {
	for _, in := range s.found[had:] {
		switch {
		case !isUnjoined(in):
		case ended == hold.BufferFull:
			in.NoSources = otlp.BufferFull
		case ended == hold.TimeLimit && in.NoSources == otlp.TraceIncomplete:
			in.NoSources = otlp.TimeLimit
		}
	}
}

// isUnjoined reports an answer that has no passages because its record has none for it.
func isUnjoined(in *schemas.Interaction) bool {
	return in.NoSources == otlp.NoRetriever || in.NoSources == otlp.TraceIncomplete
}

// mayGetSources reports whether an answer of the trace can be checked better once its passages have come.
func mayGetSources(found []*schemas.Interaction, trace string) bool {
	for _, in := range found {
		missing := in.SourcesFrom == schemas.SourcesFromNone || in.SourcesFrom == schemas.SourcesFromConfiguration
		if isUnjoined(in) && missing && !in.NotRecorded && in.TraceID == trace {
			return true
		}
	}
	return false
}

// traceOfKey returns the trace that a record's key names: its id in hexadecimal, as the Collector writes it, or its bytes.
func traceOfKey(key []byte) (trace hold.Key, ok bool) {
	switch len(key) {
	case len(trace):
		copy(trace[:], key)
	case hex.EncodedLen(len(trace)):
		if _, err := hex.Decode(trace[:], bytes.ToLower(key)); err != nil {
			return hold.Key{}, false
		}
	}
	return trace, trace != hold.Key{}
}
