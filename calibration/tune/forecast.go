package tune

import (
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// shares are posteriors of what the rule does on the answers of each class.
type shares struct {
	base                     beta
	flagsWrong, flagsRight   beta
	alertsWrong, alertsRight beta
	seen, asked              bool // flags and alerts below were counted on unlabelled answers; a judge is asked about alerts
	flags, alerts            beta
}

// judgeSample counts what the rule does under the calibration.
func judgeSample(s *sample, answers []measure.Row, policy AlertPolicy, c *calibration.Calibration) shares {
	var flagsWrong, flagsRight, alertsWrong, alertsRight float64
	asked := false // a judge
	for i := range s.answers {
		a := &s.answers[i]
		flagged, alerts := judge(a.row, policy, c)
		if flagged {
			flagsWrong, flagsRight = flagsWrong+a.wrong, flagsRight+a.right
		}
		if alerts {
			wrong, right := confirmed(a.row, policy, c)
			alertsWrong, alertsRight = alertsWrong+wrong*a.wrong, alertsRight+right*a.right
			asked = asked || wrong < 1
		}
	}
	out := shares{
		base: s.base, flagsWrong: beta{flagsWrong, s.wrong - flagsWrong}, flagsRight: beta{flagsRight, s.right - flagsRight},
		alertsWrong: beta{alertsWrong, s.wrong - alertsWrong}, alertsRight: beta{alertsRight, s.right - alertsRight},
		seen: len(answers) > 0, asked: asked,
	}
	if out.seen {
		var all, flags, alarms kish // of recorded answers some stand for many
		for i := range answers {
			w := (&Row{Row: answers[i]}).weight()
			flagged, alerts := judge(&answers[i], policy, c)
			all.add(w, 1)
			flags.add(w, float64(boolInt(flagged)))
			alarms.add(w, float64(boolInt(alerts)))
		}
		by, jeffreys := all.scale(), 0.5
		share := func(part kish) beta { return beta{jeffreys + by*part.sum, jeffreys + by*(all.sum-part.sum)} }
		out.flags, out.alerts = share(flags), share(alarms)
	}
	return out
}

// forecast turns the shares into numbers of perDay answers.
func (s *shares) forecast(perDay float64) Forecast {
	var f Forecast
	base := draws(s.base, 0)
	flagsWrong, flagsRight := draws(s.flagsWrong, 1), draws(s.flagsRight, 2)
	alertsWrong, alertsRight := draws(s.alertsWrong, 3), draws(s.alertsRight, 4)
	flags, alerts, right := make([]float64, len(base)), make([]float64, len(base)), make([]float64, len(base))
	for i, p := range base {
		flags[i] = p*flagsWrong[i] + (1-p)*flagsRight[i]
		alerts[i] = p*alertsWrong[i] + (1-p)*alertsRight[i]
		right[i] = p * alertsWrong[i] / alerts[i]
	}
	p := s.base.mean()
	f.Flags = spread(p*s.flagsWrong.mean()+(1-p)*s.flagsRight.mean(), flags)
	f.Alerts = spread(p*s.alertsWrong.mean()+(1-p)*s.alertsRight.mean(), alerts)
	if s.seen {
		f.Flags = s.flags.interval()
	}
	if s.seen && !s.asked {
		f.Alerts = s.alerts.interval()
	}
	f.Flags, f.Alerts = f.Flags.times(perDay), f.Alerts.times(perDay)
	f.Right = spread(roc.Ratio(p*s.alertsWrong.mean(), p*s.alertsWrong.mean()+(1-p)*s.alertsRight.mean()), right)
	f.Found = s.flagsWrong.interval()
	return f
}

func (i Interval) times(n float64) Interval { return Interval{i.Value * n, i.Low * n, i.High * n} }

// draws are quantiles of the posterior that fill it evenly, in an order of their own for each variable, so that quantiles of a function
// of several come out as by drawing at random, and the same each time.
func draws(b beta, variable int) []float64 {
	const count = 257 // prime
	out := make([]float64, count)
	steps := [...]float64{0.6180339887, 0.7548776662, 0.8191725134, 0.8566748839, 0.8812714616}
	for i := range out {
		out[i] = b.quantile(math.Mod((float64(i)+0.5)*steps[variable], 1))
	}
	return out
}

// spread is a value with the ends of the middle 95 % of the draws.
func spread(value float64, values []float64) Interval {
	values = slices.DeleteFunc(values, math.IsNaN)
	slices.Sort(values)
	if len(values) == 0 {
		return Interval{value, 0, 1}
	}
	n := float64(len(values) - 1)
	return Interval{value, values[int(math.Floor(0.025*n))], values[int(math.Ceil(0.975*n))]}
}
