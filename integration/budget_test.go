//go:build integration

package integration_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
	"confab/sampling/budget"
)

const (
	topicBudget = "llm.budget"
	budgetLimit = 6000
	budgetAsk   = 100
)

// TestBudgetOwners checks the fencing of the budget log on real brokers: of two processes that both consider themselves
// the owner of a partition only one can reserve, the latest, and the limit holds.
func TestBudgetOwners(t *testing.T) {
	c := startCluster(t, integration.ClusterOptions{})
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	compact := "compact"
	created, err := kadm.NewClient(cl).CreateTopics(t.Context(), 2, 3, map[string]*string{"cleanup.policy": &compact}, topicBudget)
	require.NoError(t, err)
	require.NoError(t, created.Error())
	step := stopwatch(t)

	t.Run("one after the other", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		const partition = 0
		first, heir := newOwner(t, c), newOwner(t, c)
		first.Assign(partition)
		require.NoError(t, first.reserve(ctx, partition))
		heir.Assign(partition)
		require.NoError(t, heir.reserve(ctx, partition))
		require.ErrorIs(t, first.reserve(ctx, partition), compacted.ErrFenced)
		require.NoError(t, heir.reserve(ctx, partition), "the other one is not disturbed")
		require.Equal(t, []int64{1, 2}, []int64{first.granted.Load(), heir.granted.Load()})
		step("one after the other")
	})

	t.Run("at once", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		const partition = 1
		owners := []*processOwner{newOwner(t, c), newOwner(t, c)}
		var wg sync.WaitGroup
		for _, o := range owners {
			o.Assign(partition)
			wg.Go(func() { o.reserveAll(ctx, partition) })
		}
		wg.Wait()
		step("at once")
		require.NoError(t, ctx.Err())
		var granted, fenced, unknown int64
		for _, o := range owners {
			granted += o.granted.Load() * budgetAsk
			fenced += o.fenced.Load()
			unknown += o.unknown.Load()
			require.NoError(t, o.failure)
		}
		t.Logf("%d of %d tokens granted to two owners, who shut each other out %d times; %d commits of unknown end", granted, budgetLimit/2, fenced, unknown)
		require.Positive(t, fenced, "they did not meet")
		require.LessOrEqual(t, granted, int64(budgetLimit/2))
		last := newOwner(t, c)
		last.Assign(partition)
		require.ErrorIs(t, last.reserve(ctx, partition), errRefused, "the limit is in the log")
	})
}

// processOwner is a process that takes itself for the owner of a partition. Its clock goes on by what it is to wait.
type processOwner struct {
	*budget.Ledger
	clock           atomic.Int64
	granted, fenced atomic.Int64
	unknown         atomic.Int64 // commits of unknown result
	failure         error
}

func newOwner(t *testing.T, c *integration.Cluster) *processOwner {
	t.Helper()
	log := compacted.FencedLog{Config: kafka.Config{SeedBrokers: c.Seeds()}, Topic: topicBudget}
	o := &processOwner{}
	o.Ledger = budget.NewLedger(budget.LedgerOptions{
		Budget:     budget.Options{Window: 8784 * time.Hour, TokensPerWindow: budgetLimit},
		Partitions: 2, Now: func() time.Time { return time.Unix(1_790_000_000+o.clock.Load(), 0) },
		Open: func(ctx context.Context, p int32) (budget.Log, error) { return log.Own(ctx, p) },
	})
	t.Cleanup(func() { o.Close(context.WithoutCancel(t.Context())) })
	return o
}

var errRefused = errors.New("the limit is reached")

func (o *processOwner) reserve(ctx context.Context, partition int32) error {
	grant, err := o.Reserve(ctx, "default", partition, budgetAsk)
	switch {
	case err != nil:
		return err
	case !grant.OK:
		return errRefused
	}
	o.granted.Add(1)
	return nil
}

// reserveAll reserves until the limit is reached, and takes the partition back whenever it was fenced. Brokers may answer
// a commit that races with another owner's start with UNKNOWN_SERVER_ERROR (seen on 4.3): a write of unknown result
// grants nothing either, and the log is read again before the next.
func (o *processOwner) reserveAll(ctx context.Context, partition int32) {
	for ctx.Err() == nil {
		err := o.reserve(ctx, partition)
		switch {
		case errors.Is(err, errRefused):
			return
		case errors.Is(err, compacted.ErrFenced):
			o.fenced.Add(1)
			o.clock.Add(6)
		case errors.Is(err, kerr.UnknownServerError):
			o.unknown.Add(1)
			o.clock.Add(6)
		case err != nil:
			o.failure = err
			return
		}
	}
}
