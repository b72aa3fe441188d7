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

	"golang.org/x/time/rate"

	"confab/alerting"
	"confab/schemas"
)

// Options configure a Dispatcher. Notifier, Sink, Metrics, Logger and Partitions are required.
type Options struct {
	Notifier alerting.Notifier // edits when it is an Editor
	Sink     string            // the notifier's name, a metric label
	Metrics  *Metrics
	Logger   *slog.Logger

	// Policy routes alerts and holds them back. nil: all alerts at once, in the sink's own channel.
	Policy *alerting.Policy
	// Groups configures grouping. Zero values mean DefaultGroupOptions.
	Groups GroupOptions
	// Tenants that the configuration names, in addition to those of Policy. Each has its own limits and digests.
	Tenants []string
	// Partitions of llm.incidents, in all processes.
	Partitions int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// Jitter gives numbers in [0, 1). Default: a random source.
	Jitter func() float64
}

// Dispatcher turns a stream of repeated, reordered flags into messages. Add makes an incident's membership in its group
// durable and returns; Run delivers from that state. It is safe for concurrent use.
type Dispatcher struct {
	Options

	mu      sync.Mutex // held by locked only; the log and the sink are called without it
	store   *store
	planner *planner
}

// New makes a dispatcher.
func New(opts Options) *Dispatcher {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Jitter == nil {
		opts.Jitter = mathrand.Float64
	}
	if opts.Metrics != nil {
		opts.Metrics.sent.WithLabelValues(opts.Sink)
	}
	d := &Dispatcher{Options: opts}
	_, edits := opts.Notifier.(alerting.Editor)
	d.store = newStore(storeOptions{
		policy: opts.Policy, groups: opts.Groups, tenants: opts.Tenants, partitions: opts.Partitions,
		edits: edits, newID: randomID,
	})
	d.planner = &planner{store: d.store, limiters: make(map[limiterKey]*rate.Limiter)}
	opts.Metrics.totals.Store(new(d.totals))
	return d
}

// randomID makes a message id: 32 hexadecimal digits.
func randomID() string {
	var id [idBytes]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// locked runs f with the lock on the store and the planner held.
func (d *Dispatcher) locked(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// Assign adds partitions to this process, together: a message with parts in some of them only is not edited. It does not block.
// Delivery waits until they are loaded.
func (d *Dispatcher) Assign(partitions ...int32) {
	d.locked(func() {
		for _, p := range partitions {
			d.store.revoke(p) // an earlier assignment without an end
			d.store.assign(p)
		}
	})
}

// Revoke removes partitions from this process, together: a message that loses some of its parts is split. It does not block.
func (d *Dispatcher) Revoke(partitions ...int32) {
	d.locked(func() {
		for _, p := range partitions {
			d.store.revoke(p)
		}
		d.store.notifyAll()
	})
}

// Load reads the records of a partition in the order of the log, including superseded and deleted ones that are still there.
// The caller calls it once after each Assign. It ignores a partition that was revoked meanwhile.
func (d *Dispatcher) Load(ctx context.Context, partition int32, log alerting.StateLog, records iter.Seq2[alerting.StateEntry, error]) error {
	p := d.partition(partition)
	if p == nil {
		return nil
	}
	snap, err := readSnapshot(records, d.Now())
	if err != nil {
		return fmt.Errorf("load alert state: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("load alert state: %w", err)
	}
	var labels []schemas.Feedback // that came before the partition
	d.locked(func() {
		if p.isRevoked() || p.isLoaded() {
			return
		}
		labels = d.store.load(p, snap, log, d.Now())
		d.store.notifyAll()
	})
	for _, label := range labels {
		if err := d.labelPartition(ctx, p, label); err != nil {
			return fmt.Errorf("load alert state: %w", err)
		}
	}
	return nil
}

// Label applies a person's verdict on an incident. Repeated labels and unknown incidents change nothing. A mark that the
// incident is forgotten removes its texts.
func (d *Dispatcher) Label(ctx context.Context, label schemas.Feedback) error {
	mark, ok := trimMark(&label)
	if ok {
		label = mark
	} else if label, ok = TrimFeedback(label); !ok {
		return nil
	}
	var loaded []*partition
	d.locked(func() { loaded = d.store.addFeedback(label) })
	for _, p := range loaded {
		if err := d.labelPartition(ctx, p, label); err != nil {
			return fmt.Errorf("label incident: %w", err)
		}
	}
	return nil
}

// Silence applies a new or changed silence.
func (d *Dispatcher) Silence(s schemas.Silence) {
	inForce := false
	d.locked(func() {
		inForce = d.store.setSilence(s, d.Now())
		d.store.notifyAll() // it may hold messages back or release them
	})
	if !inForce {
		d.Logger.Warn("silence is not in force: there are too many; remove some with confab silence --expire", slog.String("silence", s.ID), slog.Int("max", maxSilences))
	}
}

func (d *Dispatcher) partition(number int32) (p *partition) {
	d.locked(func() { p = d.store.partitions[number] })
	return p
}

func (d *Dispatcher) totals() (t totals) {
	d.locked(func() { t = d.store.totals(d.Now()) })
	return t
}
