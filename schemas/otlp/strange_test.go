package otlp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"confab/schemas"
)

// Fields that a later version adds at any level are skipped, whatever their wire type.
func TestUnknownFields(t *testing.T) {
	const number = 15_000 // no message has it
	unknown := map[string][]byte{
		"varint":  protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), 1<<63),
		"fixed32": protowire.AppendFixed32(protowire.AppendTag(nil, number, protowire.Fixed32Type), 7),
		"fixed64": protowire.AppendFixed64(protowire.AppendTag(nil, number, protowire.Fixed64Type), 7),
		"bytes":   protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), []byte("new")),
	}
	for name, extra := range unknown {
		t.Run(name, func(t *testing.T) {
			m := traces(retriever(2, 1, 2, "A"), chat(3, 1, 3, "x"))
			spans := m.ResourceSpans[0].ScopeSpans[0]
			for _, part := range []proto.Message{m, m.ResourceSpans[0], m.ResourceSpans[0].Resource, spans, spans.Scope, spans.Spans[1], spans.Spans[1].Attributes[0], spans.Spans[1].Attributes[0].Value} {
				part.ProtoReflect().SetUnknown(extra)
			}
			raw, err := proto.Marshal(m)
			require.NoError(t, err)
			var c collected
			counts, err := newDecoder(t, Options{Join: true}).Decode(raw, &c)
			require.NoError(t, err)
			require.Equal(t, Counts{Answer: 1, Context: 1}, counts)
			require.Equal(t, "x", c.found[0].Answer)
			require.Equal(t, "A", c.found[0].Sources[0].Text)
			require.Empty(t, c.found[0].Malformed)
		})
	}
}

// A value of a kind that a later version adds counts as none.
func TestUnknownKindOfValue(t *testing.T) {
	s := chat(1, 0, 1, "yes", "gen_ai.response.model", "m")
	model := s.Attributes[len(s.Attributes)-1].Value
	model.Value = nil
	model.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 900, protowire.VarintType), 3))
	raw, err := proto.Marshal(traces(s))
	require.NoError(t, err)
	var c collected
	counts, err := newDecoder(t, Options{}).Decode(raw, &c)
	require.NoError(t, err)
	require.Equal(t, Counts{Answer: 1}, counts)
	require.Empty(t, c.found[0].Model)
}

// Span ids that occur twice, as of a broken instrumentation or of an export that was repeated, never cost an answer. Each
// answer is read once, with the passages that were there before it.
func TestDuplicateSpanIDs(t *testing.T) {
	tests := map[string]struct {
		spans   []*tracepb.Span
		counts  Counts
		answers []string
		sources []string // of each answer
	}{
		"the whole trace again": {
			[]*tracepb.Span{retriever(2, 1, 2, "A"), chat(3, 1, 3, "x"), retriever(2, 1, 2, "A"), chat(3, 1, 3, "x")},
			Counts{Answer: 1, Context: 2, Duplicate: 1},
			[]string{"x"},
			[]string{"A"},
		},
		"two answers with one id": {
			[]*tracepb.Span{retriever(2, 1, 2, "A"), chat(3, 1, 3, "x"), chat(3, 1, 4, "y")},
			Counts{Answer: 2, Context: 1},
			[]string{"x", "y"},
			[]string{"A", "A"},
		},
		"two retrievers with one id": {
			[]*tracepb.Span{retriever(2, 1, 2, "A"), retriever(2, 1, 2, "B"), chat(3, 1, 3, "x")},
			Counts{Answer: 1, Context: 2},
			[]string{"x"},
			[]string{"AB"},
		},
		"retriever with the id of the answer": {
			[]*tracepb.Span{retriever(3, 1, 2, "A"), chat(3, 1, 3, "x")},
			Counts{Answer: 1, Context: 1},
			[]string{"x"},
			[]string{"A"},
		},
		"retriever with the id of its parent": {
			[]*tracepb.Span{retriever(2, 2, 2, "A"), chat(3, 2, 3, "x")},
			Counts{Answer: 1, Context: 1},
			[]string{"x"},
			[]string{"A"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, counts := decodeBoth(t, traces(tt.spans...), Options{})
			require.Equal(t, tt.counts, counts)
			var answers, sources []string
			for _, in := range c.found {
				text := ""
				for _, s := range in.Sources {
					text += s.Text
				}
				answers, sources = append(answers, in.Answer), append(sources, text)
			}
			require.Equal(t, tt.answers, answers)
			require.Equal(t, tt.sources, sources)
		})
	}
}

// Clocks that are wrong change the time of an answer and which passages come before it, nothing else.
func TestClockSkew(t *testing.T) {
	at := func(s *tracepb.Span, start, end uint64) *tracepb.Span {
		s.StartTimeUnixNano, s.EndTimeUnixNano = start, end
		return s
	}
	const day = 24 * 3600 * 1e9
	tests := map[string]struct {
		answer   *tracepb.Span
		occurred time.Time // the zero time: not known, and the record's time counts
	}{
		"as it should be":         {at(chat(3, 1, 0, "x"), 3e9, 4e9), time.Unix(4, 0)},
		"it ends before it began": {at(chat(3, 1, 0, "x"), 3e9, 1e9), time.Unix(1, 0)},
		"no end":                  {at(chat(3, 1, 0, "x"), 3e9, 0), time.Time{}},
		"no times":                {at(chat(3, 1, 0, "x"), 0, 0), time.Time{}},
		"a hundred years on":      {at(chat(3, 1, 0, "x"), 3e9, 36_500*day), time.Unix(36_500*24*3600, 0)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, counts := decodeBoth(t, traces(retriever(2, 1, 2, "A"), tt.answer), Options{})
			require.Equal(t, Counts{Answer: 1, Context: 1}, counts)
			require.Empty(t, c.found[0].Malformed)
			require.True(t, tt.occurred.Equal(c.found[0].OccurredAt), c.found[0].OccurredAt)
		})
	}
	late, _ := decodeBoth(t, traces(at(retriever(2, 1, 0, "A"), day, day+1), chat(3, 1, 3, "x")), Options{})
	require.Equal(t, RetrieverAfter, late.found[0].NoSources, "the reason names the clocks")
	require.NotEqual(t, schemas.SourcesFromRetriever, late.found[0].SourcesFrom)
}
