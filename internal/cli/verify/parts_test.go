package verify_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/cli/verify"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/config"
	"confab/internal/worker/livetest"
)

// span is a chat span with an output as JSON.
func span(id int, output string) string {
	attribute := func(key, value string) string {
		return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
	}
	return fmt.Sprintf(`{"traceId":"000000000000000000000000000000aa","spanId":"00000000000000%02d","name":"chat","startTimeUnixNano":"1700000000000000000","endTimeUnixNano":"1700000001000000000","attributes":[%s,%s]}`,
		id, attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.output.messages", output))
}

// Of a record with several spans each has an outcome of its own: a flag, nothing, or a dead letter of it alone.
func TestPartsOfRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	s := livetest.New(t, func(c *config.Config) { c.Kafka.Inputs[0].Format, c.Emit = config.FormatOTLPJSON, config.EmitAll })
	whole := `[{"role":"assistant","parts":[{"type":"text","content":"Parcels leave on Monday."}]}]`
	s.Produce(t, 0, `{"resourceSpans":[{"scopeSpans":[{"spans":[`+span(1, whole)+","+span(2, whole[:20])+","+span(3, whole)+`]}]}]}`)
	s.Run(t)
	counts := verify.Result{Offsets: 1, Flagged: 2, DeadLetters: 1}
	requireAudit(t, s, counts)
	rewrite(t, s, "llm.interactions.dlq", func(r *kafka.FetchedRecord) bool {
		require.Equal(t, 1, deadletter.Describe(r.Headers).Index)
		return false
	})
	counts.DeadLetters, counts.Lost = 0, 1
	r := requireAudit(t, s, counts)
	require.Equal(t, 1, r.Examples[0].Index)
	require.Equal(t, "it cannot be decoded (bad_answer), and has no dead letter", r.Examples[0].Why)
}

// A flag that does not fit its topic is a dead letter of its interaction.
func TestUnwritableFlags(t *testing.T) {
	s := livetest.New(t, nil)
	require.NoError(t, s.DeleteTopic("llm.incidents"))
	require.NoError(t, s.CreateTopic("llm.incidents", 3, map[string]string{"max.message.bytes": "300"}))
	s.Produce(t, 0, fmt.Sprintf(livetest.Ungrounded, "bad"), fmt.Sprintf(livetest.Grounded, "good"))
	s.Run(t)
	requireAudit(t, s, verify.Result{Offsets: 2, Quiet: 1, DeadLetters: 1})
	letters := s.Read(t, "llm.interactions.dlq")
	require.Equal(t, "publish", deadletter.Describe(letters[0].Headers).Stage)
}
