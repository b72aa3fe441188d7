package consumer

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
)

// StartOffset is where a group without committed offsets starts.
type StartOffset string

// The start offsets.
const (
	StartEarliest StartOffset = "earliest"
	StartLatest   StartOffset = "latest"
)

// OnDataLoss is the reaction to records that were deleted before they were processed.
type OnDataLoss string

// The reactions to data loss.
const (
	HaltOnDataLoss OnDataLoss = "halt"     // stop with an error: an operator decides
	EarliestOnLoss OnDataLoss = "earliest" // count the loss and continue with the oldest record
)

// Options configure a Loop. Fields without a stated default are required.
type Options[T any] struct {
	Kafka      kafka.Config
	Producer   *kafka.Producer    // writes the messages of handlers; may be shared between loops
	DeadLetter *deadletter.Writer // takes records that can never be processed
	Codec      Codec[T]
	Handler    Handler[T]

	Role       string // name in metrics and logs
	Group      string // the consumer group
	InstanceID string // static membership when set: unique per process and stable over restarts
	ServerSide bool   // the brokers assign partitions (KIP-848), if they can
	Topics     []string

	StartOffset StartOffset
	FromStart   bool       // log where committed offsets win over StartOffset
	OnDataLoss  OnDataLoss // HaltOnDataLoss when empty

	Outcomes []string            // that the handler sets
	Reasons  map[string][]string // of the codec's poison records, by stage
	Remedy   LetterRemedy        // what to do about dead letters, for the log; may be nil

	MaxBatch      int // Kafka records in one batch; 500 when zero
	MaxBatchBytes int // bytes of their values; 4 MiB when zero; one record may exceed it
	Workers       int // batches being decoded and handled at once; GOMAXPROCS when zero
	MaxValueBytes int // larger values are dead letters; 1 MiB when zero

	// InFlightRecords and InFlightBytes bound what is fetched ahead of a partition's handler, give or take one poll.
	// Above 80 % of either, polling waits and then pauses the partition; below 50 % of both, it resumes. 2,000 and 16 MiB
	// when zero.
	InFlightRecords int
	InFlightBytes   int
	// TotalBytes bounds what is fetched ahead of all partitions together: each gets an equal share, if that is less than
	// InFlightBytes. 128 MiB when zero.
	TotalBytes int

	// PoisonShare halts a partition when more than this share of its last PoisonWindow records is poison, so that a
	// broken producer does not drain a topic into the dead-letter topic. 0 never halts; the window is 1,000 when zero.
	// The partition stays halted until it is assigned again.
	PoisonShare  float64
	PoisonWindow int

	// CrashDeaths is the number of processes that may end while they process a record before it becomes a dead letter; 0
	// turns the guard off. A record that takes longer than SlowRecord, 1 s when zero, is noted as one that may end the
	// process.
	CrashDeaths int
	SlowRecord  time.Duration
	// HandlerWaits means that the handler waits for other services, so that a process often ends within a record by
	// chance: a record is noted only when it takes longer than SlowRecord.
	HandlerWaits bool

	Grace            time.Duration // from the end of Run's context to its return; 30 s when zero
	SessionTimeout   time.Duration // 45 s when zero
	RebalanceTimeout time.Duration // four thirds of SessionTimeout when zero, from 6 to 60 s
	Heartbeat        time.Duration // a fifteenth of SessionTimeout when zero, at most 3 s
	RevokeWait       time.Duration // wait for work in flight when a partition is revoked; 5 s when zero
	CommitInterval   time.Duration // least time between two commits; 100 ms when zero; a fifth for a minute after an assignment
	RetryInitial     time.Duration // first wait after a failed batch; 100 ms when zero
	RetryMax         time.Duration // longest wait; 30 s when zero
	LeaveOnExit      bool          // a static member also leaves the group: for scaling down, not for restarts

	// DryRun drops the messages of handlers, dead letters and commits. Use a Group of its own, or it takes partitions
	// away from the workers.
	DryRun bool

	// OnAssigned and OnRevoked report all partitions of a topic that change owner together. They block the rebalance: return
	// quickly. OnRevoked runs after the last commit of the partitions.
	OnAssigned func(topic string, partitions []int32)
	OnRevoked  func(topic string, partitions []int32)

	Metrics *Metrics     // one per registry
	Logger  *slog.Logger // nil discards
}

// Prepare returns the options with their defaults, or an error that says what to set.
func (o Options[T]) Prepare() (Options[T], error) {
	o = o.withDefaults()
	return o, o.validate()
}

func (o Options[T]) withDefaults() Options[T] {
	setDefault(&o.OnDataLoss, HaltOnDataLoss)
	setDefault(&o.MaxBatch, 500)
	setDefault(&o.MaxBatchBytes, 4<<20)
	setDefault(&o.Workers, runtime.GOMAXPROCS(0))
	setDefault(&o.MaxValueBytes, 1<<20)
	setDefault(&o.InFlightRecords, 2000)
	setDefault(&o.InFlightBytes, 16<<20)
	setDefault(&o.TotalBytes, 128<<20)
	setDefault(&o.PoisonWindow, 1000)
	setDefault(&o.SlowRecord, time.Second)
	setDefault(&o.Grace, 30*time.Second)
	setDefault(&o.SessionTimeout, 45*time.Second)
	setDefault(&o.RebalanceTimeout, min(max(6*time.Second, o.SessionTimeout/3*4), time.Minute))
	setDefault(&o.Heartbeat, min(o.SessionTimeout/15, 3*time.Second))
	setDefault(&o.RevokeWait, 5*time.Second)
	setDefault(&o.CommitInterval, 100*time.Millisecond)
	setDefault(&o.RetryInitial, 100*time.Millisecond)
	setDefault(&o.RetryMax, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func (o Options[T]) validate() error {
	errs := []error{o.Kafka.Validate()}
	need := func(ok bool, what string) {
		if !ok {
			errs = append(errs, fmt.Errorf("consumer %s: %s", o.Role, what))
		}
	}
	need(o.Role != "", "no role: name the loop")
	need(o.Group != "", "no group: set kafka.consumer_group")
	need(len(o.Topics) > 0, "no topics: set kafka.inputs")
	need(o.Producer != nil && o.DeadLetter != nil, "no producer or no dead letter")
	need(o.Codec != nil && o.Handler != nil, "no codec or no handler")
	need(o.Metrics != nil, "no metrics: use NewMetrics")
	need(o.StartOffset == StartEarliest || o.StartOffset == StartLatest, "start_offset must be earliest or latest")
	need(o.OnDataLoss == HaltOnDataLoss || o.OnDataLoss == EarliestOnLoss, "on_data_loss must be halt or earliest")
	need(o.PoisonShare >= 0 && o.PoisonShare < 1 && o.PoisonWindow > 0, "poison_circuit: share must be 0 or more and below 1, window positive")
	need(o.CrashDeaths >= 0, "crash_suspect: deaths must be 0 or more")
	need(o.RevokeWait < o.RebalanceTimeout, "the revoke wait must be shorter than the rebalance timeout")
	need(o.Heartbeat < o.SessionTimeout, "the heartbeat interval must be shorter than the session timeout")
	return errors.Join(errs...)
}

func setDefault[V comparable](v *V, def V) {
	var zero V
	if *v == zero {
		*v = def
	}
}
