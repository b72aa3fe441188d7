package dispatch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"confab/alerting"
	"confab/schemas"
)

// Add makes the flag's incident a member of its group, if its alert rule holds. It waits for the log only. A nil error
// means that all that follows from the flag is durable; after an error the caller offers the same flag again, before other
// flags of the partition. Repeated flags and reordered passes change nothing.
func (d *Dispatcher) Add(ctx context.Context, partition int32, f *schemas.Flag) (out Outcome, err error) {
	if f.IncidentID == "" {
		return "", fmt.Errorf("add flag: %w", ErrNoIncident)
	}
	if !f.Alert && len(f.AnomalousRates) == 0 {
		return NotAlerting, nil
	}
	p := d.partition(partition)
	if p == nil {
		return "", fmt.Errorf("add flag: %w", alerting.ErrNotOwned)
	}
	if err := p.WaitLoaded(ctx); err != nil {
		return "", fmt.Errorf("add flag: %w", err)
	}
	var done Update
	err = p.Exclusive(ctx, func() (err error) {
		done, err = d.addFlag(ctx, p, f)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("add flag: %w", err)
	}
	if done.Suppression != "" {
		d.Metrics.suppressed.WithLabelValues(string(done.Suppression)).Inc()
	}
	if done.Suppression == StateLimit && d.mayLog(&d.lastFull) {
		d.Logger.WarnContext(ctx, "alert state is full: incidents of new groups are counted by tenant and severity only", "max_groups", d.store.Options.MaxGroups)
	}
	return done.Outcome, nil
}

// addFlag applies all that follows from the flag. The caller has exclusive use of the partition.
func (d *Dispatcher) addFlag(ctx context.Context, p *Partition, f *schemas.Flag) (Update, error) {
	for _, detector := range slices.Sorted(maps.Keys(f.AnomalousRates)) {
		if !d.store.Policy.Counts(f.Tenant, detector) {
			continue
		}
		if _, err := d.applyUpdate(ctx, p, func() Update { return d.store.AddBrokenDetector(p, f, detector, d.Now()) }); err != nil {
			return Update{}, fmt.Errorf("record anomalous firing rate: %w", err)
		}
	}
	switch {
	case f.Alert:
		return d.applyUpdate(ctx, p, func() Update { return d.store.AddIncident(p, f, d.Now()) })
	case d.store.Policy.HoldsWithAnomalous(f):
		return Suppress(DetectorBroken), nil
	}
	return Update{Outcome: NotAlerting}, nil
}

// applyUpdate makes an update, writes it and applies it. The caller has exclusive use of the partition.
func (d *Dispatcher) applyUpdate(ctx context.Context, p *Partition, plan func() Update) (update Update, err error) {
	d.locked(func() {
		if p.Revoked() {
			err = alerting.ErrNotOwned
		} else {
			update = plan()
		}
	})
	if err != nil || len(update.Entries) == 0 {
		return update, err
	}
	if err := p.Put(ctx, update.Entries...); err != nil {
		return Update{}, err
	}
	d.locked(func() {
		if !p.Revoked() { // otherwise the next owner reads it
			update.Apply()
		}
	})
	return update, nil
}

// labelPartition applies a label, or a mark that the incident is forgotten, in one partition.
func (d *Dispatcher) labelPartition(ctx context.Context, p *Partition, label schemas.Feedback) error {
	forget := label.Verdict == schemas.Forgotten
	if !forget && !p.Has(label.IncidentID) {
		return nil
	}
	err := p.Exclusive(ctx, func() error {
		_, err := d.applyUpdate(ctx, p, func() Update {
			if forget {
				return d.store.Forget(p, label.IncidentID, d.Now())
			}
			return d.store.AddLabel(p, label, d.Now())
		})
		return err
	})
	if err != nil && p.Revoked() {
		return nil
	}
	return err
}
