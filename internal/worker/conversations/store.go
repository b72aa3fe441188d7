// Package conversations keeps what the assistant stated in the open conversations of the partitions that this process owns.
package conversations

import (
	"container/list"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/detectors"
	"confab/detectors/conversation"
	"confab/internal/worker/config"
	"confab/schemas"
)

// Options configure a store.
type Options struct {
	Max    int                      // conversations; more push out those that were longest without an answer
	TTL    time.Duration            // since the last answer
	Off    func(tenant string) bool // nothing of the tenant is kept
	Redact func(string) string      // applied to the excerpts that are kept
	Now    func() time.Time
}

// Store keeps the earlier turns of conversations in memory. Its contents are hashes and short redacted excerpts. It begins empty, and
// forgets the conversations of a partition that changes its owner. It is safe for concurrent use; a turn does not change once it is
// kept.
type Store struct {
	opts    Options
	evicted prometheus.Counter

	mu   sync.Mutex
	byID map[key]*list.Element
	used list.List // of *talk, the one with the latest answer first
}

// key names a conversation of a partition.
type key struct {
	topic     string
	partition int32
	id        [16]byte // hash of the tenant and the conversation id
}

// talk is a conversation.
type talk struct {
	key     key
	last    time.Time
	answers int // so far
	turns   []turn
}

type turn struct {
	event [16]byte // hash of the answer's event id
	said  schemas.EarlierTurn
}

// ForConfig makes the store of a configuration; nil if it keeps nothing.
func ForConfig(c *config.Config, now func() time.Time, reg prometheus.Registerer) *Store {
	if !c.KeepsConversations() {
		return nil
	}
	off := c.DetectorsOff()
	return New(Options{
		Max: c.Conversations.Max, TTL: c.Conversations.TTL, Redact: c.Redaction.Redactor().Redact, Now: now,
		Off: func(tenant string) bool { return slices.Contains(off.Of(tenant), conversation.Name) },
	}, reg)
}

// New makes an empty store and registers its metrics.
func New(o Options, reg prometheus.Registerer) *Store {
	f := promauto.With(reg)
	s := &Store{opts: o, byID: map[key]*list.Element{}, evicted: f.NewCounter(prometheus.CounterOpts{
		Name: "confab_conversations_evicted_total", Help: "Open conversations that were forgotten early, because of conversations.max.",
	})}
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "confab_conversations_open", Help: "Conversations whose earlier answers are kept to compare the next one with.",
	}, func() float64 { return float64(s.Len()) })
	return s
}

// Len is the number of conversations.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID)
}

// Place is the conversation and turn of an interaction. The zero Place is one of no conversation that is kept.
type Place struct {
	key   key
	event [16]byte
}

// Recall gives the interaction of a partition the turns before it, and returns its place for [Store.Keep]. An interaction that is read
// again gets those that it got the first time, as far as they are still kept. A nil store keeps nothing.
func (s *Store) Recall(in *schemas.Interaction, at schemas.Origin) (p Place) {
	if s == nil || in.ConversationID == "" || conversation.HoldsAnswers(in) || s.opts.Off(in.Tenant) {
		return p
	}
	p = Place{key{at.Topic, at.Partition, hash(in.Tenant + "\x00" + in.ConversationID)}, hash(in.EventID().IncidentID())}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	in.Earlier = nil // of an earlier attempt at the batch
	e := s.byID[p.key]
	if e == nil {
		return p
	}
	for _, t := range e.Value.(*talk).turns {
		if t.event == p.event {
			break
		}
		in.Earlier = append(in.Earlier, t.said)
	}
	return p
}

// Keep adds the measured answer to its conversation, or replaces it there.
func (s *Store) Keep(p Place, e *detectors.Evaluation) {
	if p == (Place{}) || e.Skipped() || e.Ended() != "" {
		return
	}
	said := conversation.Turn(e.Document())
	for i := range said.Facts {
		said.Facts[i].Text = conversation.Shorten(s.opts.Redact(said.Facts[i].Text))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.open(p.key)
	if at := slices.IndexFunc(t.turns, func(x turn) bool { return x.event == p.event }); at >= 0 {
		said.Number = t.turns[at].said.Number
		t.turns[at].said = said
		return
	}
	t.answers++
	said.Number = t.answers
	if len(t.turns) == conversation.MaxTurns {
		t.turns = slices.Delete(t.turns, 0, 1)
	}
	t.turns = append(t.turns, turn{p.event, said})
}

// open returns the conversation, marked as used now. The caller holds the lock.
func (s *Store) open(k key) *talk {
	now := s.opts.Now()
	if e := s.byID[k]; e != nil {
		s.used.MoveToFront(e)
		t := e.Value.(*talk)
		t.last = now
		return t
	}
	if len(s.byID) >= s.opts.Max {
		s.forget(s.used.Back())
		s.evicted.Inc()
	}
	t := &talk{key: k, last: now}
	s.byID[k] = s.used.PushFront(t)
	return t
}

// expire forgets the conversations that are too old. The caller holds the lock.
func (s *Store) expire() {
	oldest := s.opts.Now().Add(-s.opts.TTL)
	for e := s.used.Back(); e != nil && e.Value.(*talk).last.Before(oldest); e = s.used.Back() {
		s.forget(e)
	}
}

func (s *Store) forget(e *list.Element) {
	delete(s.byID, s.used.Remove(e).(*talk).key)
}

// Drop forgets the conversations of partitions that change their owner.
func (s *Store) Drop(topic string, partitions []int32) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.used.Front(); e != nil; {
		next, k := e.Next(), e.Value.(*talk).key
		if k.topic == topic && slices.Contains(partitions, k.partition) {
			s.forget(e)
		}
		e = next
	}
}

func hash(s string) (h [16]byte) {
	sum := sha256.Sum256([]byte(s))
	copy(h[:], sum[:])
	return h
}
