package integration

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// loadRun writes inputs at a steady rate, slowly where faults are behind their schedule, so that they fall into it.
type loadRun struct {
	written   atomic.Int64
	sequences []*faultSequence
	done      chan struct{}
	err       error // once done is closed

	mu    sync.Mutex
	acked map[RecordPosition]bool
}

// sequence is a sequence of faults, each of which begins when the one before is over.
type faultSequence struct {
	faults []Fault
	over   atomic.Int64 // faults that are over
}

const (
	tick    = 20 * time.Millisecond
	perTick = 20 // 1,000 a second
)

// startLoad writes the inputs, at most perTick at a time.
func startLoad(ctx context.Context, seeds []string, perTick int, inputs []Input, sequences ...*faultSequence) *loadRun {
	l := &loadRun{sequences: sequences, done: make(chan struct{}), acked: make(map[RecordPosition]bool, len(inputs))}
	go func() {
		defer close(l.done)
		l.err = l.run(ctx, seeds, perTick, inputs)
	}()
	return l
}

func (l *loadRun) run(ctx context.Context, seeds []string, perTick int, inputs []Input) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.DefaultProduceTopic(topicIn), kgo.AlwaysRetryEOF())
	if err != nil {
		return err
	}
	defer cl.Close()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var failed error
	for len(inputs) > 0 {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		n := min(perTick, len(inputs))
		if l.ahead() {
			n = min(1, n)
		}
		n = max(0, min(n, len(inputs)-l.due()))
		for _, in := range inputs[:n] {
			cl.Produce(ctx, inputRecord(in), func(r *kgo.Record, err error) {
				l.mu.Lock()
				defer l.mu.Unlock()
				failed = errors.Join(failed, err)
				l.acked[RecordPosition{Partition: r.Partition, Offset: r.Offset}] = true
			})
		}
		inputs = inputs[n:]
		l.written.Add(int64(n))
	}
	err = cl.Flush(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(err, failed)
}

// ahead says that in a sequence the fault after the one that is due is due as well.
func (l *loadRun) ahead() bool {
	written := l.written.Load()
	return slices.ContainsFunc(l.sequences, func(sequence *faultSequence) bool {
		next := int(sequence.over.Load()) + 1
		return next <= len(sequence.faults) && written >= int64(sequence.faults[min(next, len(sequence.faults)-1)].At)
	})
}

// due is how many faults have not happened yet. As many records are kept back, so that however slow the machine is the
// writing is not over before the last fault.
func (l *loadRun) due() (n int) {
	for _, sequence := range l.sequences {
		n += len(sequence.faults) - int(sequence.over.Load())
	}
	return n
}

func (l *loadRun) running() bool {
	select {
	case <-l.done:
		return false
	default:
		return true
	}
}

func inputRecord(in Input) *kgo.Record {
	r := kgo.KeySliceRecord([]byte(in.Key), in.Value)
	r.Headers = []kgo.RecordHeader{{Key: KindHeader, Value: []byte(in.Kind)}}
	return r
}
