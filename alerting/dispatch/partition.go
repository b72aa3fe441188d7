package dispatch

import (
	"context"
	"fmt"

	"confab/alerting"
	"confab/schemas"
)

// Partition is a partition that belongs to this process. Only Exclusive may write to its log and change the records of its
// parts.
type Partition struct {
	number    int32
	log       alerting.StateLog
	writeLock chan struct{} // holds one token while Exclusive runs
	loaded    chan struct{} // closed after Load
	revoked   chan struct{} // closed by Revoke
	parts     map[string]*GroupPart
	expired   map[string]struct{} // members in the log that are too old to count
	nearLimit bool                // delivered groups leave
}

// Assign adds a partition that is still to be loaded.
func (s *Store) Assign(number int32) *Partition {
	p := &Partition{
		number: number, writeLock: make(chan struct{}, 1), loaded: make(chan struct{}), revoked: make(chan struct{}),
		parts: make(map[string]*GroupPart),
	}
	s.Partitions[number] = p
	return p
}

// Revoke removes a partition. Messages that lose a part are not edited any more.
func (s *Store) Revoke(number int32) {
	p, ok := s.Partitions[number]
	if !ok {
		return
	}
	close(p.revoked)
	delete(s.Partitions, number)
	for _, part := range p.parts {
		if part.Message != nil {
			part.Message.handle(partLost)
			part.Group.Open = nil
		}
		s.dropPart(part)
	}
	kept := s.loadedParts[:0]
	for _, part := range s.loadedParts {
		if part.Partition != p {
			kept = append(kept, part)
		}
	}
	s.loadedParts = kept
}

// Loaded reports that the partition is loaded.
func (p *Partition) Loaded() bool { return isClosed(p.loaded) }

// Revoked reports that the partition no longer belongs to this process.
func (p *Partition) Revoked() bool { return isClosed(p.revoked) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// WaitLoaded waits until the partition is loaded. It fails with alerting.ErrNotOwned once the partition is revoked.
func (p *Partition) WaitLoaded(ctx context.Context) error {
	select {
	case <-p.loaded:
		return nil
	case <-p.revoked:
		return alerting.ErrNotOwned
	case <-ctx.Done():
		return fmt.Errorf("wait for the state of alerts: %w", ctx.Err())
	}
}

// Exclusive runs f while no other Exclusive of the partition runs.
func (p *Partition) Exclusive(ctx context.Context, f func() error) error {
	select {
	case p.writeLock <- struct{}{}:
		defer func() { <-p.writeLock }()
		return f()
	case <-ctx.Done():
		return fmt.Errorf("wait to write alert state: %w", ctx.Err())
	}
}

// Put writes entries to the partition's log. The caller has exclusive use of the partition.
func (p *Partition) Put(ctx context.Context, entries ...alerting.StateEntry) error {
	if err := p.log.Put(ctx, entries...); err != nil {
		return fmt.Errorf("write the state of alerts: %w", err)
	}
	return nil
}

// Has reports that the partition's log has a record under the key.
func (p *Partition) Has(key string) bool {
	_, known := p.log.Get(key)
	return known
}

// partOf is the part that a member belongs to; nil when that generation has ended.
func (p *Partition) partOf(m *schemas.AlertMember) *GroupPart {
	if part := p.parts[m.Group]; part != nil && part.Record.Group.Generation == m.Generation {
		return part
	}
	return nil
}

// MaxWrite is how many records one write takes at most.
const MaxWrite = 500
