package dispatch

import (
	"slices"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"confab/alerting/card"
	"confab/schemas"
)

// addFeedback adds a label and reports a change. The last label of each person counts. It returns a new slice.
func addFeedback(had []schemas.Feedback, f schemas.Feedback) ([]schemas.Feedback, bool) {
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
	out = out[max(0, len(out)-maxFeedback):]
	same := slices.EqualFunc(out, had, func(a, b schemas.Feedback) bool { return a.User == b.User && a.At.Equal(b.At) })
	return out, !same
}

// TrimFeedback returns a label with what messages show of it, in bounded size. A label with an unknown verdict or incident id
// is not valid.
func TrimFeedback(f schemas.Feedback) (schemas.Feedback, bool) {
	f.User, f.Comment, f.Detectors = truncate(f.User, maxLabel), truncate(f.Comment, maxText), nil
	return f, slices.Contains(schemas.HumanVerdicts(), f.Verdict) && card.IsIncidentID(f.IncidentID)
}

const maxFeedback = 5 // of an incident

// recentFeedback holds the latest labels by incident. A label may come before its incident or before its partition.
type recentFeedback = simplelru.LRU[string, []schemas.Feedback]

// remember keeps a label. A mark that the incident is forgotten replaces earlier labels.
func remember(l *recentFeedback, f schemas.Feedback) {
	had, _ := l.Get(f.IncidentID)
	if f.Verdict == schemas.Forgotten {
		had = nil
	}
	had, _ = addFeedback(had, f)
	l.Add(f.IncidentID, had)
}

// maxFeedbackIncidents is how many incidents keep their labels.
const maxFeedbackIncidents = 4096

// textLabels are all labels but the detectors.
func textLabels(l *schemas.AlertGroupLabels) []*string {
	return []*string{&l.Tenant, &l.Service, &l.Operation, &l.Provider, &l.Model, &l.Problem}
}

// matchLabels reports that at least one matcher is set and every set one matches.
func matchLabels(want, have *schemas.AlertGroupLabels) bool {
	set, labels := len(want.Detectors) > 0, textLabels(have)
	for i, w := range textLabels(want) {
		if *w != "" && *w != *labels[i] {
			return false
		}
		set = set || *w != ""
	}
	return set && !slices.ContainsFunc(want.Detectors, func(d string) bool { return !slices.Contains(have.Detectors, d) })
}

// labelsOf are the labels that matchers are compared with, whatever the groups are made by.
func labelsOf(f *schemas.Flag) schemas.AlertGroupLabels {
	return groupKindOf(f, "", []string{"service", "operation", "provider", "model", "detectors", "problem"}).labels
}

// commonLabels are those that both have.
func commonLabels(a, b schemas.AlertGroupLabels) schemas.AlertGroupLabels {
	others := textLabels(&b)
	for i, l := range textLabels(&a) {
		if *l != *others[i] {
			*l = ""
		}
	}
	a.Detectors = slices.DeleteFunc(slices.Clone(a.Detectors), func(d string) bool { return !slices.Contains(b.Detectors, d) })
	return a
}
