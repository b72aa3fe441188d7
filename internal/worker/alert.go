package worker

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"confab/alerting"
	"confab/alerting/dispatch"
	"confab/consumer"
	"confab/internal/retry"
	"confab/schemas"
)

// alertHandler is the handler of the alert role. It adds each incident whose flag satisfies the alert rule to its group in
// llm.alerts, from which the dispatcher sends messages.
type alertHandler struct {
	dispatcher *dispatch.Dispatcher
	timeout    time.Duration // of one flag, below the watchdog's; the loop then offers the flag again
}

// Handle implements consumer.Handler.
func (a *alertHandler) Handle(ctx context.Context, batch []consumer.Record[*schemas.Flag], _ consumer.Producer) error {
	for i := range batch {
		r := &batch[i]
		r.Begin()
		outcome, err := a.addToGroup(ctx, r.Partition, r.Value)
		if err != nil {
			return fmt.Errorf("incident %s: %w", r.Value.IncidentID, err)
		}
		r.Outcome = string(outcome)
	}
	return nil
}

func (a *alertHandler) addToGroup(ctx context.Context, partition int32, f *schemas.Flag) (dispatch.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	return a.dispatcher.Add(ctx, partition, f)
}

// alertPartitions assigns and loads the partitions of llm.alerts that belong to this process's partitions of
// llm.incidents.
type alertPartitions struct {
	dispatcher partitionOwner
	read       func(ctx context.Context, p int32) (alerting.StateLog, iter.Seq2[alerting.StateEntry, error])
	log        *slog.Logger

	mu    sync.Mutex
	loads map[int32]*alertLoad
}

// partitionOwner is a [dispatch.Dispatcher].
type partitionOwner interface {
	Assign(partitions ...int32)
	Revoke(partitions ...int32)
	Load(ctx context.Context, partition int32, log alerting.StateLog, records iter.Seq2[alerting.StateEntry, error]) error
}

// alertLoad is the load of a partition, in progress or done.
type alertLoad struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// assign takes over partitions and loads each in a goroutine: the consumer group waits while assign runs.
func (a *alertPartitions) assign(_ string, partitions []int32) {
	a.dispatcher.Assign(partitions...)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range partitions {
		ctx, cancel := context.WithCancel(context.Background())
		l := &alertLoad{cancel: cancel, done: make(chan struct{})}
		a.loads[p] = l
		go func() {
			defer close(l.done)
			a.load(ctx, p)
		}()
	}
}

// revoke gives up partitions. It cancels loads in progress and waits for their end, so that a later assignment cannot
// receive their records.
func (a *alertPartitions) revoke(_ string, partitions []int32) {
	var loads []*alertLoad
	a.mu.Lock()
	for _, p := range partitions {
		if l := a.loads[p]; l != nil {
			loads = append(loads, l)
		}
		delete(a.loads, p)
	}
	a.mu.Unlock()
	for _, l := range loads {
		l.cancel()
	}
	for _, l := range loads {
		<-l.done
	}
	a.dispatcher.Revoke(partitions...)
}

// loadPause is the time between two attempts to load a partition.
const loadPause = time.Second

func (a *alertPartitions) load(ctx context.Context, p int32) {
	for attempt := 0; ; attempt++ {
		log, records := a.read(ctx, p)
		err := a.dispatcher.Load(ctx, p, log, records)
		if err == nil || ctx.Err() != nil {
			return
		}
		if attempt%60 == 0 {
			a.log.WarnContext(ctx, "load alert state failed, retrying",
				slog.Int("partition", int(p)), slog.Any("error", err))
		}
		if retry.Sleep(ctx, loadPause) != nil {
			return
		}
	}
}
