package records

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// Every field that a map can name is counted.
func TestFieldCountsKnowEveryField(t *testing.T) {
	entries := map[string]string{"attributes.k": "/k"}
	for _, f := range json.FieldNames() {
		entries[f] = "/" + f
	}
	c := newFieldCounts(entries)
	full := schemas.Interaction{
		ID: "i", Tenant: "t", Service: "s", Operation: "o", Provider: "p", Model: "m", OccurredAt: time.Unix(1, 0), TraceID: "t", SpanID: "s",
		ConversationID: "c", Tags: []string{"t"}, Messages: []schemas.Message{{}}, Answer: "a", FinishReason: "f", Streamed: true,
		Sources: []schemas.Source{{}}, Tools: []schemas.Tool{{}}, Calls: []schemas.ToolCall{{}}, ResponseSchema: "r", Attributes: map[string]string{"k": ""}, Logprobs: schemas.Logprobs{Values: []float32{-1}},
		UserFeedback: schemas.ThumbUp, UserFeedbackBy: "u",
	}
	empty := schemas.Interaction{Temperature: schemas.UnknownTemperature}
	c.count(&full)
	c.count(&empty)
	require.Equal(t, 2, c.records)
	for f := range entries {
		require.Equal(t, 1, c.found[f], f)
	}
}

// Without a map the fields are reported that most detectors need.
func TestFieldCountsReport(t *testing.T) {
	c := newFieldCounts(nil)
	c.count(&schemas.Interaction{ID: "i", Answer: "a"})
	c.count(&schemas.Interaction{Answer: "a", Sources: []schemas.Source{{}}})
	require.Equal(t, "fields: interaction_id 1 of 2, answer 2 of 2, sources 1 of 2, messages 0 of 2, model 0 of 2, occurred_at 0 of 2, logprobs 0 of 2", c.report())
}
