package json

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func TestFeedback(t *testing.T) {
	want := schemas.Feedback{
		IncidentID: "in", Verdict: schemas.Fine, Detectors: []string{"citation", "facts"}, User: "U1",
		Source: schemas.FromSlack, At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Comment: "<fine>",
	}
	raw, err := AppendFeedback(nil, &want)
	require.NoError(t, err)
	require.JSONEq(t, `{"incident_id":"in","verdict":"fine","detectors":["citation","facts"],"user":"U1",
		"source":"slack","at":"2026-11-21T09:00:00Z","comment":"<fine>"}`, string(raw))
	var got schemas.Feedback
	require.NoError(t, DecodeFeedback(raw, &got))
	require.Equal(t, want, got)
	for word, verdict := range map[string]schemas.HumanVerdict{"confirmed": schemas.Wrong, "false_positive": schemas.Fine, "Wrong": schemas.Wrong, "other": "other"} {
		require.NoError(t, DecodeFeedback([]byte(`{"verdict":"`+word+`"}`), &got))
		require.Equal(t, verdict, got.Verdict)
	}
	require.Equal(t, scan.ReasonWrongType, errorReason(t, DecodeFeedback([]byte(`{"user":1}`), &got)))
}
