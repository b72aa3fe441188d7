package dispatch

import (
	"time"

	"confab/schemas"
)

// SetSilence adds, changes or removes a silence. It reports false for one beyond the limit, which is not in force.
func (s *Store) SetSilence(silence schemas.Silence, now time.Time) bool {
	_, known := s.Silences[silence.ID]
	switch {
	case !silence.Until.After(now):
		delete(s.Silences, silence.ID)
	case !known && len(s.Silences) >= maxSilences:
		return false
	default:
		s.Silences[silence.ID] = silence
	}
	return true
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
		if silence.Group == key || silence.Group == "" && MatchLabels(&silence.Matchers, &have) {
			until = Latest(until, silence.Until)
		}
	}
	return until
}

// AllSilencedUntil is when the silences of all parts end; zero when one of the parts is not silenced.
func (s *Store) AllSilencedUntil(parts []*GroupPart, now time.Time) (until time.Time) {
	for _, part := range parts {
		end := s.partSilencedUntil(part, now)
		if end.IsZero() {
			return time.Time{}
		}
		until = Latest(until, end)
	}
	return until
}

// partSilencedUntil is when the silence of a part ends. Members that were added before the silence are sent after it.
func (s *Store) partSilencedUntil(part *GroupPart, now time.Time) time.Time {
	have := part.Group.Labels
	if lead := part.Record.Group.Lead; lead != nil && part.Group.Detector == "" {
		have = LabelsOf(lead)
	}
	return s.silencedUntil(part.Group.Key, have, now)
}
