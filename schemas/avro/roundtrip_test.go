package avro

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/internal/recordformat"
	"confab/schemas"
)

// texts are any UTF-8, NUL and astral characters too.
func anyText() *rapid.Generator[string] { return rapid.String() }

func anyInteraction(t *rapid.T) schemas.Interaction {
	text := func(name string) string { return anyText().Draw(t, name) }
	in := schemas.Interaction{
		ID: text("id"), Tenant: text("tenant"), Service: text("service"), Operation: text("operation"), Provider: text("provider"),
		Model: text("model"), TraceID: text("trace"), SpanID: text("span"), ConversationID: text("conversation"),
		Tags: rapid.SliceOfN(anyText(), 0, 4).Draw(t, "tags"), Answer: text("answer"), FinishReason: text("finish"),
		Streamed: rapid.Bool().Draw(t, "streamed"), Temperature: rapid.Float64Range(0, 5).Draw(t, "temperature"),
		ResponseSchema: text("schema"), Attributes: rapid.MapOfN(anyText(), anyText(), 0, 4).Draw(t, "attributes"),
	}
	if ms := rapid.Int64Range(recordformat.MinMillis, recordformat.MaxMillis).Draw(t, "at"); ms != 0 {
		in.OccurredAt = time.UnixMilli(ms).UTC()
	}
	for range rapid.IntRange(0, 3).Draw(t, "messages") {
		in.Messages = append(in.Messages, schemas.Message{Role: text("role"), Content: text("content")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "sources") {
		score := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "score")
		in.Sources = append(in.Sources, schemas.Source{ID: text("sid"), Text: text("stext"), URI: text("uri"), Title: text("title"), Score: score})
	}
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		in.Tools = append(in.Tools, schemas.Tool{Name: "n" + text("tool"), Schema: text("parameters")})
		in.Calls = append(in.Calls, schemas.ToolCall{
			ID: text("call"), Name: "n" + text("called"), Arguments: text("arguments"), Result: text("result"), Error: text("error"),
		})
	}
	if rows := rapid.IntRange(0, 3).Draw(t, "rows"); rows > 0 {
		in.Logprobs.TopK = rapid.IntRange(0, 3).Draw(t, "top_k")
		n := rows * (1 + in.Logprobs.TopK)
		in.Logprobs.Values = rapid.SliceOfN(rapid.Float32Range(-100, 0), n, n).Draw(t, "values")
	}
	return in
}

// What we write is what we read, and two other libraries read the same from it.
func TestInteractionRoundTrip(t *testing.T) {
	s := loadSchema(t, schemas.InteractionAvro())
	other, err := goavro.NewCodec(schemas.InteractionAvro())
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		want := anyInteraction(rt)
		raw, err := AppendInteraction(nil, &want)
		require.NoError(t, err)
		var got schemas.Interaction
		require.NoError(t, s.DecodeInteraction(raw, &got))
		require.Empty(t, cmp.Diff(want, got, requireEqual()))
		native, rest, err := other.NativeFromBinary(raw)
		require.NoError(t, err)
		require.Empty(t, rest)
		theirs, ok := native.(map[string]any)
		require.True(t, ok)
		require.Equal(t, want.Answer, theirs["answer"])
		require.Equal(t, want.Temperature, theirs["temperature"]) //nolint:testifylint // the very bits
		independent, err := resolvedValue(t, schemas.InteractionAvro(), schemas.InteractionAvro(), raw)
		require.NoError(t, err)
		again := writeValue(t, schemas.InteractionAvro(), independent)
		require.NoError(t, s.DecodeInteraction(again, &got))
		require.Empty(t, cmp.Diff(want, got, requireEqual()))
		if len(want.Attributes) < 2 { // the other writer knows no order of keys
			require.Equal(t, raw, again)
		}
	})
}

func fullStatements() []schemas.Statement {
	return []schemas.Statement{
		{Start: 0, End: 9, Text: "It is old.", Verdict: "faithful", Confidence: 0.9},
		{Start: schemas.NoPlace, End: schemas.NoPlace, Text: "It is tall.", Verdict: "unfaithful", Reason: "not in the source", Confidence: 0.5},
	}
}

func fullFlag() schemas.Flag {
	risk := 0.83
	return schemas.Flag{
		IncidentID: "in", Pass: schemas.PassFast, InteractionID: "resp_1", Tenant: "acme", Service: "search", Operation: "qa",
		Provider: "openai", Model: "gpt", TraceID: "4bf9", SpanID: "00f0", ConversationID: "c1", Tags: []string{"medical"},
		OccurredAt: time.UnixMilli(1_795_255_200_000).UTC(), DetectedAt: time.UnixMilli(1_795_255_200_250).UTC(),
		Origin: schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 1 << 40, Index: 2},
		Signals: []schemas.Signal{{
			Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.62,
			Measures: map[string]float64{"claims": 4}, Type: schemas.Fabrication, Reason: "1 claim",
			Evidence: []schemas.Evidence{{
				Start: 10, End: 20, Excerpt: "Paris", Citation: "1", SourceID: "doc-1", SourceStart: 3, SourceEnd: 9,
				Similarity: 0.12, Note: "1889", SourceNumber: 2, SourceExcerpt: "opened in 1887", SourceSays: "1887", Rule: "figure_changed", CallID: "call_1",
			}, {Start: schemas.NoPlace, End: schemas.NoPlace}},
			Statements: fullStatements(),
		}},
		Fired: []string{"grounding"}, Risk: &risk, Recommendation: schemas.Block, Action: schemas.ActionFlag, Alert: true,
		Grounding: &schemas.Grounding{
			Confidence: 0.1, OverallSimilarity: 0.4, UngroundedClaims: 1, Source: "streaming_response",
			UngroundedClaimList: []schemas.Claim{{Start: 10, End: 20, Excerpt: "Paris", Similarity: 0.12}},
		},
		Calibration: "2026-11-20-ab12", WorkerVersion: "v0.1.0", Truncated: true, Sampled: true,
		SampleReason: "medical", SampleProbability: 0.01, IDSource: schemas.IDSourceOffset,
		Attributes: map[string]string{"region": "eu"}, Question: "How old is it?",
		Checked: schemas.CheckedPartial, Unchecked: []string{schemas.UncheckedError, schemas.UncheckedTruncated}, JudgeModel: "m", JudgePrompt: "faults-1",
		ConfirmedBy: schemas.JudgeDetector,
	}
}

func TestFlagRoundTrip(t *testing.T) {
	want := fullFlag()
	raw, err := AppendFlag([]byte("in front"), &want)
	require.NoError(t, err)
	require.Equal(t, "in front", string(raw[:8]))
	var got schemas.Flag
	require.NoError(t, DecodeFlag(loadSchema(t, schemas.FlagAvro()), raw[8:], &got))
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
	independent, err := resolvedValue(t, schemas.FlagAvro(), schemas.FlagAvro(), raw[8:])
	require.NoError(t, err)
	require.Equal(t, raw[8:], writeValue(t, schemas.FlagAvro(), independent))
}

// Older and newer flags are read: fields that are missing take their defaults, others are ignored.
func TestFlagEvolves(t *testing.T) {
	older := recordOf(`{"name":"incident_id","type":"string"},{"name":"pass","type":"string"},
		{"name":"signals","type":{"type":"array","items":{"type":"record","name":"S","fields":[{"name":"detector","type":"string"},
			{"name":"evidence","type":{"type":"array","items":{"type":"record","name":"E","fields":[{"name":"note","type":"string"}]}}}]}}},
		{"name":"severity","type":"int"},{"name":"risk","type":"float"}`)
	raw := writeValue(t, older, map[string]any{
		"incident_id": "in", "pass": "deep", "severity": 3, "risk": float32(0.5),
		"signals": []any{map[string]any{"detector": "d", "evidence": []any{map[string]any{"note": "n"}}}},
	})
	var got schemas.Flag
	require.NoError(t, DecodeFlag(loadSchema(t, older), raw, &got))
	risk := 0.5
	require.Equal(t, schemas.Flag{
		IncidentID: "in", Pass: schemas.PassDeep, Fired: []string{}, Risk: &risk, Signals: []schemas.Signal{{
			Detector: "d", Evidence: []schemas.Evidence{{Start: schemas.NoPlace, End: schemas.NoPlace, Note: "n"}},
		}},
	}, got)
}

// A flag is written whatever is in it, and what is written can be read.
func TestFlagIsMended(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f := fullFlag()
	f.Risk, f.SampleProbability, f.Tenant = &nan, inf, "a\xff"
	f.Attributes = map[string]string{"k\xff": "1", "k\xfe": "2"}
	f.Grounding.Confidence = nan
	f.Signals = []schemas.Signal{
		{Outcome: schemas.Fired, Score: nan, Threshold: inf, Measures: map[string]float64{"a": nan, "b\xff": 1, "b\xfe": 2}},
		{Outcome: schemas.Skipped, Score: inf, Evidence: []schemas.Evidence{{Similarity: nan, Excerpt: "\xc3"}}},
	}
	raw, err := AppendFlag(nil, &f)
	require.NoError(t, err)
	var got schemas.Flag
	require.NoError(t, DecodeFlag(loadSchema(t, schemas.FlagAvro()), raw, &got))
	want := f
	want.Risk, want.SampleProbability, want.Tenant = nil, 0, "a\ufffd"
	want.Attributes = map[string]string{"k\ufffd": "1"}
	want.Grounding = &schemas.Grounding{}
	*want.Grounding = *f.Grounding
	want.Grounding.Confidence = 0
	want.Signals = []schemas.Signal{
		{Outcome: schemas.Failed, Reason: "the score is not a number", Measures: map[string]float64{"b\ufffd": 1}},
		{Outcome: schemas.Skipped, Score: 1, Evidence: []schemas.Evidence{{Excerpt: "\ufffd"}}},
	}
	require.Empty(t, cmp.Diff(want, got, requireEqual()))
}

func TestAppendRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*schemas.Interaction)
		want   error
	}{
		"not UTF-8":        {func(in *schemas.Interaction) { in.Answer = "\xff" }, recordformat.ErrBadUTF8},
		"key is not UTF-8": {func(in *schemas.Interaction) { in.Attributes = map[string]string{"\xff": ""} }, recordformat.ErrBadUTF8},
		"NaN":              {func(in *schemas.Interaction) { in.Temperature = math.NaN() }, recordformat.ErrNotFinite},
		"infinite":         {func(in *schemas.Interaction) { in.Sources = []schemas.Source{{Score: math.Inf(-1)}} }, recordformat.ErrNotFinite},
		"year 10000":       {func(in *schemas.Interaction) { in.OccurredAt = time.UnixMilli(recordformat.MaxMillis + 1) }, recordformat.ErrBadTime},
		"half a row":       {func(in *schemas.Interaction) { in.Logprobs = schemas.Logprobs{TopK: 1, Values: make([]float32, 3)} }, recordformat.ErrBadRows},
		"too wide":         {func(in *schemas.Interaction) { in.Logprobs = schemas.Logprobs{TopK: 129, Values: make([]float32, 130)} }, recordformat.ErrBadRows},
	} {
		t.Run(name, func(t *testing.T) {
			in := fullInteraction()
			c.change(&in)
			raw, err := AppendInteraction([]byte("kept"), &in)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, "kept", string(raw))
		})
	}
	f := fullFlag()
	f.DetectedAt = time.UnixMilli(recordformat.MaxMillis + 1)
	raw, err := AppendFlag([]byte("kept"), &f)
	require.ErrorIs(t, err, recordformat.ErrBadTime)
	require.Equal(t, "kept", string(raw))
}
