package dispatch

import (
	"context"
	"fmt"

	"confab/alerting"
	"confab/schemas"
)

// Add makes the flag's incident a member of its group, if its alert rule holds and no second opinion is due or has cleared it. It
// waits for the log only. A nil error
// means that all that follows from the flag is durable; after an error the caller offers the same flag again, before other
// flags of the partition. Repeated flags and reordered passes change nothing.
func (d *Dispatcher) Add(ctx context.Context, partition int32, f *schemas.Flag) (out Outcome, err error) {
	if f.IncidentID == "" {
		return "", fmt.Errorf("add flag: %w", errNoIncident)
	}
	if !f.Alert && f.Pass != schemas.PassDeep { // a deep flag may clear an alert
		return NotAlerting, nil
	}
	p := d.partition(partition)
	if p == nil {
		return "", fmt.Errorf("add flag: %w", alerting.ErrNotOwned)
	}
	if err := p.waitLoaded(ctx); err != nil {
		return "", fmt.Errorf("add flag: %w", err)
	}
	done, err := d.update(ctx, p, func() update { return d.store.addIncident(p, f, d.Now()) })
	if err != nil {
		return "", fmt.Errorf("add flag: %w", err)
	}
	return done.outcome, nil
}

// count counts what followed from a flag, a label or the end of a wait.
func (d *Dispatcher) count(ctx context.Context, done update) {
	if done.suppression != "" {
		d.Metrics.suppressed.WithLabelValues(string(done.suppression)).Inc()
	}
	switch {
	case done.outcome == Cleared:
		d.Metrics.cleared.Inc()
	case done.unconfirmed:
		d.Metrics.unconfirmed.Inc()
	}
	if done.suppression == stateLimit {
		d.Logger.WarnContext(ctx, "alert state is full: incidents of new groups are counted by tenant and severity only", "max_groups", d.store.options.MaxGroups)
	}
}

// update plans what follows from an event in a partition, writes it, applies it and counts it.
func (d *Dispatcher) update(ctx context.Context, p *partition, plan func() update) (out update, err error) {
	err = p.exclusive(ctx, func() error {
		revoked := false
		d.locked(func() {
			if revoked = p.isRevoked(); !revoked {
				out = plan()
			}
		})
		if revoked {
			return alerting.ErrNotOwned
		} else if len(out.entries) == 0 {
			return nil
		}
		if err := p.put(ctx, out.entries...); err != nil {
			return err
		}
		d.locked(func() {
			if !p.isRevoked() { // otherwise the next owner reads it
				out.apply()
			}
		})
		return nil
	})
	if err != nil {
		return update{}, err
	}
	d.count(ctx, out)
	return out, nil
}

// labelPartition applies a label, or a mark that the incident is forgotten, in one partition.
func (d *Dispatcher) labelPartition(ctx context.Context, p *partition, label schemas.Feedback) error {
	forget := label.Verdict == schemas.Forgotten
	waits := false
	d.locked(func() { _, waits = p.waiting[label.IncidentID] })
	if !forget && !waits && !p.has(label.IncidentID) {
		return nil
	}
	_, err := d.update(ctx, p, func() update {
		if forget {
			return d.store.forget(p, label.IncidentID, d.Now())
		}
		return d.store.addLabel(p, label, d.Now())
	})
	if err != nil && p.isRevoked() {
		return nil
	}
	return err
}
