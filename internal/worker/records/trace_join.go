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

// lateRecord is how long traces are known for longer than records wait: one that has waited still finds its trace, also if
// its batch is late.
const lateRecord = time.Minute

// Split implements consumer.Splitter.
func (c *InteractionCodec) Split(topic string) consumer.Codec[*schemas.Interaction] {
	in := c.inputs[topic]
	if limits, joins := in.HoldLimits(); joins && in.spans != nil {
		limits.Wait += lateRecord
		return &traceCodec{c, in.spans, hold.NewMemory[*otlp.TraceSpans](limits)}
	}
	return c
}

// Decode implements consumer.Codec. A record with an answer whose trace may still get passages waits. Passages that come
// before their answer are kept, and the record's offset is not committed before the answer has come.
func (c *traceCodec) Decode(_ context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	sink, err := c.newSpanSink(r, dst)
	if err != nil {
		return dst, err
	}
	key, keyed := traceOfKey(r.Key)
	if !keyed {
		return c.decodeAlone(&sink)
	}
	now := time.Now()
	trace, known := c.traces.Get(key, now)
	if !known {
		trace = &otlp.TraceSpans{Trace: key}
	}
	counts, parts, err := c.decoder.DecodeTrace(r.Value, r.Offset, trace, &sink)
	if err != nil {
		return dst, asPoisonError(err)
	}
	c.traces.Put(key, trace, trace.Bytes(), now)
	if c.ask(r, trace, parts, sink.found[len(dst):]) == hold.WaitForKey {
		sink.empty(len(dst))
		return dst, nil
	}
	sink.explain(r.Turn.Ended, key, len(dst))
	sink.count(&counts, len(dst))
	return sink.found, nil
}

// ask sets what the loop is to do with the record of a trace.
func (c *traceCodec) ask(r *consumer.Raw, trace *otlp.TraceSpans, parts otlp.TraceParts, found []*schemas.Interaction) hold.Request {
	turn := &r.Turn
	turn.Key, turn.Arrives = trace.Trace, parts.Sources && turn.Ended == ""
	switch {
	case turn.Open && mayGetSources(found, hex.EncodeToString(trace.Trace[:])):
		turn.Ask = hold.WaitForKey
	case turn.Open && parts.Sources && !trace.HasAnswers():
		turn.Ask = hold.KeepUnmarked
	default:
		turn.Settles = parts.Answers
	}
	return turn.Ask
}

// decodeAlone decodes a record that cannot be joined to others.
func (c *traceCodec) decodeAlone(s *spanSink) ([]*schemas.Interaction, error) {
	had := len(s.found)
	counts, err := c.decoder.Decode(s.raw.Value, s)
	if err != nil {
		return s.found[:had], asPoisonError(err)
	}
	s.explain("", hold.Key{}, had)
	s.count(&counts, had)
	return s.found, nil
}

// empty drops what was found: the record waits.
func (s *spanSink) empty(had int) {
	for _, in := range s.found[had:] {
		s.codec.Release(in)
	}
	clear(s.found[had:])
	s.raw.Indexes, s.raw.Rejected = s.raw.Indexes[:0], s.raw.Rejected[:0]
}

// explain says why answers have no passages: their record has waited, or cannot wait since its key is another one.
func (s *spanSink) explain(ended hold.Reason, key hold.Key, had int) {
	trace := hex.EncodeToString(key[:])
	for _, in := range s.found[had:] {
		switch {
		case !isUnjoined(in):
		case in.TraceID != trace:
			in.NoSources = otlp.NotKeyed
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
