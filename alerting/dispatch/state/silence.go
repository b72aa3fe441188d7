package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// SetSilence takes note of a silence.
func (b *Store) SetSilence(s schemas.Silence, now time.Time) {
	if !s.Until.After(now) {
		delete(b.Silences, s.ID)
		b.SilencesChanged(now)
		return
	}
	b.Silences[s.ID] = s
	b.SilencesChanged(now)
}

// SilencesChanged has all waiting groups classified anew, since a silence has begun, ended or changed.
func (b *Store) SilencesChanged(now time.Time) {
	b.NextSilence = time.Time{}
	for _, s := range b.Silences {
		if now.Before(s.From) {
			b.NextSilence = alertlog.Earliest(b.NextSilence, s.From)
		}
	}
	for _, ch := range b.Channels {
		for g := range ch.WaitingGroups {
			ch.ChangedGroups[g] = struct{}{}
		}
	}
}

// isSilenced reports that incidents of the group are not to be told now.
func (b *Store) isSilenced(key string, have schemas.AlertGroupLabels, now time.Time) bool {
	return !b.silencedUntil(key, have, now).IsZero()
}

// silencedUntil is when the longest silence of the group's incidents ends, zero when none is in force.
func (b *Store) silencedUntil(key string, have schemas.AlertGroupLabels, now time.Time) (until time.Time) {
	for _, s := range b.Silences {
		if now.Before(s.From) || !now.Before(s.Until) {
			continue
		}
		if s.Group == key || s.Group == "" && alertlog.MatchLabels(&s.Matchers, &have) {
			until = alertlog.Latest(until, s.Until)
		}
	}
	return until
}

// AllSilencedUntil is when the silences of all the portions have ended, zero when one of them is not silenced.
func (b *Store) AllSilencedUntil(portions map[*GroupPart]struct{}, now time.Time) (until time.Time) {
	for p := range portions {
		end := b.partSilencedUntil(p, now)
		if end.IsZero() {
			return time.Time{}
		}
		until = alertlog.Latest(until, end)
	}
	return until
}

// partSilencedUntil is when the silence of a portion ends whose members had joined before it began: they are told after it.
func (b *Store) partSilencedUntil(p *GroupPart, now time.Time) time.Time {
	have := p.Group.Labels
	if lead := p.Record.Group.Lead; lead != nil && p.Group.Detector == "" {
		have = alertlog.LabelsOf(lead)
	}
	return b.silencedUntil(p.Group.Key, have, now)
}
