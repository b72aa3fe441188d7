package dispatch

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// The daily limit counts the messages about new problems of the last 24 hours. Every partition of llm.alerts has a record of
// those that it counts and an equal part of the limit, so that replicas need not ask each other.

const (
	// dailyLimitKey is the key of the record in each partition.
	dailyLimitKey = "daily_limit"
	// dailyWindow is how long a message counts.
	dailyWindow = 24 * time.Hour
)

// countedPosts are the messages that the partition still counts, the earliest first.
func (p *partition) countedPosts(now time.Time) []time.Time {
	posted := p.posted
	for len(posted) > 0 && !now.Before(posted[0].Add(dailyWindow)) {
		posted = posted[1:]
	}
	return posted
}

// postsLeft is how many further new messages the daily limit allows. Planned ones count.
func (s *store) postsLeft(now time.Time) int {
	if s.options.DailyLimit == 0 {
		return math.MaxInt
	}
	left := s.options.DailyLimit * len(s.partitions) / max(1, s.allPartitions)
	for _, p := range s.partitions {
		left -= len(p.countedPosts(now))
	}
	for _, m := range s.messages {
		if m.isUncounted() {
			left--
		}
	}
	return left
}

// isUncounted reports that the message counts for the daily limit and the log does not have it yet.
func (m *message) isUncounted() bool {
	return m.kind == schemas.AlertGroup && m.phase == planned && !m.counted
}

// countMessage writes that a new message counts for the daily limit, before it is announced. It reports false if the message
// must not be posted: then it is dissolved, or the error says that the caller tries again.
func (d *Dispatcher) countMessage(ctx context.Context, m *message) (bool, *alerting.Error) {
	var p *partition // that counts fewest
	var rec schemas.AlertState
	goesOn := true
	d.locked(func() {
		now := d.Now()
		if d.store.options.DailyLimit == 0 || !m.isUncounted() {
			return
		}
		if d.store.postsLeft(now) < 0 { // partitions were revoked
			d.store.dissolve(m)
			goesOn = false
			return
		}
		for _, q := range d.store.partitions {
			if p == nil || len(q.countedPosts(now)) < len(p.countedPosts(now)) {
				p = q
			}
		}
		if p != nil {
			rec = schemas.AlertState{Status: schemas.AlertCounted, UpdatedAt: now, Posted: append(slices.Clone(p.countedPosts(now)), now)}
		}
	})
	if p == nil {
		return goesOn, nil
	}
	err := p.exclusive(ctx, func() error {
		if p.isRevoked() {
			return alerting.ErrNotOwned
		}
		if err := p.put(ctx, alerting.StateEntry{Key: dailyLimitKey, State: &rec}); err != nil {
			return err
		}
		d.locked(func() { p.posted, m.counted = rec.Posted, true })
		return nil
	})
	if errors.Is(err, alerting.ErrNotOwned) {
		return false, &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}
	}
	return err == nil, d.logWriteError(ctx, err)
}
