package state

import (
	"time"

	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// SetSilence adds, changes or removes a silence.
func (s *Store) SetSilence(silence schemas.Silence, now time.Time) {
	if silence.Until.After(now) {
		s.Silences[silence.ID] = silence
	} else {
		delete(s.Silences, silence.ID)
	}
	s.SilencesChanged(now)
}

// SilencesChanged schedules the next start of a silence and marks all waiting groups as changed.
func (s *Store) SilencesChanged(now time.Time) {
	s.NextSilence = time.Time{}
	for _, silence := range s.Silences {
		if now.Before(silence.From) {
			s.NextSilence = alertlog.Earliest(s.NextSilence, silence.From)
		}
	}
	for _, ch := range s.Channels {
		for g := range ch.WaitingGroups {
			ch.ChangedGroups[g] = struct{}{}
		}
	}
}

// isSilenced reports that a silence of the group's incidents is in force.
func (s *Store) isSilenced(key string, have schemas.AlertGroupLabels, now time.Time) bool {
	return !s.silencedUntil(key, have, now).IsZero()
}

// silencedUntil is when the longest silence in force ends; zero without one.
func (s *Store) silencedUntil(key string, have schemas.AlertGroupLabels, now time.Time) (until time.Time) {
	for _, silence := range s.Silences {
		if now.Before(silence.From) || !now.Before(silence.Until) {
			continue
		}
		if silence.Group == key || silence.Group == "" && alertlog.MatchLabels(&silence.Matchers, &have) {
			until = alertlog.Latest(until, silence.Until)
		}
	}
	return until
}

// AllSilencedUntil is when the silences of all parts end; zero when one of the parts is not silenced.
func (s *Store) AllSilencedUntil(parts map[*GroupPart]struct{}, now time.Time) (until time.Time) {
	for part := range parts {
		end := s.partSilencedUntil(part, now)
		if end.IsZero() {
			return time.Time{}
		}
		until = alertlog.Latest(until, end)
	}
	return until
}

// partSilencedUntil is when the silence of a part ends. Members that were added before the silence are sent after it.
func (s *Store) partSilencedUntil(part *GroupPart, now time.Time) time.Time {
	have := part.Group.Labels
	if lead := part.Record.Group.Lead; lead != nil && part.Group.Detector == "" {
		have = alertlog.LabelsOf(lead)
	}
	return s.silencedUntil(part.Group.Key, have, now)
}
