package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
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

// failing returns what fetches of a partition fail with; "" if they do not.
func (w *watch) failing(id partitionID) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, ok := w.failures[id]
	switch {
	case !ok || f.last.Sub(f.first) < failingAfter:
		return ""
	case time.Since(f.last) > failedLast:
		delete(w.failures, id)
		return ""
	}
	return f.reason
}

// Unreadable returns the partitions that could not be read at the last look of Watch.
func (m *member[T]) Unreadable() []Unreadable {
	m.watch.mu.Lock()
	defer m.watch.mu.Unlock()
	return m.watch.found
}

// Watch looks for owned partitions that cannot be read, shows them in the metrics and logs them once a minute, until ctx ends.
func (m *member[T]) Watch(ctx context.Context) {
	defer m.show(nil)
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			m.show(m.look(ctx, m.owned.All()))
		case <-ctx.Done():
			return
		}
	}
}

// look returns what cannot be read of the partitions.
func (m *member[T]) look(ctx context.Context, owned []*partition[T]) (found []Unreadable) {
	if len(owned) == 0 {
		return nil
	}
	var topics []string
	for _, p := range owned {
		topics = append(topics, p.ID.Topic)
	}
	slices.Sort(topics)
	log, err := listBounds(ctx, owned[0].Client, slices.Compact(topics))
	still := make(map[partitionID]stillness, len(owned))
	for _, p := range owned {
		reason := m.watch.failing(p.ID)
		if reason == "" && err == nil {
			reason = m.openTransaction(p, log, still)
		}
		if reason == "" {
			continue
		}
		i := slices.IndexFunc(found, func(u Unreadable) bool { return u.Topic == p.ID.Topic && u.Reason == reason })
		if i < 0 {
			i, found = len(found), append(found, Unreadable{Topic: p.ID.Topic, Reason: reason})
		}
		found[i].Partitions = append(found[i].Partitions, p.ID.Partition)
	}
	m.watch.still = still
	for _, u := range found {
		slices.Sort(u.Partitions)
	}
	return found
}

// openTransaction reports a transaction at which the partition has waited since the last look: there are records behind the last
// stable offset, which has not moved, and everything before it is done.
func (m *member[T]) openTransaction(p *partition[T], log logBounds, still map[partitionID]stillness) string {
	_, next, stable, ok := log.Of(p.ID)
	held, paused := p.Load()
	if !ok || held > 0 || paused || stable >= next {
		return ""
	}
	now := stillness{p.FetchPosition(), stable}
	still[p.ID] = now
	if before, ok := m.watch.still[p.ID]; ok && before == now {
		return openTransaction
	}
	return ""
}

// show publishes what cannot be read.
func (m *member[T]) show(found []Unreadable) {
	m.watch.mu.Lock()
	m.watch.found = found
	m.watch.mu.Unlock()
	for _, topic := range m.opts.Topics {
		for _, reason := range unreadableReasons() {
			n := 0
			for _, u := range found {
				if u.Topic == topic && u.Reason == reason {
					n = len(u.Partitions)
				}
			}
			m.metrics.Unreadable.WithLabelValues(topic, reason).Set(float64(n))
		}
	}
	for _, u := range found {
		if m.logThrottle.Allow("unreadable " + u.Topic + u.Reason) {
			m.opts.Logger.Error("partitions cannot be read", slog.String("topic", u.Topic), slog.Any("partitions", u.Partitions),
				slog.String("reason", u.Reason), slog.String("remedy", u.Remedy()))
		}
	}
}
