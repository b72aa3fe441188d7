package alerting

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"confab/schemas"
)

// Log is one partition of what is durably known about alerts. It succeeds [State], whose Put knows one key only.
type Log interface {
	// Get is the last known state under the key.
	Get(key string) (schemas.AlertState, bool)
	// Put returns nil once all entries survive this process, in this order; Get answers them from then on.
	Put(ctx context.Context, entries ...Entry) error
}

// Entry is a record of a [Log].
type Entry struct {
	Key   string
	State *schemas.AlertState // nil deletes the key
}

// DispatcherOptions configure a Dispatcher. Notifier, Sink, Metrics, Logger and Partitions are required.
type DispatcherOptions struct {
	Notifier Notifier // edits when it is an Editor, adds details when it is a Replier
	Sink     string   // the notifier's name, a metric label
	Metrics  *Metrics
	Logger   *slog.Logger

	// Policy says who hears of what, where and when. nil: everything at once, in the sink's own channel.
	Policy *Policy
	// Groups say how incidents become messages. What is zero has the default of DefaultGroupOptions.
	Groups GroupOptions
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
	DispatcherOptions
}

// NewDispatcher makes a dispatcher.
func NewDispatcher(opts DispatcherOptions) *Dispatcher { return &Dispatcher{DispatcherOptions: opts} }

// Run tells what there is to tell until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// Assign says that the partition belongs to this process. Nothing is told before it is loaded. It does not wait.
func (d *Dispatcher) Assign(partition int32) {}

// Revoke says that the partition no longer belongs to this process. It does not wait.
func (d *Dispatcher) Revoke(partition int32) {}

// Load takes over what the partition holds: every live record, in any order. It is called once after each Assign.
func (d *Dispatcher) Load(ctx context.Context, partition int32, log Log, records iter.Seq2[string, schemas.AlertState]) error {
	return nil
}

// Join makes the flag's incident a member of its group, if its alert rule holds, and waits for nothing but the log. A
// nil error means that what follows from the flag is durable; after an error the same flag is to be offered again, before
// other flags of the partition. Repeats and reordered passes are harmless.
func (d *Dispatcher) Join(ctx context.Context, partition int32, f *schemas.Flag) (Outcome, error) {
	return NotAlerting, nil
}

// Label takes note of what a person said about an incident. It is harmless when repeated, or when nothing is known of the
// incident.
func (d *Dispatcher) Label(ctx context.Context, label schemas.Feedback) error { return nil }

// Silence takes note of a silence, new or changed.
func (d *Dispatcher) Silence(s schemas.Silence) {}

// Idle reports that nothing is due to be told now.
func (d *Dispatcher) Idle() bool { return true }
