package worker

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"confab/alerting/dispatch"
	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/consumer"
	"confab/schemas"
)

// alertHandler is the role that tells people. Its handler makes each incident whose flag holds the alert rule a member of its
// group in llm.alerts; the dispatcher tells from there.
type alertHandler struct {
	dispatcher *dispatch.Dispatcher
	timeout    time.Duration // for one flag; then it is offered again, so that a handler is never taken for a stuck one
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

func (a *alertHandler) addToGroup(ctx context.Context, partition int32, f *schemas.Flag) (state.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	return a.dispatcher.Add(ctx, partition, f)
}

// alertPartitions are the partitions of llm.alerts beside those of llm.incidents that this process owns.
type alertPartitions struct {
	dispatcher partitionOwner
	read       func(ctx context.Context, p int32) (alertlog.Log, iter.Seq2[alertlog.Entry, error])
	log        *slog.Logger

	mu    sync.Mutex
	loads map[int32]*alertLoad
}

// partitionOwner is told which partitions are ours; an [alerting.Dispatcher].
type partitionOwner interface {
	Assign(partition int32)
	Revoke(partition int32)
	Load(ctx context.Context, partition int32, log alertlog.Log, records iter.Seq2[alertlog.Entry, error]) error
}

// alertLoad is the reading of a partition, under way or done.
type alertLoad struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// assign takes a partition over. The group waits for whoever is told of an assignment, so it is read beside that.
func (a *alertPartitions) assign(p int32) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &alertLoad{cancel: cancel, done: make(chan struct{})}
	a.mu.Lock()
	a.loads[p] = l
	a.mu.Unlock()
	a.dispatcher.Assign(p)
	go func() {
		defer close(l.done)
		a.load(ctx, p)
	}()
}

// revoke gives a partition up. A reading under way ends at once, and is waited for: it must not be taken for that of a
// later assignment.
func (a *alertPartitions) revoke(p int32) {
	a.mu.Lock()
	l := a.loads[p]
	delete(a.loads, p)
	a.mu.Unlock()
	if l != nil {
		l.cancel()
		<-l.done
	}
	a.dispatcher.Revoke(p)
}

// loadPause is the time between two attempts to read a partition.
const loadPause = time.Second

func (a *alertPartitions) load(ctx context.Context, p int32) {
	for attempt := 0; ; attempt++ {
		err := a.loadOnce(ctx, p)
		if err == nil || ctx.Err() != nil {
			return
		}
		if attempt%60 == 0 {
			a.log.WarnContext(ctx, "load alert state failed, retrying",
				slog.Int("partition", int(p)), slog.Any("error", err))
		}
		select {
		case <-time.After(loadPause):
		case <-ctx.Done():
			return
		}
	}
}

func (a *alertPartitions) loadOnce(ctx context.Context, p int32) error {
	log, records := a.read(ctx, p)
	return a.dispatcher.Load(ctx, p, log, records)
}
