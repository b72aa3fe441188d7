package alerting

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"confab/schemas"
)

// Join makes the flag's incident a member of its group, if its alert rule holds, and waits for nothing but the log. A
// nil error means that what follows from the flag is durable; after an error the same flag is to be offered again, before
// other flags of the partition. Repeats and reordered passes are harmless.
func (d *Dispatcher) Join(ctx context.Context, partition int32, f *schemas.Flag) (Outcome, error) {
	if f.IncidentID == "" {
		return "", fmt.Errorf("join: %w", ErrNoIncident)
	}
	if !f.Alert && len(f.Unusual) == 0 {
		return NotAlerting, nil
	}
	s, err := d.turn(ctx, partition)
	if err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	defer s.release()
	done, err := d.joinIn(ctx, s, f)
	if err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	if done.suppress != "" {
		d.Metrics.suppressed.WithLabelValues(string(done.suppress)).Inc()
	}
	return done.outcome, nil
}

// joinIn does what follows from the flag. The caller has the partition's turn.
func (d *Dispatcher) joinIn(ctx context.Context, s *shelf, f *schemas.Flag) (plan, error) {
	for _, detector := range slices.Sorted(maps.Keys(f.Unusual)) {
		if !d.book.policy.Counts(f.Tenant, detector) {
			continue
		}
		if _, err := d.carryOut(ctx, s, func() plan { return d.book.broken(s, f, detector, d.Now()) }); err != nil {
			return plan{}, fmt.Errorf("note that a detector may be broken: %w", err)
		}
	}
	switch {
	case f.Alert:
		return d.carryOut(ctx, s, func() plan { return d.book.join(s, f, d.Now()) })
	case d.book.policy.HoldsDespite(f):
		return suppressed(DetectorBroken), nil
	}
	return plan{outcome: NotAlerting}, nil
}

// turn waits until the partition is loaded and nobody else writes to its log.
func (d *Dispatcher) turn(ctx context.Context, partition int32) (*shelf, error) {
	s := d.shelf(partition)
	if s == nil {
		return nil, ErrNotOwned
	}
	if err := s.waitLoaded(ctx); err != nil {
		return nil, err
	}
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// carryOut makes a plan, writes it and applies it. The caller has the partition's turn.
func (d *Dispatcher) carryOut(ctx context.Context, s *shelf, decide func() plan) (plan, error) {
	d.mu.Lock()
	if s.isGone() {
		d.mu.Unlock()
		return plan{}, ErrNotOwned
	}
	todo := decide()
	d.mu.Unlock()
	if len(todo.entries) == 0 {
		return todo, nil
	}
	if err := s.put(ctx, todo.entries...); err != nil {
		return plan{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !s.isGone() { // otherwise the next owner reads it
		todo.apply()
	}
	return todo, nil
}

// labelIn takes note of a label in one partition.
func (d *Dispatcher) labelIn(ctx context.Context, s *shelf, label schemas.Feedback) error {
	if !s.knows(label.IncidentID) {
		return nil
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	_, err := d.carryOut(ctx, s, func() plan {
		if p := d.book.label(s, label, d.Now()); p != nil {
			return *p
		}
		return plan{}
	})
	if err != nil && s.isGone() {
		return nil
	}
	return err
}
