package records

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// Every field that a map can name is counted.
func TestCoverageKnowsEveryField(t *testing.T) {
	entries := map[string]string{"attributes.k": "/k"}
	for _, f := range json.FieldNames() {
		entries[f] = "/" + f
	}
	c := newCoverage(entries)
	full := schemas.Interaction{
		ID: "i", Tenant: "t", Service: "s", Operation: "o", Provider: "p", Model: "m", OccurredAt: time.Unix(1, 0), TraceID: "t", SpanID: "s",
		ConversationID: "c", Tags: []string{"t"}, Messages: []schemas.Message{{}}, Answer: "a", FinishReason: "f", Streamed: true,
		Sources: []schemas.Source{{}}, ResponseSchema: "r", Attributes: map[string]string{"k": ""}, Logprobs: schemas.Logprobs{Values: []float32{-1}},
	}
	empty := schemas.Interaction{Temperature: schemas.UnknownTemperature}
	c.count(&full)
	c.count(&empty)
	require.Equal(t, 2, c.records)
	for f := range entries {
		require.Equal(t, 1, c.found[f], f)
	}
}

// Names of unknown fields come from the records: few are kept, and none reaches a terminal as it is.
func TestCoverageBoundsNames(t *testing.T) {
	c := newCoverage(nil)
	for i := range 2 * maxUnknownNames {
		c.count(&schemas.Interaction{UnknownNames: []string{fmt.Sprint("x", i), "\x1b[31m", strings.Repeat("é", 100)}})
	}
	require.Len(t, c.unknown, maxUnknownNames)
	lines := c.report()
	require.Equal(t, "fields: interaction_id 0 of 200, answer 0 of 200, sources 0 of 200, messages 0 of 200, model 0 of 200, occurred_at 0 of 200, logprobs 0 of 200", lines[0])
	require.Equal(t, `unknown fields: "\x1b[31m" 200, `+strings.Repeat("é", 20)+`… 200, x0 1, x1 1, x10 1, x11 1, x12 1, x13 1, x14 1, x15 1, and 90 more names`, lines[1])
}
