package alerting

import (
	"slices"
	"time"

	"confab/schemas"
)

// silence takes note of a silence.
func (b *book) silence(s schemas.Silence, now time.Time) {
	if !s.Until.After(now) {
		delete(b.silences, s.ID)
		b.silencesChanged(now)
		return
	}
	b.silences[s.ID] = s
	b.silencesChanged(now)
}

// silencesChanged has all waiting groups classified anew, since a silence has begun, ended or changed.
func (b *book) silencesChanged(now time.Time) {
	b.nextSilence = time.Time{}
	for _, s := range b.silences {
		if now.Before(s.From) {
			b.nextSilence = earliest(b.nextSilence, s.From)
		}
	}
	for _, ch := range b.channels {
		for g := range ch.waiting {
			ch.changedGroups[g] = struct{}{}
		}
	}
}

// silenced reports that incidents of the group are not to be told now.
func (b *book) silenced(key string, have schemas.AlertGroupLabels, now time.Time) bool {
	return !b.silencedUntil(key, have, now).IsZero()
}

// silencedUntil is when the longest silence of the group's incidents ends, zero when none is in force.
func (b *book) silencedUntil(key string, have schemas.AlertGroupLabels, now time.Time) (until time.Time) {
	for _, s := range b.silences {
		if now.Before(s.From) || !now.Before(s.Until) {
			continue
		}
		if s.Group == key || s.Group == "" && matches(&s.Matchers, &have) {
			until = latest(until, s.Until)
		}
	}
	return until
}

// allSilenced is when the silences of all the portions have ended, zero when one of them is not silenced.
func (b *book) allSilenced(portions map[*portion]struct{}, now time.Time) (until time.Time) {
	for p := range portions {
		end := b.waitsForSilence(p, now)
		if end.IsZero() {
			return time.Time{}
		}
		until = latest(until, end)
	}
	return until
}

// waitsForSilence is when the silence of a portion ends whose members had joined before it began: they are told after it.
func (b *book) waitsForSilence(p *portion, now time.Time) time.Time {
	have := p.group.labels
	if lead := p.rec.Group.Lead; lead != nil && p.group.detector == "" {
		have = allLabels(lead)
	}
	return b.silencedUntil(p.group.key, have, now)
}

// matches holds when every matcher that is set does, and one is.
func matches(want, have *schemas.AlertGroupLabels) bool {
	set := false
	for _, m := range []struct{ want, have string }{
		{want.Tenant, have.Tenant},
		{want.Service, have.Service},
		{want.Operation, have.Operation},
		{want.Provider, have.Provider},
		{want.Model, have.Model},
	} {
		if m.want != "" && m.want != m.have {
			return false
		}
		set = set || m.want != ""
	}
	for _, d := range want.Detectors {
		if !slices.Contains(have.Detectors, d) {
			return false
		}
		set = true
	}
	return set
}

// allLabels are what matchers are held against: all labels, whatever groups are made by.
func allLabels(f *schemas.Flag) schemas.AlertGroupLabels {
	return schemas.AlertGroupLabels{
		Tenant: f.Tenant, Service: f.Service, Operation: f.Operation, Provider: f.Provider, Model: f.Model, Detectors: f.Fired,
	}
}

// maxLabels is how many incidents have their labels remembered.
const maxLabels = 4096

// labelBook holds the latest labels by incident: a label may come before its incident, or before the partition that knows
// the incident.
type labelBook struct {
	by    map[string][]schemas.Feedback
	order []string
}

// newLabels makes an empty labelBook.
func newLabels() labelBook { return labelBook{by: make(map[string][]schemas.Feedback)} }

// add notes a label; that of the incident seen longest ago is forgotten where there are too many.
func (l *labelBook) add(f schemas.Feedback) {
	had, known := l.by[f.IncidentID]
	l.by[f.IncidentID], _ = withLabel(had, f)
	if known {
		return
	}
	l.order = append(l.order, f.IncidentID)
	if len(l.order) > maxLabels {
		delete(l.by, l.order[0])
		l.order = slices.Delete(l.order, 0, 1)
	}
}

// all are the labels, of each incident in the order in which they were given.
func (l *labelBook) all() []schemas.Feedback {
	var out []schemas.Feedback
	for _, id := range l.order {
		out = append(out, l.by[id]...)
	}
	return out
}

// kept is a label as it is kept: what messages show of it, bounded, because whoever may write labels wrote it. A verdict of
// another version is none.
func kept(f schemas.Feedback) (schemas.Feedback, bool) {
	f.User, f.Comment, f.Detectors = cut(f.User, maxKeptLabel), cut(f.Comment, maxKeptText), nil
	return f, slices.Contains(schemas.HumanVerdicts(), f.Verdict) && IsIncidentID(f.IncidentID)
}

const keptLabels = 5 // of an incident, in its record

// withLabel adds a label: of each person the last one counts. The slice is not changed in place.
func withLabel(had []schemas.Feedback, f schemas.Feedback) ([]schemas.Feedback, bool) {
	at := slices.IndexFunc(had, func(h schemas.Feedback) bool { return h.User == f.User })
	if at >= 0 && !f.At.After(had[at].At) {
		return had, false
	}
	out := slices.Clone(had)
	if at >= 0 {
		out = slices.Delete(out, at, at+1)
	}
	out = append(out, f)
	slices.SortStableFunc(out, func(a, b schemas.Feedback) int { return a.At.Compare(b.At) })
	out = out[max(0, len(out)-keptLabels):]
	same := slices.EqualFunc(out, had, func(a, b schemas.Feedback) bool { return a.User == b.User && a.At.Equal(b.At) })
	return out, !same
}
