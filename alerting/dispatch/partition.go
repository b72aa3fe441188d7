package dispatch

import (
	"context"
	"fmt"
	"slices"

	"confab/alerting"
	"confab/schemas"
)

// partition is a partition that belongs to this process. Only exclusive may write to its log and change the records of its
// parts.
type partition struct {
	number    int32
	log       alerting.StateLog
	writeLock chan struct{} // holds one token while exclusive runs
	loaded    chan struct{} // closed after load
	revoked   chan struct{} // closed by Revoke
	parts     map[string]*groupPart
	waiting   map[string]waiting  // alerts that wait for a second opinion, by incident
	expired   map[string]struct{} // members in the log that are too old to count
}

// assign adds a partition that is still to be loaded.
func (s *store) assign(number int32) *partition {
	p := &partition{
		number: number, writeLock: make(chan struct{}, 1), loaded: make(chan struct{}), revoked: make(chan struct{}),
		parts: make(map[string]*groupPart), waiting: make(map[string]waiting),
	}
	s.partitions[number] = p
	return p
}

// revoke removes a partition. Messages that lose a part are not edited any more.
func (s *store) revoke(number int32) {
	p, ok := s.partitions[number]
	if !ok {
		return
	}
	close(p.revoked)
	delete(s.partitions, number)
	for _, part := range p.parts {
		if part.message != nil {
			part.message.handle(partLost)
			part.group.open = nil
		}
		s.dropPart(part)
	}
	s.loadedParts = slices.DeleteFunc(s.loadedParts, func(part *groupPart) bool { return part.partition == p })
}

// isLoaded reports that the partition is loaded.
func (p *partition) isLoaded() bool { return isClosed(p.loaded) }

// isRevoked reports that the partition no longer belongs to this process.
func (p *partition) isRevoked() bool { return isClosed(p.revoked) }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waitLoaded waits until the partition is loaded. It fails with alerting.ErrNotOwned once the partition is revoked.
func (p *partition) waitLoaded(ctx context.Context) error {
	select {
	case <-p.loaded:
		return nil
	case <-p.revoked:
		return alerting.ErrNotOwned
	case <-ctx.Done():
		return fmt.Errorf("wait for the state of alerts: %w", ctx.Err())
	}
}

// exclusive runs f while no other exclusive of the partition runs.
func (p *partition) exclusive(ctx context.Context, f func() error) error {
	select {
	case p.writeLock <- struct{}{}:
		defer func() { <-p.writeLock }()
		return f()
	case <-ctx.Done():
		return fmt.Errorf("wait to write alert state: %w", ctx.Err())
	}
}

// put writes entries to the partition's log. The caller has exclusive use of the partition.
func (p *partition) put(ctx context.Context, entries ...alerting.StateEntry) error {
	if err := p.log.Put(ctx, entries...); err != nil {
		return fmt.Errorf("write the state of alerts: %w", err)
	}
	return nil
}

// has reports that the partition's log has a record under the key.
func (p *partition) has(key string) bool {
	_, known := p.log.Get(key)
	return known
}

// partOf is the part that a member belongs to; nil when that generation has ended.
func (p *partition) partOf(m *schemas.AlertMember) *groupPart {
	if m == nil {
		return nil // the record could not be read
	}
	if part := p.parts[m.Group]; part != nil && part.record.Group.Generation == m.Generation {
		return part
	}
	return nil
}

// maxWrite is how many records one write takes at most.
const maxWrite = 500
