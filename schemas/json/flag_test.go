package json

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// fullFlag has every field of the first version set.
func fullFlag() schemas.Flag {
	risk := 0.83
	return schemas.Flag{
		IncidentID: "in", Pass: schemas.PassFast, InteractionID: "resp_1", Tenant: "acme", Service: "search", Operation: "qa",
		Provider: "openai", Model: "gpt", TraceID: "4bf9", SpanID: "00f0", ConversationID: "c1", Tags: []string{"medical"},
		OccurredAt: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		DetectedAt: time.Date(2026, 11, 21, 10, 0, 0, 250e6, time.UTC),
		Origin:     schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 1 << 40, Index: 2},
		Signals: []schemas.Signal{{
			Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.62,
			Measures: map[string]float64{"claims": 4}, Type: schemas.Fabrication, Reason: "1 claim <unsupported>",
			Evidence: []schemas.Evidence{{
				Start: 10, End: 20, Excerpt: "Paris & \"x\"", Citation: "1", SourceID: "doc-1", SourceStart: 3, SourceEnd: 9,
				Similarity: 0.12, Note: "1889",
			}},
		}},
		Fired: []string{"grounding"}, Risk: &risk, Recommendation: schemas.Block, Action: schemas.ActionFlag, Alert: true,
		Grounding: &schemas.Grounding{
			Confidence: 0.1, OverallSimilarity: 0.4, UngroundedClaims: 1, Source: "streaming_response",
			UngroundedClaimList: []schemas.Claim{{Start: 10, End: 20, Excerpt: "Paris", Similarity: 0.12}},
		},
		Calibration: "2026-11-20-ab12", WorkerVersion: "v0.1.0", Truncated: true, Sampled: true,
		SampleReason: "medical", SampleProbability: 0.01, IDSource: schemas.IDSourceOffset,
		Attributes: map[string]string{"region": "eu"},
	}
}

func TestFlagRoundTrip(t *testing.T) {
	want := fullFlag()
	want.SourcesFrom, want.Question = schemas.SourcesFromPrompt, "How old is it?"
	want.Checked, want.Unchecked = schemas.CheckedPartial, []string{schemas.UncheckedError, schemas.UncheckedTruncated}
	e := &want.Signals[0].Evidence[0]
	e.SourceNumber, e.SourceExcerpt, e.SourceSays, e.Rule = 2, "opened in 1887", "1887", "figure_changed"
	e.CallID = "call_1"
	want.Signals[0].Statements = []schemas.Statement{
		{End: 9, Text: "It is old.", Verdict: "faithful", Confidence: 0.9},
		{Start: schemas.NoPlace, End: schemas.NoPlace, Text: "It is tall.", Verdict: "unfaithful", Reason: "not in the source"},
	}
	raw, err := AppendFlag([]byte("before "), &want)
	require.NoError(t, err)
	require.Equal(t, "before {", string(raw[:8]))
	require.NotContains(t, string(raw), `\u003c`, "no HTML escapes")
	require.NotContains(t, string(raw), "\n")
	got := schemas.Flag{Tenant: "stale", Attributes: map[string]string{"stale": "x"}}
	require.NoError(t, DecodeFlag(raw[7:], &got))
	require.Empty(t, cmp.Diff(want, got))
}

func TestFlagWithoutAnything(t *testing.T) {
	raw, err := AppendFlag(nil, &schemas.Flag{Grounding: &schemas.Grounding{}})
	require.NoError(t, err)
	require.Contains(t, string(raw), `"signals":[],"fired":[],"risk":null`)
	require.Contains(t, string(raw), `"ungrounded_claims":[]`)
}

func TestFlagNeverHoldsNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f := fullFlag()
	f.Risk, f.SampleProbability = &nan, inf
	f.Grounding.Confidence, f.Grounding.OverallSimilarity, f.Grounding.UngroundedClaimList[0].Similarity = nan, inf, -inf
	f.Signals = []schemas.Signal{
		{
			Detector: "a", Outcome: schemas.Clear, Score: nan, Threshold: inf, Measures: map[string]float64{"z": nan, "n": 3},
			Evidence: []schemas.Evidence{{Similarity: nan, Note: "n"}}, Statements: []schemas.Statement{{Confidence: inf, Text: "s"}},
		},
		{Detector: "b", Outcome: schemas.Fired, Score: inf, Threshold: 0.5},
		{Detector: "c", Outcome: schemas.NotCheckable, Score: nan, Reason: "no sources"},
	}
	raw, err := AppendFlag(nil, &f)
	require.NoError(t, err)
	require.True(t, json.Valid(raw))
	var got schemas.Flag
	require.NoError(t, DecodeFlag(raw, &got))
	require.Nil(t, got.Risk)
	require.Zero(t, got.SampleProbability)
	require.Zero(t, got.Grounding.UngroundedClaimList[0].Similarity)
	require.Empty(t, cmp.Diff([]schemas.Signal{
		{
			Detector: "a", Outcome: schemas.Failed, Reason: "the score is not a number", Measures: map[string]float64{"n": 3},
			Evidence: []schemas.Evidence{{Note: "n"}}, Statements: []schemas.Statement{{Text: "s"}},
		},
		{Detector: "b", Outcome: schemas.Fired, Score: 1, Threshold: 0.5},
		{Detector: "c", Outcome: schemas.NotCheckable, Reason: "no sources"},
	}, got.Signals))
	require.True(t, math.IsNaN(f.Signals[0].Measures["z"]), "the caller's flag is left alone")
	require.True(t, math.IsNaN(f.Signals[0].Evidence[0].Similarity))
}

func TestFlagErrors(t *testing.T) {
	f := fullFlag()
	f.DetectedAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	raw, err := AppendFlag([]byte("kept"), &f)
	require.Error(t, err)
	require.Equal(t, "kept", string(raw))

	for raw, want := range map[string]string{
		``: scan.ReasonSyntax, `[]`: scan.ReasonWrongType, `{"a":1}{}`: scan.ReasonTrailingBytes, `{"tenant":1}`: scan.ReasonWrongType,
		`{"tenant":"a","tenant":"b"}`: scan.ReasonDuplicateKey, `{"signals":[{"score":1e400}]}`: scan.ReasonWrongType,
		`{"detected_at":"yesterday"}`: scan.ReasonOutOfRange, "{\"tenant\":\"\xff\"}": scan.ReasonBadUTF8,
	} {
		require.Equal(t, want, errorReason(t, DecodeFlag([]byte(raw), &f)), raw)
	}
	require.NoError(t, DecodeFlag([]byte(`{"tenant":"a","new_field":{"x":1}}`), &f), "unknown members are ignored")
}

func TestAlertState(t *testing.T) {
	want := schemas.AlertState{
		Status: schemas.AlertSent, Pass: schemas.PassDeep, Attempt: 2, Channel: "C1", Timestamp: "1.2", PossiblyDuplicated: true,
		Until: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
	}
	raw, err := AppendAlertState(nil, &want)
	require.NoError(t, err)
	var got schemas.AlertState
	require.NoError(t, DecodeAlertState(raw, &got))
	require.Empty(t, cmp.Diff(want, got))

	raw, err = AppendAlertState(nil, &schemas.AlertState{Status: schemas.AlertPending})
	require.NoError(t, err)
	require.JSONEq(t, `{"status":"pending"}`, string(raw))
	require.NoError(t, DecodeAlertState([]byte(`{"status":"sent","later":1}`), &got))
	require.Equal(t, schemas.AlertState{Status: schemas.AlertSent}, got)
	require.Equal(t, scan.ReasonWrongType, errorReason(t, DecodeAlertState([]byte(`{"attempt":"x"}`), &got)))
}
