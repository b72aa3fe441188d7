package dispatch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"iter"
	"log/slog"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"confab/alerting"
	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// Options configure a Dispatcher. Notifier, Sink, Metrics, Logger and Partitions are required.
type Options struct {
	Notifier alerting.Notifier // edits when it is an Editor, adds details when it is a Replier
	Sink     string            // the notifier's name, a metric label
	Metrics  *Metrics
	Logger   *slog.Logger

	// Policy says who hears of what, where and when. nil: everything at once, in the sink's own channel.
	Policy *alerting.Policy
	// Groups say how incidents become messages. What is zero has the default of DefaultGroupOptions.
	Groups state.GroupOptions
	// Tenants that the configuration names, beside those of Policy. Each has a share of the state of its own.
	Tenants []string
	// Partitions of llm.incidents, of this process or of others.
	Partitions int
	// Threads adds the details of an incident below its message, if the sink is a Replier.
	Threads bool
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Jitter gives numbers in [0, 1). Default: a random source.
	Jitter func() float64
}

// Dispatcher turns a stream of repeated, reordered flags into messages. Taking in is apart from telling: Join makes an
// incident's membership in its group durable and returns, Run tells from that state. It is safe for concurrent use.
type Dispatcher struct {
	Options
	replier alerting.Replier // nil without threads

	mu         sync.Mutex
	store      *state.Store
	planner    *planner
	lastLogged time.Time // when a failure was last logged
}

// New makes a dispatcher.
func New(opts Options) *Dispatcher {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Jitter == nil {
		opts.Jitter = mathrand.Float64
	}
	d := &Dispatcher{Options: opts}
	if opts.Threads {
		d.replier, _ = opts.Notifier.(alerting.Replier)
	}
	_, edits := opts.Notifier.(alerting.Editor)
	d.store = state.New(state.Options{
		Policy: opts.Policy, Groups: opts.Groups, Tenants: opts.Tenants, Partitions: opts.Partitions,
		Edits: edits, Replies: d.replier != nil, NewID: randomID,
	})
	d.planner = newPlanner(d.store)
	opts.Metrics.setTotals(d.totals)
	return d
}

// randomID names a message: 32 hexadecimal digits.
func randomID() string {
	var id [alertlog.IDBytes]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// Assign says that the partition belongs to this process. Nothing is told before it is loaded. It does not wait.
func (d *Dispatcher) Assign(partition int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.Revoke(partition) // of an earlier assignment that nobody ended
	d.store.Assign(partition)
}

// Revoke says that the partition no longer belongs to this process. It does not wait.
func (d *Dispatcher) Revoke(partition int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.Revoke(partition)
	d.store.NotifyAll()
}

// Load takes over what the partition holds: its records in the order of the log, superseded and deleted ones included where
// they are still there. It is called once after each Assign. Of a partition that was revoked meanwhile nothing is taken.
// Memory stays within the partition's share of the limits: of the groups beyond it only counts are kept, which become part of
// a digest, and their records are deleted.
func (d *Dispatcher) Load(ctx context.Context, partition int32, log alertlog.Log, records iter.Seq2[alertlog.Entry, error]) error {
	s := d.partition(partition)
	if s == nil {
		return nil
	}
	h := alertlog.Snapshot{Limit: d.partitionLimit, Pool: d.store.ConfiguredPool, OldestMember: d.Now().Add(-alertlog.MaxMemberAge)}
	if err := h.Read(records); err != nil {
		return fmt.Errorf("load alert state: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("load what was told: %w", err)
	}
	d.mu.Lock()
	if s.Revoked() || s.Loaded() {
		d.mu.Unlock()
		return nil
	}
	said := d.store.Load(s, &h, log, d.Now())
	d.store.NotifyAll()
	d.mu.Unlock()
	for _, label := range said { // those that came before the partition
		if err := d.labelPartition(ctx, s, label); err != nil {
			return fmt.Errorf("load what was told: %w", err)
		}
	}
	return nil
}

// Label takes note of what a person said about an incident. It is harmless when repeated, or when nothing is known of the
// incident.
func (d *Dispatcher) Label(ctx context.Context, label schemas.Feedback) error {
	label, ok := alertlog.TrimFeedback(label)
	if !ok {
		return nil
	}
	d.mu.Lock()
	loaded := d.store.AddFeedback(label)
	d.mu.Unlock()
	for _, s := range loaded {
		if err := d.labelPartition(ctx, s, label); err != nil {
			return fmt.Errorf("label incident: %w", err)
		}
	}
	return nil
}

// Silence takes note of a silence, new or changed.
func (d *Dispatcher) Silence(s schemas.Silence) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store.SetSilence(s, d.Now())
	d.store.NotifyAll() // what was held may be due, and the other way round
}

// partitionLimit is what a partition may take of the state.
func (d *Dispatcher) partitionLimit() alertlog.Size {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store.PartitionLimit()
}

func (d *Dispatcher) partition(partition int32) *state.Partition {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store.Partitions[partition]
}

// totals are how much waits.
func (d *Dispatcher) totals() state.Totals {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store.Totals(d.Now())
}
