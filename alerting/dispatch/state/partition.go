package state

import (
	"context"
	"fmt"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Partition is a partition that belongs to this process. Whoever holds its turn is the only one who writes to its log and
// changes the records of its portions.
type Partition struct {
	number    int32
	log       alertlog.Log
	writeLock chan struct{} // holds one token while somebody has the turn
	loaded    chan struct{} // closed once it is loaded
	revoked   chan struct{} // closed once it is revoked
	parts     map[string]*GroupPart
	overflow  map[string]alertlog.OverflowGroup // groups of the log that do not fit into memory
	leads     map[string]*schemas.Flag          // an incident of theirs, by the group that is to count them
	expired   map[string]struct{}               // members in the log that no longer count
}

// Assign makes room for a partition.
func (b *Store) Assign(number int32) *Partition {
	s := &Partition{
		number: number, writeLock: make(chan struct{}, 1), loaded: make(chan struct{}), revoked: make(chan struct{}),
		parts: make(map[string]*GroupPart), overflow: make(map[string]alertlog.OverflowGroup),
	}
	b.Partitions[number] = s
	return s
}

// Revoke forgets a partition. Messages that lose a portion by it can no longer be edited.
func (b *Store) Revoke(number int32) {
	s, ok := b.Partitions[number]
	if !ok {
		return
	}
	close(s.revoked)
	delete(b.Partitions, number)
	for _, p := range s.parts {
		if p.Message != nil {
			p.Message.Orphaned = true
			p.Message.MarkChanged()
			p.Group.Open = nil
		}
		b.dropPart(p)
	}
	kept := b.loadedParts[:0]
	for _, p := range b.loadedParts {
		if p.Partition != s {
			kept = append(kept, p)
		}
	}
	b.loadedParts = kept
}

// Loaded reports that the partition is loaded.
func (s *Partition) Loaded() bool { return isClosed(s.loaded) }

// Revoked reports that the partition no longer belongs to this process.
func (s *Partition) Revoked() bool { return isClosed(s.revoked) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// WaitLoaded waits until the partition is loaded; it fails with ErrNotOwned once it is revoked.
func (s *Partition) WaitLoaded(ctx context.Context) error {
	select {
	case <-s.loaded:
		return nil
	case <-s.revoked:
		return alertlog.ErrNotOwned
	case <-ctx.Done():
		return fmt.Errorf("wait for the state of alerts: %w", ctx.Err())
	}
}

// Acquire takes the turn of a partition, which release gives back.
func (s *Partition) Acquire(ctx context.Context) error {
	select {
	case s.writeLock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a turn to write the state of alerts: %w", ctx.Err())
	}
}

// Release gives the turn back.
func (s *Partition) Release() { <-s.writeLock }

// Put writes entries to the partition's log. The caller has the partition's turn.
func (s *Partition) Put(ctx context.Context, entries ...alertlog.Entry) error {
	if err := s.log.Put(ctx, entries...); err != nil {
		return fmt.Errorf("write the state of alerts: %w", err)
	}
	return nil
}

// Has reports that the partition's log has a record under the key.
func (s *Partition) Has(key string) bool {
	_, known := s.log.Get(key)
	return known
}

// partOf is the portion that a member belongs to, nil when that is over.
func (s *Partition) partOf(m *schemas.AlertMember) *GroupPart {
	if p := s.parts[m.Group]; p != nil && p.Record.Group.Generation == m.Generation {
		return p
	}
	return nil
}

// MaxWrite is how many records are written at once.
const MaxWrite = 500
