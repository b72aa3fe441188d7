package budget_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/sampling/budget"
)

var (
	errFenced = errors.New("fenced")
	errDown   = errors.New("down")
)

// fakeTopic is the budget log of all partitions, with fencing and injected failures.
type fakeTopic struct {
	mu      sync.Mutex
	values  map[int32]map[string][]byte
	epoch   map[int32]int
	opens   int
	appends int
	closed  int
	fail    func() (before, after error) // called by the next write; may be nil
	during  func()                       // called in every write
}

func newFakeTopic() *fakeTopic {
	return &fakeTopic{values: make(map[int32]map[string][]byte), epoch: make(map[int32]int)}
}

func (b *fakeTopic) open(_ context.Context, p int32) (budget.Log, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opens++
	b.epoch[p]++
	if b.values[p] == nil {
		b.values[p] = make(map[string][]byte)
	}
	return &fakeLog{b, p, b.epoch[p], maps.Clone(b.values[p])}, nil
}

type fakeLog struct {
	topic *fakeTopic
	p     int32
	epoch int
	last  map[string][]byte
}

func (l *fakeLog) Last() map[string][]byte { return l.last }

func (l *fakeLog) Append(_ context.Context, values map[string][]byte) error {
	b := l.topic
	b.mu.Lock()
	defer b.mu.Unlock()
	var before, after error
	if b.fail != nil {
		before, after = b.fail()
	}
	if b.during != nil {
		b.during()
	}
	switch {
	case b.epoch[l.p] != l.epoch:
		return errFenced
	case before != nil:
		return before
	}
	b.appends++
	for k, v := range values {
		if v == nil {
			delete(b.values[l.p], k)
		} else {
			b.values[l.p][k] = v
		}
	}
	return after
}

func (l *fakeLog) Close() {
	l.topic.mu.Lock()
	defer l.topic.mu.Unlock()
	l.topic.closed++
}

// testClock is set by the test.
type testClock struct {
	mu  sync.Mutex
	now time.Time
}

func newTestClock() *testClock {
	return &testClock{now: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)}
}

func (c *testClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *testClock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// ledgerTest starts ledgers on one topic and one clock.
type ledgerTest struct {
	t     testing.TB
	topic *fakeTopic
	clock *testClock
	opts  budget.LedgerOptions
}

func newLedgerTest(t testing.TB) *ledgerTest {
	r := &ledgerTest{t: t, topic: newFakeTopic(), clock: newTestClock()}
	r.opts = budget.LedgerOptions{
		Budget:     budget.Options{Window: 24 * time.Hour, TokensPerWindow: 8000},
		Partitions: 1, Open: r.topic.open, Now: r.clock.Now,
	}
	return r
}

// process starts a ledger that owns partition 0.
func (r *ledgerTest) process() *budget.Ledger {
	r.t.Helper()
	l := budget.NewLedger(r.opts)
	l.Assign(0)
	return l
}

func (r *ledgerTest) granted(l *budget.Ledger, tenant string, tokens int64) budget.Grant {
	r.t.Helper()
	g, err := l.Reserve(r.t.Context(), tenant, 0, tokens)
	require.NoError(r.t, err)
	require.True(r.t, g.OK, g.Refusal)
	return g
}

func (r *ledgerTest) refused(l *budget.Ledger, tenant string, tokens int64, why budget.Refusal) {
	r.t.Helper()
	g, err := l.Reserve(r.t.Context(), tenant, 0, tokens)
	require.NoError(r.t, err)
	require.False(r.t, g.OK)
	require.Equal(r.t, why, g.Refusal)
	g.ReportUsage(1) // no effect
}

func (r *ledgerTest) fails(l *budget.Ledger, tenant string, tokens int64) error {
	r.t.Helper()
	g, err := l.Reserve(r.t.Context(), tenant, 0, tokens)
	require.Error(r.t, err)
	require.False(r.t, g.OK)
	return err
}

// records returns the budget log of partition 0.
func (r *ledgerTest) records() map[string]string {
	r.topic.mu.Lock()
	defer r.topic.mu.Unlock()
	out := make(map[string]string)
	for k, v := range r.topic.values[0] {
		out[k] = string(v)
	}
	return out
}
