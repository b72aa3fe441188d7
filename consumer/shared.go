package consumer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// member is what both loops are made of: one member of a consumer group, with its assignments P.
type member[T any, P holder] struct {
	opts        Options[T]
	metrics     *Metrics // of the role
	batches     *batchOptions[T]
	slots       processorSlots
	id          string // unique among all loops of the group, past and present
	logThrottle Throttle[string]
	owned       ownedSet[P]

	started atomic.Bool
	stop    context.CancelCauseFunc // ends polling; set by Run

	known          map[string]int32    // partitions by topic at the start, 0 if the group had commits; read-only afterwards
	ids            map[string][16]byte // topic ids at the start
	lookupThrottle Throttle[string]    // limits lookups of topic ids
	watch          watch
}

// prepare sets the options, which Prepare has completed.
func (m *member[T, P]) prepare(opts Options[T]) {
	m.opts, m.metrics, m.slots, m.id = opts, opts.forRole(), newSlots(opts.Workers), rand.Text()
	m.batches = &batchOptions[T]{
		Options: &m.opts, role: m.metrics, panics: Throttle[string]{Every: logEvery},
		letters: newLetterLog(letterOptions{Every: logEvery, Now: time.Now, Remedy: opts.Remedy, DryRun: opts.DryRun, Logger: opts.Logger}),
	}
	m.logThrottle.Every, m.lookupThrottle.Every = logEvery, startRetry
}

// begin is the start of Run: it waits until a broker answers, and returns the context of polling. proceed is false if Run is to
// return.
func (m *member[T, P]) begin(ctx context.Context) (polling context.Context, proceed bool, err error) {
	if !m.started.CompareAndSwap(false, true) {
		return nil, false, fmt.Errorf("consumer %s: run a second time", m.opts.Role)
	}
	if err := m.AwaitTopics(ctx); err != nil || ctx.Err() != nil {
		return nil, false, err
	}
	polling, m.stop = context.WithCancelCause(ctx)
	return polling, true, nil
}

// failure returns the error that ended polling; nil if ctx did.
func (m *member[T, P]) failure(ctx, polling context.Context) error {
	if cause := context.Cause(polling); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		return fmt.Errorf("consumer %s: %w", m.opts.Role, cause)
	}
	return nil
}

// fail ends the loop; the first error wins.
func (m *member[T, P]) fail(err error) { m.stop(err) }

// Ready reports whether the loop has joined its group and is not shutting down.
func (m *member[T, P]) Ready() bool { return m.owned.Ready() }

// Progress returns the record that a codec or handler has worked on for longest.
func (m *member[T, P]) Progress() Progress { return m.owned.Progress() }

// MemberOptions are the client options of a group member, without callbacks.
func (o *Options[T]) MemberOptions() []kgo.Opt {
	start := kgo.NewOffset().AtStart()
	if o.StartOffset == StartLatest {
		start = kgo.NewOffset().AtEnd()
	}
	opts := []kgo.Opt{
		kgo.ConsumerGroup(o.Group),
		kgo.ConsumeTopics(o.Topics...),
		kgo.ConsumeStartOffset(start),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.BlockRebalanceOnPoll(),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(o.SessionTimeout),
		kgo.RebalanceTimeout(o.RebalanceTimeout),
		kgo.HeartbeatInterval(o.Heartbeat),
	}
	if o.ServerSide {
		opts = append(opts, kgo.ServerSideBalancer())
	}
	if o.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(o.InstanceID))
	}
	return opts
}

// GuardOptions are those of the crash guard; owner is unique among all loops of the group, past and present.
func (o *Options[T]) GuardOptions(owner string) guardOptions {
	gone := min(o.SessionTimeout, o.RebalanceTimeout) // when the group removes a silent member
	return guardOptions{
		Owner: owner, Instance: o.InstanceID, Deaths: o.crashDeaths(), Waits: o.HandlerWaits,
		Expiry: max(gone/2, gone-2*o.Heartbeat), // a member may die just before its next heartbeat
	}
}

// crashDeaths returns CrashDeaths; a dry run has no guard, since it commits nothing.
func (o *Options[T]) crashDeaths() int {
	if o.DryRun {
		return 0
	}
	return o.CrashDeaths
}
