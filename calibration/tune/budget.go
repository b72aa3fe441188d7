package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"confab/calibration"
	"confab/internal/model"
)

// ranked is an answer that would alert without a minimum risk, and the share of the traffic that it stands for.
type ranked struct{ risk, rate float64 }

// budget is what thresholds and a minimum risk make of the traffic.
type budget struct {
	at      []float64
	minRisk float64
	most    float64 // share of the traffic that alerts without the minimum
	spent   float64 // and with it
}

// spend sets the minimum risk of an alert with which as many alert as are to be spent, and reports whether there are too few.
func (f *fitRun) spend(s *search) (short bool) {
	perDay := cmp.Or(f.o.PerDay, perThousand)
	share := f.o.Alerts / perDay
	best := f.lowered(s, share)
	if short = best.most < 0.9*share; short {
		say := fmt.Sprintf("lower thresholds would flag more than %.0f %% of fine answers", 100*min(1, max(mostAlarms, share)))
		if share > 1 {
			say = "the log has fewer answers"
		}
		one := f.lowered(&search{sample: s.sample, rule: &rule{policy: oneDetector{}, cal: s.rule.cal}, at: s.at}, share)
		if one.most > best.most {
			say = "alerting.threshold: 1, which one detector reaches, would give more, and more wrong ones; --set alerting.threshold=1 shows the forecast"
		}
		f.keep("%s alerts were asked for, there are about %s: %s", plain(f.o.Alerts), plain(best.most*perDay), say)
	}
	copy(s.at, best.at)
	if best.spent > 2*share { // the riskiest answers, of one risk, stand for more
		f.keep("%s alerts were asked for, there are about %s: no fewer can be told apart among these answers; a longer log can", plain(f.o.Alerts), plain(best.spent*perDay))
	}
	f.setMinRisk(best.minRisk)
	return short
}

// oneDetector is the rule that one detector reaches.
type oneDetector struct{}

// Holds implements [AlertPolicy].
func (oneDetector) Holds(_ string, fired []string, _, _ float64) bool { return len(fired) > 0 }

// lowered is the budget of that share of the traffic. If there are too few alerts, thresholds go down together, in log-odds, until a
// detector flags more fine answers than it may and than are to alert.
func (f *fitRun) lowered(s *search, share float64) budget {
	from := slices.Clone(s.at)
	forecast := &search{sample: s.forForecasts(), rule: s.rule, at: s.at}
	best := f.budgetOf(forecast, share)
	const steps, size = 16, 0.25
	for k := 1; k <= steps && best.most < 0.9*share; k++ {
		loud := false
		for d, at := range from {
			if at < 1 {
				s.at[d] = max(partWay(at, model.Logistic(model.Logit(at)-float64(k)*size), 1), slices.Min(candidates(at, s.detectors[d])))
			}
			loud = loud || s.operatingAt(d, s.at[d]).alarms.mean() > max(mostAlarms, share)
		}
		if b := f.budgetOf(forecast, share); !loud && b.most > best.most {
			best = b
		}
	}
	copy(s.at, from)
	return best
}

// plain is a number without an exponent.
func plain(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// budgetOf is the minimum risk with which that share of the traffic alerts, about. The traffic are the unlabelled answers, else the sample.
func (f *fitRun) budgetOf(s *search, share float64) budget {
	var traffic []ranked
	all := 0.0
	for i := range f.o.Answers {
		all += weight(&f.o.Answers[i])
	}
	for i := range f.o.Answers {
		a := answer{row: &f.o.Answers[i], scores: scoresOf(&f.o.Answers[i], s.detectors)}
		traffic = s.rank(traffic, &a, weight(a.row)/all)
	}
	if perWrong, perRight := s.perAnswer(); len(f.o.Answers) == 0 {
		for i := range s.answers {
			a := &s.answers[i]
			traffic = s.rank(traffic, a, perWrong*a.wrong+perRight*a.right)
		}
	}
	slices.SortFunc(traffic, func(a, b ranked) int { return cmp.Compare(b.risk, a.risk) })
	b := budget{at: slices.Clone(s.at)}
	for i, r := range traffic {
		if i > 0 && b.minRisk == 0 && b.most+r.rate > 1.1*share {
			if least := math.Floor(traffic[i-1].risk*1e6) / 1e6; least > r.risk { // equal risks go together
				b.minRisk = least
			}
		}
		if b.most += r.rate; b.minRisk == 0 {
			b.spent = b.most
		}
	}
	return b
}

// rank appends an answer that alerts. An unknown risk is enough for any minimum.
func (s *search) rank(to []ranked, a *answer, rate float64) []ranked {
	free := *s.rule
	free.minRisk = 0
	risk, alerts := free.alerts(a.row, s.fired(a))
	if !alerts {
		return to
	}
	if math.IsNaN(risk) {
		risk = 1
	}
	return append(to, ranked{risk, rate})
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
