package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"confab/internal/retry"
)

const (
	// watchEvery is the time between two looks at what cannot be read.
	watchEvery = 15 * time.Second
	// failingAfter is how long fetches of a partition fail before it counts: brokers that have just started refuse some.
	failingAfter = 10 * time.Second
	// failedLast is the age of the last failure after which fetches are taken to work again.
	failedLast = 2 * watchEvery
)

// Unreadable are partitions of a topic that this member owns and cannot read.
type Unreadable struct {
	Topic      string
	Reason     string // one of unreadableReasons
	Partitions []int32
}

// String says what cannot be read, and what to do.
func (u Unreadable) String() string {
	noun := "partitions"
	if len(u.Partitions) == 1 {
		noun = "partition"
	}
	numbers := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(u.Partitions)), ", "), "[]")
	return fmt.Sprintf("topic %s %s %s cannot be read: %s", u.Topic, noun, numbers, u.Remedy())
}

// Remedy says why the partitions cannot be read, and what to do.
func (u Unreadable) Remedy() string {
	switch u.Reason {
	case unknownTopic:
		return "the brokers do not know the topic: create it again, or remove it from the configuration"
	case readDenied:
		return "READ is denied: grant it on the topic"
	case openTransaction:
		return "a producer's transaction is open: it ends with its timeout; find a hanging one with kafka-transactions.sh"
	}
	return "fetches fail: the newest warnings have the error"
}

// fetchFailure is what fetching a partition fails with.
type fetchFailure struct {
	reason      string
	first, last time.Time
}

// stillness is where a partition was at the last look.
type stillness struct{ position, stable int64 }

// watch is the state of Watch.
type watch struct {
	mu       sync.Mutex
	failures map[partitionID]fetchFailure
	found    []Unreadable
	still    map[partitionID]stillness // used by Watch alone
}

// noteFailure notes a failed fetch of a partition.
func (w *watch) noteFailure(id partitionID, err error) {
	reason := fetchError
	switch {
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.UnknownTopicOrPartition):
		reason = unknownTopic
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		reason = readDenied
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.failures[id]
	if !ok || f.reason != reason || now.Sub(f.last) > failedLast {
		f = fetchFailure{reason: reason, first: now}
	}
	f.last = now
	if w.failures == nil {
		w.failures = make(map[partitionID]fetchFailure)
	}
	w.failures[id] = f
}

// Unreadable returns the partitions that could not be read at the last look of Watch.
func (m *member[T]) Unreadable() []Unreadable {
	m.watch.mu.Lock()
	defer m.watch.mu.Unlock()
	return m.watch.found
}

// Watch looks for owned partitions that cannot be read, shows them in the metrics and logs them, until ctx ends.
func (m *member[T]) Watch(ctx context.Context) {
	for retry.Sleep(ctx, watchEvery) == nil {
		m.show(m.look(ctx, m.owned.All()))
	}
	m.show(nil)
}

// look returns what cannot be read of the partitions: fetches fail, or a partition has waited at a transaction since the last look, so
// that there are records behind the last stable offset, which has not moved, and everything before it is done.
func (m *member[T]) look(ctx context.Context, owned []*partition[T]) (found []Unreadable) {
	if len(owned) == 0 {
		return nil
	}
	log, err := listBounds(ctx, owned[0].Client, slices.Collect(maps.Keys(byTopic(owned))))
	still := make(map[partitionID]stillness, len(owned))
	m.watch.mu.Lock()
	defer m.watch.mu.Unlock()
	for _, p := range owned {
		reason := ""
		if f, failed := m.watch.failures[p.ID]; failed && time.Since(f.last) <= failedLast && f.last.Sub(f.first) >= failingAfter {
			reason = f.reason
		} else if now, behind := p.behindStable(log); err == nil && behind {
			if before, known := m.watch.still[p.ID]; known && before == now {
				reason = openTransaction
			}
			still[p.ID] = now
		}
		found = addUnreadable(found, p.ID, reason)
	}
	m.watch.still = still
	for _, u := range found {
		slices.Sort(u.Partitions)
	}
	return found
}

// addUnreadable adds a partition, unless the reason is "".
func addUnreadable(found []Unreadable, id partitionID, reason string) []Unreadable {
	if reason == "" {
		return found
	}
	i := slices.IndexFunc(found, func(u Unreadable) bool { return u.Topic == id.Topic && u.Reason == reason })
	if i < 0 {
		return append(found, Unreadable{Topic: id.Topic, Reason: reason, Partitions: []int32{id.Partition}})
	}
	found[i].Partitions = append(found[i].Partitions, id.Partition)
	return found
}

// behindStable reports whether everything before the last stable offset is done, and records lie behind it.
func (p *assignment) behindStable(log logBounds) (now stillness, behind bool) {
	_, next, stable, ok := log.Of(p.ID)
	held, paused := p.Load()
	return stillness{p.FetchPosition(), stable}, ok && held == 0 && !paused && stable < next
}

// show publishes what cannot be read.
func (m *member[T]) show(found []Unreadable) {
	m.watch.mu.Lock()
	m.watch.found = found
	m.watch.mu.Unlock()
	for _, topic := range m.opts.Topics {
		for _, reason := range unreadableReasons() {
			m.metrics.Unreadable.WithLabelValues(topic, reason).Set(0)
		}
	}
	for _, u := range found {
		m.metrics.Unreadable.WithLabelValues(u.Topic, u.Reason).Set(float64(len(u.Partitions)))
		m.opts.Logger.Error("partitions cannot be read", slog.String("topic", u.Topic), slog.Any("partitions", u.Partitions),
			slog.String("reason", u.Reason), slog.String("remedy", u.Remedy()))
	}
}
