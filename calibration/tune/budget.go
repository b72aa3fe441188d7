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

// spend chooses how low thresholds are and the minimum risk of an alert, so that as many of the alerts a day as are to be spent
// are right. Thresholds move together, in log-odds, and only where right answers stay as quiet as they must.
func (f *fitRun) spend(s *search) {
	share := f.o.Alerts / cmp.Or(f.o.PerDay, perThousand)
	from := slices.Clone(s.at)
	best, most := budget{right: -1}, 0.0
	const steps, size = 16, 0.25
	for k := -steps; k <= steps; k++ {
		s.at = slices.Clone(from)
		for d, at := range from {
			if at > 0 && at < 1 {
				s.at[d] = partWay(at, model.Logistic(model.Logit(at)+float64(k)*size), 1)
			}
		}
		if k < 0 && s.tooLoud() {
			continue
		}
		b := f.budgetOf(s, share)
		most = max(most, b.rate)
		if enough := b.rate >= 0.9*share; enough && !best.enough || enough == best.enough && b.right > best.right {
			b.enough, b.at = enough, slices.Clone(s.at)
			best = b
		}
	}
	s.at = best.at
	if !best.enough {
		f.keep("no more than %.3g alerts of the %.3g asked for: lower thresholds would flag more than %.0f %% of right answers; "+
			"alerting.threshold or weights would let fewer detectors alert", most*cmp.Or(f.o.PerDay, perThousand), f.o.Alerts, 100*mostAlarms)
	}
	f.setMinRisk(best.minRisk)
}

// budget is what thresholds and a minimum risk make of the traffic.
type budget struct {
	at          []float64
	minRisk     float64
	rate, right float64 // share of the traffic that alerts; and that alerts and is wrong
	enough      bool
}

// tooLoud reports whether a detector of text flags more right answers than it may.
func (s *search) tooLoud() bool {
	for d, name := range s.detectors {
		if alarms := s.operatingAt(d, s.at[d]).alarms; comparesText(name) && alarms.mean() > mostAlarms {
			return true
		}
	}
	return false
}

// budgetOf is the minimum risk with which that share of the traffic alerts, or the largest share below it.
func (f *fitRun) budgetOf(s *search, share float64) (b budget) {
	sample := f.alerting(s)
	traffic := sample
	if len(f.o.Answers) > 0 {
		traffic = nil
		for i := range f.o.Answers {
			a := answer{row: &f.o.Answers[i], scores: scoresOf(&f.o.Answers[i], s.detectors)}
			if risk, alerts := s.riskOf(&a); alerts {
				traffic = append(traffic, ranked{risk: risk, rate: 1 / float64(len(f.o.Answers))})
			}
		}
	}
	slices.SortFunc(traffic, func(a, b ranked) int { return cmp.Compare(b.risk, a.risk) })
	for i, r := range traffic {
		if b.rate+r.rate > 1.1*share && b.rate > 0 {
			b.minRisk = math.Ceil((r.risk+traffic[i-1].risk)/2*1e4) / 1e4 // between the two; equal risks go together
			break
		}
		b.rate += r.rate
	}
	for _, r := range sample {
		if r.risk >= b.minRisk {
			b.right += r.right
		}
	}
	return b
}

// alerting are the answers of the sample that alert without a minimum risk.
func (f *fitRun) alerting(s *search) (out []ranked) {
	perWrong, perRight := s.perAnswer()
	for i := range s.answers {
		a := &s.answers[i]
		if risk, alerts := s.riskOf(a); alerts {
			out = append(out, ranked{risk, perWrong*a.wrong + perRight*a.right, perWrong * a.wrong})
		}
	}
	return out
}

// riskOf is the risk of an answer that alerts without a minimum. An unknown one is enough for any.
func (s *search) riskOf(a *answer) (risk float64, alerts bool) {
	fired := s.rule.names(s.mask(a))
	if !s.rule.policy.Holds(a.row.Tenant, fired, 1, 0) {
		return 0, false
	}
	risk = riskOf(a.row, &firing{s.rule.cal, fired})
	if math.IsNaN(risk) {
		risk = 1
	}
	return risk, s.rule.policy.Holds(a.row.Tenant, fired, risk, 0)
}

// setMinRisk sets the minimum risk of an alert in the file; 0 takes it out.
func (f *fitRun) setMinRisk(minRisk float64) {
	was, _ := f.o.Current.AlertRisk()
	f.file.Alert = nil
	if minRisk > 0 {
		f.file.Alert = &calibration.Alert{MinRisk: minRisk, N: len(f.rows)}
	}
	if was != minRisk {
		f.report.Changes = append(f.report.Changes, Change{Name: "alert.min_risk", From: was, To: minRisk, Why: "so that the alerts asked for are spent on the highest risks"})
	}
}

// describeAlerts adds to the file what its alerts are worth.
func (f *fitRun) describeAlerts(s *shares) {
	a := f.file.Alert
	if a == nil {
		return
	}
	wrong, right := s.alertsWrong, s.alertsRight
	base := s.base.mean()
	precision := func(found, alarms float64) float64 { return round3(ratio(base*found, (1-base)*alarms)) }
	*a = calibration.Alert{
		MinRisk: a.MinRisk, BaseRate: round3(base), N: len(f.rows), Recall: round3(wrong.mean()),
		FalseAlarms: round3(right.mean()), FalseAlarmsHigh: round3(right.quantile(0.975)),
		Precision: precision(wrong.mean(), right.mean()), PrecisionLow: precision(wrong.quantile(0.025), right.quantile(0.975)),
	}
}
