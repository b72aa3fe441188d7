package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/calibration/measure"
	"confab/schemas"
)

// maxUncoveredShare is the largest share of answers of unlabelled tenants at which thresholds for all tenants may be
// lowered.
const maxUncoveredShare = 0.1

// Row is the labelled incident with the scores of its flag, its weight and its stratum (as task). Deep detectors are left out: they
// measure sampled answers only and a row has one weight. Weights have a mean of 1, so that a label counts as much as a row of a
// file.
func (fb *weightedLabels) Row(s *labelledIncident) measure.Row {
	f := s.Fast
	if f == nil {
		f = s.Deep
	}
	r := measure.Row{
		Tenant: measure.SharedName(f.Tenant), Operation: measure.SharedName(f.Operation), Model: measure.SharedName(f.Model), Temperature: math.NaN(), Fused: math.NaN(),
	}
	var able []string
	for i := range f.Signals {
		signal := &f.Signals[i]
		if slices.Contains(fb.deepNames, signal.Detector) {
			continue
		}
		scored := signal.Outcome == schemas.Fired || signal.Outcome == schemas.Clear
		m := measure.Signal{Detector: measure.SharedName(signal.Detector), Outcome: signal.Outcome, HasScore: scored}
		if scored {
			m.Score = signal.Score
			able = append(able, m.Detector)
		}
		r.Signals = append(r.Signals, m)
	}
	r.Measurable = measure.SharedName(strings.Join(able, "+"))
	r.Dataset, r.Task, r.Positive = measure.FeedbackSet, s.Stratum.String(), s.Positive
	r.Weight = s.Weight / fb.perLabel
	r.Group = measure.SharedName(cmp.Or(s.FinalFlag().ConversationID, s.IncidentID))
	return r
}

// RaiseOnly reports that a stratum has too few labels to lower a threshold.
func (fb *weightedLabels) RaiseOnly() bool {
	for h := range fb.Strata {
		n := &fb.Strata[h]
		if n.Labelled < measure.MinStratum && (n.Recorded > 0 || measure.Stratum(h) == measure.Quiet) {
			return true
		}
	}
	return fb.uncoveredShare > maxUncoveredShare
}

// Limitations lists what the labels cannot show, one sentence each, with the remedy.
func (fb *weightedLabels) Limitations() []string {
	var list []string
	say := func(when bool, format string, args ...any) {
		if when {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	a, f, q := &fb.Strata[measure.Alerted], &fb.Strata[measure.Unalerted], &fb.Strata[measure.Quiet]
	only := a.Labelled > 0 && f.Labelled == 0 && q.Labelled == 0
	say(only, "labels of alerts alone measure the precision of alerts, not recall, and lower no threshold: "+
		"label incidents without an alert (`confab tail`), and sampled ones in which nothing fired")
	say(q.Recorded == 0, "no quiet answer is recorded, so missed answers are unknown: sample a share of all answers "+
		"(sampling.tenants, role sample) and label some of them")
	for h := range fb.Strata {
		n := &fb.Strata[h]
		say(!only && n.Recorded > 0 && n.Labelled < measure.MinStratum,
			"%d of %d incidents of the stratum %q are labelled, %d are needed: recall is unknown, and no threshold is lowered", n.Labelled, n.Recorded, measure.Stratum(h), measure.MinStratum)
	}
	say(fb.Uncovered > 0, "%d incidents, %.0f %% of the answers, are of tenants without a label in that stratum: the weights leave them out", fb.Uncovered, 100*fb.uncoveredShare)
	say(fb.uncoveredShare > maxUncoveredShare, "that is more than 10 %%: no threshold for all tenants is lowered")
	say(fb.Expired > 0, "%d labelled incidents have no flag any more within this time: label sooner, or ask for a longer --feedback-since", fb.Expired)
	say(fb.UnknownProbability > 0, "%d sampled incidents carry no probability of being sampled: they are left out", fb.UnknownProbability)
	return list
}
