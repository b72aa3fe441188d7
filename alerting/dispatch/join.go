package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// Add makes the flag's incident a member of its group, if its alert rule holds, and waits for nothing but the log. A
// nil error means that what follows from the flag is durable; after an error the same flag is to be offered again, before
// other flags of the partition. Repeats and reordered passes are harmless.
func (d *Dispatcher) Add(ctx context.Context, partition int32, f *schemas.Flag) (state.Outcome, error) {
	if f.IncidentID == "" {
		return "", fmt.Errorf("join: %w", state.ErrNoIncident)
	}
	if !f.Alert && len(f.AnomalousRates) == 0 {
		return state.NotAlerting, nil
	}
	s, err := d.turn(ctx, partition)
	if err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	defer s.Release()
	done, err := d.addFlag(ctx, s, f)
	if err != nil {
		return "", fmt.Errorf("join: %w", err)
	}
	if done.Suppression != "" {
		d.Metrics.suppressed.WithLabelValues(string(done.Suppression)).Inc()
	}
	return done.Outcome, nil
}

// addFlag does what follows from the flag. The caller has the partition's turn.
func (d *Dispatcher) addFlag(ctx context.Context, s *state.Partition, f *schemas.Flag) (state.Update, error) {
	for _, detector := range slices.Sorted(maps.Keys(f.AnomalousRates)) {
		if !d.store.Policy.Counts(f.Tenant, detector) {
			continue
		}
		if _, err := d.applyUpdate(ctx, s, func() state.Update { return d.store.AddBrokenDetector(s, f, detector, d.Now()) }); err != nil {
			return state.Update{}, fmt.Errorf("note that a detector may be broken: %w", err)
		}
	}
	switch {
	case f.Alert:
		return d.applyUpdate(ctx, s, func() state.Update { return d.store.AddIncident(s, f, d.Now()) })
	case d.store.Policy.HoldsDespite(f):
		return state.Suppress(state.DetectorBroken), nil
	}
	return state.Update{Outcome: state.NotAlerting}, nil
}

// turn waits until the partition is loaded and nobody else writes to its log.
func (d *Dispatcher) turn(ctx context.Context, partition int32) (*state.Partition, error) {
	s := d.partition(partition)
	if s == nil {
		return nil, alertlog.ErrNotOwned
	}
	if err := s.WaitLoaded(ctx); err != nil {
		return nil, err
	}
	if err := s.Acquire(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// applyUpdate makes a plan, writes it and applies it. The caller has the partition's turn.
func (d *Dispatcher) applyUpdate(ctx context.Context, s *state.Partition, decide func() state.Update) (state.Update, error) {
	d.mu.Lock()
	if s.Revoked() {
		d.mu.Unlock()
		return state.Update{}, alertlog.ErrNotOwned
	}
	todo := decide()
	d.mu.Unlock()
	if len(todo.Entries) == 0 {
		return todo, nil
	}
	if err := s.Put(ctx, todo.Entries...); err != nil {
		return state.Update{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !s.Revoked() { // otherwise the next owner reads it
		todo.Apply()
	}
	return todo, nil
}

// labelPartition takes note of a label in one partition.
func (d *Dispatcher) labelPartition(ctx context.Context, s *state.Partition, label schemas.Feedback) error {
	if !s.Has(label.IncidentID) {
		return nil
	}
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	defer s.Release()
	_, err := d.applyUpdate(ctx, s, func() state.Update {
		if p := d.store.AddLabel(s, label, d.Now()); p != nil {
			return *p
		}
		return state.Update{}
	})
	if err != nil && s.Revoked() {
		return nil
	}
	return err
}
