package tune

import (
	"cmp"
	"math"
	"slices"

	"confab/calibration"
	"confab/internal/model"
)

// ranked is an answer that would alert without a minimum risk.
type ranked struct {
	risk        float64
	rate, right float64 // share of the traffic that it stands for, and of that what is wrong
}

// budget is what thresholds and a minimum risk make of the traffic.
type budget struct {
	at          []float64
	minRisk     float64
	rate, right float64 // share of the traffic that alerts; and that alerts and is wrong
	enough      bool
}

// spend chooses how low thresholds are and the minimum risk of an alert, so that as many of the alerts to be spent as possible are
// right. Thresholds move together, in log-odds, and down only where right answers stay as quiet as they must.
func (f *fitRun) spend(s *search) {
	perDay := cmp.Or(f.o.PerDay, perThousand)
	share, from := f.o.Alerts/perDay, slices.Clone(s.at)
	best, most := budget{right: -1}, 0.0
	const steps, size = 16, 0.25
	for k := -steps; k <= steps; k++ {
		loud := false
		for d, at := range from {
			if s.at[d] = at; at > 0 && at < 1 {
				s.at[d] = partWay(at, model.Logistic(model.Logit(at)+float64(k)*size), 1)
			}
			loud = loud || comparesText(s.detectors[d]) && s.operatingAt(d, s.at[d]).alarms.mean() > mostAlarms
		}
		if k < 0 && loud {
			continue
		}
		b := f.budgetOf(s, share)
		most = max(most, b.rate)
		if b.enough && !best.enough || b.enough == best.enough && b.right > best.right {
			best = b
		}
	}
	s.at = best.at
	if !best.enough {
		f.keep("of the %.3g alerts asked for there are %.3g: lower thresholds would flag more than %.0f %% of right answers; "+
			"a lower alerting.threshold or higher weights alert on fewer detectors", f.o.Alerts, most*perDay, 100*mostAlarms)
	}
	f.setMinRisk(best.minRisk)
}

// budgetOf is the minimum risk with which that share of the traffic alerts, or the largest share below it.
func (f *fitRun) budgetOf(s *search, share float64) budget {
	b := budget{at: slices.Clone(s.at)}
	perWrong, perRight := s.perAnswer()
	var known, traffic []ranked
	for i := range s.answers {
		a := &s.answers[i]
		known = s.rank(known, a, ranked{rate: perWrong*a.wrong + perRight*a.right, right: perWrong * a.wrong})
	}
	for i := range f.o.Answers {
		a := answer{row: &f.o.Answers[i], scores: scoresOf(&f.o.Answers[i], s.detectors)}
		traffic = s.rank(traffic, &a, ranked{rate: 1 / float64(len(f.o.Answers))})
	}
	if len(f.o.Answers) == 0 {
		traffic = slices.Clone(known)
	}
	slices.SortFunc(traffic, func(a, b ranked) int { return cmp.Compare(b.risk, a.risk) })
	for i, r := range traffic {
		if b.rate+r.rate > 1.1*share && i > 0 {
			b.minRisk = math.Ceil((r.risk+traffic[i-1].risk)/2*1e4) / 1e4 // between the two; equal risks go together
			break
		}
		b.rate += r.rate
	}
	b.enough = b.rate >= 0.9*share
	for _, r := range known {
		if r.risk >= b.minRisk {
			b.right += r.right
		}
	}
	return b
}

// rank appends an answer that alerts. An unknown risk is enough for any minimum.
func (s *search) rank(to []ranked, a *answer, r ranked) []ranked {
	free := *s.rule
	free.minRisk = 0
	risk, alerts := free.alerts(a.row, s.fired(a))
	if !alerts {
		return to
	}
	if r.risk = risk; math.IsNaN(risk) {
		r.risk = 1
	}
	return append(to, r)
}

// setMinRisk sets the minimum risk of an alert in the file; 0 takes it out.
func (f *fitRun) setMinRisk(minRisk float64) {
	was, _ := f.o.Current.AlertRisk()
	if f.file.Alert = nil; minRisk > 0 {
		f.file.Alert = &calibration.Alert{MinRisk: minRisk}
	}
	if was != minRisk {
		f.report.Changes = append(f.report.Changes, Change{"alert.min_risk", was, minRisk, "so that the alerts asked for go to the highest risks"})
	}
}
