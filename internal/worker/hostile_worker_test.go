package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/hostile"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// TestHostileRecordsThroughTheWorker puts one record of every hostile kind between two ordinary ones: each ordinary record
// has its outcome, each hostile one has one, and the worker continues.
func TestHostileRecordsThroughTheWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := newWorkerHarness(t)
	b.config.Roles = []config.Role{config.RoleDetect, config.RoleAlert}
	stop := b.start()
	quiet, flagged, refused, sent := 0, map[string]bool{}, 0, 0
	for i, k := range hostile.Kinds() {
		size := k.Full / 16
		r := k.Record(size, uint64(i))
		if r.Refused != "" {
			refused++
		}
		bad := fmt.Sprint("bad-", i)
		b.send(t, []byte(fmt.Sprintf(grounded, fmt.Sprint("good-", i))), nil, nil)
		b.send(t, hostileValue(t, &r), r.Key, r.Headers)
		b.send(t, []byte(fmt.Sprintf(ungrounded, bad)), nil, nil)
		quiet, flagged[bad], sent = quiet+1, true, sent+3
		if k.Name == "two values" { // two interactions
			sent++
		}
	}
	outcome := func(name string) int {
		return int(b.metric(t, "confab_events_processed_total", "role", "detect", "outcome", name))
	}
	eventually(t, func() bool {
		return outcome(outcomeFlagged)+outcome(outcomeQuiet)+outcome(consumer.OutcomeDeadLetter) >= sent
	}, time.Minute, 10*time.Millisecond, "every record has an outcome")
	require.Equal(t, sent, outcome(outcomeFlagged)+outcome(outcomeQuiet)+outcome(consumer.OutcomeDeadLetter))
	assert.GreaterOrEqual(t, outcome(outcomeQuiet), quiet)
	assert.GreaterOrEqual(t, outcome(consumer.OutcomeDeadLetter), refused)

	reached := 0
	for _, r := range b.read("llm.incidents", outcome(outcomeFlagged)) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		require.NotContains(t, f.InteractionID, "good-")
		if flagged[f.InteractionID] {
			require.Equal(t, []string{"citation", "facts"}, f.Fired)
			reached++
		}
	}
	require.Len(t, flagged, reached, "flags of ordinary records")
	eventually(t, func() bool {
		return int(b.metric(t, "confab_interactions_total", "role", "alert")) >= outcome(outcomeFlagged)
	}, time.Minute, 10*time.Millisecond, "every flag reaches the alert role")
	require.NoError(t, stop(), "the worker ends when it is told to")
}

// send produces one record with its key and headers.
func (b *workerHarness) send(t *testing.T, value, key []byte, headers []hostile.Header) {
	t.Helper()
	m := kafka.Message{Topic: "llm.interactions", Partition: kafka.AnyPartition, Key: key, Value: value}
	for _, h := range headers {
		m.Headers = append(m.Headers, kafka.Header{Key: h.Key, Value: h.Value})
	}
	require.NoError(t, b.producer.ProduceSync(t.Context(), m))
}
