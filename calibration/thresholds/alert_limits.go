package thresholds

import (
	"fmt"
	"math"

	"confab/calibration/roc"
)

// alertLimits compare a growing set of alerts with the limits.
type alertLimits struct {
	rule  *alertRule
	all   labelTotals
	alert labelTotals // of the alerts so far
}

// labelTotals are weights of rows by label, with their squares.
type labelTotals struct {
	rows, weight, squares [2]float64 // good, bad
}

func (t *labelTotals) add(positive bool, w float64) {
	k := boolInt(positive)
	t.rows[k]++
	t.weight[k] += w
	t.squares[k] += w * w
}

// effective is Kish's number of good or bad rows.
func (t *labelTotals) effective(k int) float64 {
	return roc.Ratio(t.weight[k]*t.weight[k], t.squares[k])
}

const (
	good = 0
	bad  = 1
)

func (a *alertRule) newLimits(index []int) *alertLimits {
	l := &alertLimits{rule: a}
	for _, i := range index {
		l.all.add(a.rows[i].Positive, a.weights[i])
	}
	return l
}

// shortage says why the labels cannot show that the limit holds; "" if they can.
func (l *alertLimits) shortage() string {
	need := math.Ceil(1/l.rule.FalseAlarms) - 1
	switch {
	case l.all.rows[bad] < defaultMinClass:
		return fmt.Sprintf("too few bad answers: %.0f, %d are needed", l.all.rows[bad], defaultMinClass)
	case isAbove(oneMore(0, l.all.effective(good)), l.rule.FalseAlarms):
		return fmt.Sprintf("too few good answers: %.0f, %.0f are needed to show less than %s false alarms: label more, or raise --false-alarms",
			math.Floor(l.all.effective(good)), need, percent(l.rule.FalseAlarms))
	}
	return ""
}

func (l *alertLimits) add(rows []int) {
	for _, i := range rows {
		l.alert.add(l.rule.rows[i].Positive, l.rule.weights[i])
	}
}

// oneMore is the share of false alarms with one more good answer, an alert. Under a limit on it, answers like these
// exceed the limit on average no more than it says (conformal risk control: Angelopoulos and others, 2022).
func oneMore(share, rows float64) float64 { return (share*rows + 1) / (rows + 1) }

// isAbove compares sums of weights, which have rounding errors.
func isAbove(x, limit float64) bool { return x > limit*(1+1e-9) }

// exceeded says that the alerts exceed the limit of false alarms; "" if they do not.
func (l *alertLimits) exceeded() string {
	share := roc.Ratio(l.alert.weight[good], l.all.weight[good])
	if isAbove(oneMore(share, l.all.effective(good)), l.rule.FalseAlarms) {
		return fmt.Sprintf("the answers of highest risk alone exceed %s false alarms: label more good answers, or raise --false-alarms", percent(l.rule.FalseAlarms))
	}
	return ""
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
