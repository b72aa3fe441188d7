package budget_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
	"confab/internal/kafka/embedded"
	"confab/sampling/budget"
)

// openLogs opens the budget log on a cluster.
func openLogs(t testing.TB, c *embedded.Cluster) func(context.Context, int32) (budget.Log, error) {
	t.Helper()
	log := compacted.FencedLog{Config: kafka.Config{SeedBrokers: c.Seeds()}, Topic: "llm.budget"}
	return func(ctx context.Context, p int32) (budget.Log, error) { return log.Own(ctx, p) }
}

// TestBudgetOnKafka repeats TestAZombieReservesNothing with Kafka transactions.
func TestBudgetOnKafka(t *testing.T) {
	c, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.CreateTopic("llm.budget", 1, map[string]string{"cleanup.policy": "compact"}))
	r := newLedgerTest(t)
	r.opts.Open = openLogs(t, c)

	zombie := r.process()
	r.granted(zombie, "a", 500).ReportUsage(100)
	heir := r.process()
	r.granted(heir, "a", 100)
	r.granted(zombie, "a", 400) // what a call left
	require.ErrorIs(t, r.fails(zombie, "a", 1), compacted.ErrFenced)
	zombie.Release(t.Context(), 0)

	r.granted(heir, "b", 7000)
	r.granted(heir, "b", 400).ReportUsage(0)
	heir.Close(t.Context()) // returns them
	r.clock.move(time.Second)
	last := r.process()
	t.Cleanup(func() { last.Close(context.WithoutCancel(t.Context())) })
	r.granted(last, "b", 400)
	r.refused(last, "b", 1, budget.RefusedTotal)
}
