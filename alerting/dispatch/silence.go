package dispatch

import (
	"cmp"
	"time"

	"confab/schemas"
)

// setSilence adds, changes or removes a silence. It reports false for one beyond the limit, which is not in force.
func (s *store) setSilence(silence schemas.Silence, now time.Time) bool {
	_, known := s.silences[silence.ID]
	switch {
	case !silence.Until.After(now):
		delete(s.silences, silence.ID)
	case !known && len(s.silences) >= maxSilences:
		return false
	default:
		s.silences[silence.ID] = silence
	}
	return true
}

// byAge orders silences by their start.
func byAge(a, b schemas.Silence) int {
	return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.ID, b.ID))
}

// isSilenced reports that a silence of the group's incidents is in force.
func (s *store) isSilenced(key string, have schemas.AlertGroupLabels, now time.Time) bool {
	return !s.silencedUntil(key, have, now).IsZero()
}

// silencedUntil is when the longest silence in force ends; zero without one.
func (s *store) silencedUntil(key string, have schemas.AlertGroupLabels, now time.Time) (until time.Time) {
	for _, silence := range s.silences {
		if now.Before(silence.From) || !now.Before(silence.Until) {
			continue
		}
		if silence.Group == key || silence.Group == "" && matchLabels(&silence.Matchers, &have) {
			until = latest(until, silence.Until)
		}
	}
	return until
}

// partSilencedUntil is when the silence of a part ends; zero without one. Members that were added before the silence are sent
// after it. A silence by labels holds when each of those that no message shows has the labels.
func (s *store) partSilencedUntil(part *groupPart, now time.Time) time.Time {
	return s.silencedUntil(part.group.key, part.record.Group.Common, now)
}
