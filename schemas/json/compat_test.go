package json

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
)

// compatDir holds the records of version 1, the first that is published. A version that adds fields adds records with them.
const compatDir = "../testdata/compat/v1"

// storedRecords is the file's content; one that is missing is made first, when asked for.
func storedRecords(t *testing.T, name string, today func() ([]byte, error)) []byte {
	t.Helper()
	return golden.Keep(t, filepath.Join(compatDir, name), func() ([]byte, error) {
		raw, err := today()
		return append(raw, '\n'), err
	})
}

// requireAllRead fails on a golden that no test reads.
func requireAllRead(t *testing.T, prefix string, read int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(compatDir, prefix+"_*.json"))
	require.NoError(t, err)
	require.Len(t, files, read)
}

func TestCompatInteractions(t *testing.T) {
	nan := float32(math.NaN())
	cases := map[string]schemas.Interaction{
		"interaction_minimal.json": {Temperature: schemas.UnknownTemperature},
		"interaction_prompt.json": {
			ID: "resp_0001", Messages: []schemas.Message{{Role: "user", Content: "When was the Eiffel Tower completed?"}},
			Answer:  "It was completed in 1889 [1].",
			Sources: []schemas.Source{{Text: "The Eiffel Tower was completed in 1889."}}, UnknownFields: 1, UnknownNames: []string{"a_later_field"},
			OccurredAt: time.Date(2026, 11, 21, 10, 0, 0, 123e6, time.UTC), TraceID: "4bf92f3577b34da6a3ce929d0e0e4736",
			Temperature: schemas.UnknownTemperature,
		},
		"interaction_full.json": {
			ID: "resp_0002", Tenant: "acme", Service: "search", Operation: "answer_with_citations", Provider: "openai",
			Model: "gpt-4o-mini-2024-07-18", OccurredAt: time.Date(2026, 11, 21, 9, 0, 0, 123e6, time.UTC),
			TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: "00f067aa0ba902b7", ConversationID: "c-17",
			Tags: []string{"medical", "high-stakes"},
			Messages: []schemas.Message{
				{Role: "system", Content: "Answer from the passages."},
				{Role: "user", Content: "What is in\nthe picture?"},
				{Role: "assistant"},
			},
			Answer: "A café 😀 [a].", FinishReason: "stop", Streamed: true, Temperature: 0.2,
			Sources:        []schemas.Source{{ID: "a", Text: "A café.", URI: "doc://a", Score: 0.75}, {Text: "loose text"}},
			ResponseSchema: `{"type":"string"}`,
			Attributes:     map[string]string{"region": "eu", "attempt": "2", "beta": "true"},
			Logprobs:       schemas.Logprobs{TopK: 2, Values: []float32{-0.5, -0.5, -1.25, -100, nan, nan}, Offsets: []int32{0, 1}},
		},
		"interaction_packed.json": {
			ID: "resp_0003", Answer: "ab", Sources: []schemas.Source{{ID: "z", Text: "first"}, {ID: "a", Text: "second"}},
			Logprobs:    schemas.Logprobs{TopK: 1, Values: []float32{-0.5, -1.25, -1, nan}},
			Temperature: schemas.UnknownTemperature,
		},
	}
	requireAllRead(t, "interaction", len(cases))
	d := NewDecoder(Options{})
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(compatDir, name))
			require.NoError(t, err)
			var got schemas.Interaction
			require.NoError(t, d.Decode(raw, &got))
			require.Empty(t, cmp.Diff(want, got, requireEqual()))
			requireOracle(t, raw)
			requireRoundTrip(t, &got)
		})
	}
}

func TestCompatFlags(t *testing.T) {
	full := fullFlag()
	full.IncidentID = "5a2d1f0c4e6b7a8990a1b2c3d4e5f60718293a4b5c6d7e8f9001122334455667"
	deep := full
	deep.Pass, deep.Sampled, deep.Alert = schemas.PassDeep, true, false
	deep.Signals = []schemas.Signal{
		{Detector: "schema", Outcome: schemas.NotCheckable, Reason: "no schema"},
		{Detector: "confidence", Outcome: schemas.Skipped, Score: 0.4, Type: schemas.Confidence, Measures: map[string]float64{"z": -1.5}},
		{Detector: "citation", Outcome: schemas.Failed, Reason: "panic"},
		{Detector: "grounding", Outcome: schemas.Clear, Score: 0.1, Threshold: 0.62, Type: schemas.Factual},
	}
	deep.Fired, deep.Recommendation, deep.Action = []string{}, schemas.Allow, schemas.ActionLog
	cases := map[string]schemas.Flag{
		"flag_fast.json":       full,
		"flag_deep_quiet.json": deep,
		"flag_least.json": {
			IncidentID: full.IncidentID, Pass: schemas.PassFast, Signals: []schemas.Signal{}, Fired: []string{},
			Recommendation: schemas.Recommend, Origin: schemas.Origin{Topic: "file", Offset: 1},
		},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			raw := storedRecords(t, name, func() ([]byte, error) { return AppendFlag(nil, &want) })
			var got schemas.Flag
			require.NoError(t, DecodeFlag(raw, &got))
			require.Empty(t, cmp.Diff(want, got))
		})
	}
	requireAllRead(t, "flag", len(cases))
}

func TestCompatAlertStates(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	labels := schemas.AlertGroupLabels{
		Tenant: "acme", Service: "search", Operation: "answer", Provider: "openai", Model: "gpt-4o", Detectors: []string{"citation", "facts"},
	}
	lead := fullFlag()
	said := schemas.Feedback{IncidentID: lead.IncidentID, Verdict: schemas.Wrong, User: "U024BE7LH", Source: "slack", At: at}
	cases := map[string]schemas.AlertState{
		"alert_state_pending.json": {Status: schemas.AlertPending, Attempt: 1, UpdatedAt: at, Group: &schemas.AlertGroupState{
			Labels: labels, Severity: schemas.SeverityHigh, Generation: at.UnixMilli(), Members: 1, First: at, Last: at, Lead: &lead,
			PreviousMessage: "fedcba9876543210fedcba9876543210",
		}},
		"alert_state_group.json": {
			Status: schemas.AlertSent, Attempt: 2, Channel: "C0123", Timestamp: "1795255200.000100", PossiblyDuplicated: true, UpdatedAt: at,
			Group: &schemas.AlertGroupState{
				Labels: labels, Severity: schemas.SeverityNormal, Generation: at.UnixMilli(), Message: "0123456789abcdef0123456789abcdef",
				Kind: schemas.AlertDigest, Cause: schemas.DigestThrottled, SentAt: at, Changed: true,
				Members: 9, CountOffset: 2, DisplayedCount: 7, First: at, Last: at.Add(time.Minute), Models: []string{"gpt-4o", "gpt-4o-mini"},
				Lead: &lead, Top: []schemas.Flag{lead}, Feedback: []schemas.Feedback{said},
			},
		},
		"alert_state_member.json": {
			Status: schemas.AlertSent, Pass: schemas.PassDeep, UpdatedAt: at,
			Member: &schemas.AlertMember{Group: "0123456789abcdef0123456789abcdef", Ordinal: 3, Generation: at.UnixMilli(), At: at},
		},
		"alert_state_labelled.json": {
			Status: schemas.AlertLabelled, Pass: schemas.PassFast, UpdatedAt: at,
			Member: &schemas.AlertMember{Group: "0123456789abcdef0123456789abcdef", Ordinal: 1, Generation: at.UnixMilli(), At: at},
		},
		"alert_state_silence.json": {
			Status: schemas.AlertSilence, Until: at.Add(time.Hour), UpdatedAt: at,
			Silence: &schemas.Silence{ID: "s-1", Matchers: labels, User: "U024BE7LH", From: at, Until: at.Add(time.Hour)},
		},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			raw := storedRecords(t, name, func() ([]byte, error) { return AppendAlertState(nil, &want) })
			var got schemas.AlertState
			require.NoError(t, DecodeAlertState(raw, &got))
			require.Empty(t, cmp.Diff(want, got))
		})
	}
	requireAllRead(t, "alert_state", len(cases))
}

func TestCompatFeedback(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	cases := map[string]schemas.Feedback{
		"feedback_click.json": {
			IncidentID: fullFlag().IncidentID, Verdict: schemas.Wrong, Detectors: []string{"citation", "facts"},
			User: "U024BE7LH", Source: schemas.FromSlack, At: at,
		},
		"feedback_command.json": {
			IncidentID: fullFlag().IncidentID, Verdict: schemas.Fine, User: "oncall", Source: schemas.FromCLI, At: at,
			Comment: "the source says so two lines below",
		},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			raw := storedRecords(t, name, func() ([]byte, error) { return AppendFeedback(nil, &want) })
			var got schemas.Feedback
			require.NoError(t, DecodeFeedback(raw, &got))
			require.Empty(t, cmp.Diff(want, got))
		})
	}
	requireAllRead(t, "feedback", len(cases))
}
