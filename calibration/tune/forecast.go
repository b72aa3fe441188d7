package tune

import (
	"cmp"
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/shares"
)

// perThousand is the number of answers of a forecast without a number of answers a day.
const perThousand = 1000

// forecast says what the configured rule does under the calibration: in each class by the sample, and on unlabelled answers, where
// there are any, by counting. Of alerts that wait for a judge nobody knows how many are left but by class.
func (f *fitRun) forecast(c *calibration.Calibration) Forecast {
	s, rule, asked := f.root.forForecasts(), newRule(f.o.Policy, c), false
	var flagged, alerted [2]float64 // of wrong and of fine answers
	for i := range s.answers {
		a := &s.answers[i]
		fired, alerts := rule.judge(a.row)
		if len(fired) > 0 {
			flagged[0], flagged[1] = flagged[0]+a.wrong, flagged[1]+a.right
		}
		if alerts {
			wrong, right := rule.confirmed(a.row.Tenant, fired)
			alerted[0], alerted[1] = alerted[0]+wrong*a.wrong, alerted[1]+right*a.right
			asked = asked || wrong < 1
		}
	}
	var out Forecast
	flagsWrong := beta{flagged[0], s.wrong - flagged[0]}
	out.Found = flagsWrong.interval()
	out.Flags, _ = mixture(s.base, flagsWrong, beta{flagged[1], s.right - flagged[1]}, 1)
	out.Alerts, out.Right = mixture(s.base, beta{alerted[0], s.wrong - alerted[0]}, beta{alerted[1], s.right - alerted[1]}, 3)
	if len(f.o.Answers) > 0 {
		flags, alerts := f.counted(rule, &out.Log)
		if out.Flags = flags; !asked {
			out.Alerts = alerts
		}
	}
	perDay := cmp.Or(f.o.PerDay, perThousand)
	for _, i := range []*Interval{&out.Flags, &out.Alerts} {
		*i = Interval{i.Value * perDay, i.Low * perDay, i.High * perDay}
	}
	return out
}

// counted are the shares of the answers at hand that are flagged and that alert, and their number; some stand for many.
func (f *fitRun) counted(r *rule, n *Counted) (flags, alerts Interval) {
	var all, flagged, alerted kish
	for i := range f.o.Answers {
		w := weight(&f.o.Answers[i])
		fired, holds := r.judge(&f.o.Answers[i])
		all.add(w, 1)
		flagged.add(w, shares.Indicator(len(fired) > 0))
		alerted.add(w, shares.Indicator(holds))
		n.Answers, n.Flags, n.Alerts = n.Answers+1, n.Flags+min(len(fired), 1), n.Alerts+int(shares.Indicator(holds))
	}
	const jeffreys = 0.5
	share := func(part float64) Interval {
		i := beta{jeffreys + all.scale()*part, jeffreys + all.scale()*(all.sum-part)}.interval()
		seen := part / all.sum
		return Interval{seen, min(i.Low, seen), max(i.High, seen)}
	}
	return share(flagged.sum), share(alerted.sum)
}

// mixture is the share of all answers of which these shares of wrong and fine ones are a part, and the share of wrong ones in it.
// variable is the number of the first share as in [evenly].
func mixture(base, ofWrong, ofRight beta, variable int) (share, wrong Interval) {
	const count = 257 // prime
	shares, wrongs := make([]float64, count), make([]float64, count)
	mix := func(p, w, r float64) (share, wrong float64) {
		share = p*w + (1-p)*r
		return share, p * w / share
	}
	for k := range shares {
		shares[k], wrongs[k] = mix(base.quantile(evenly(k, 0)), ofWrong.quantile(evenly(k, variable)), ofRight.quantile(evenly(k, variable+1)))
	}
	at, of := mix(base.mean(), ofWrong.mean(), ofRight.mean())
	if at == 0 {
		of = 0
	}
	return spread(at, shares), spread(of, wrongs)
}

// evenly is the k-th of numbers that fill 0 to 1 evenly, in an order of its own for each variable: what is made of several of them
// comes out as by drawing at random, and the same each time.
func evenly(k, variable int) float64 {
	steps := [...]float64{0.6180339887, 0.7548776662, 0.8191725134, 0.8566748839, 0.8812714616, 0.8986537126, 0.9115923534, 0.9215993196}
	return math.Mod((float64(k)+0.5)*steps[variable], 1)
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
