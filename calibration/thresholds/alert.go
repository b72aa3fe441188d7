package thresholds

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// AlertOptions configure how the minimum risk of an alert is chosen. Zero values are the defaults in brackets.
type AlertOptions struct {
	BaseRate    float64 // share of bad answers in the traffic [0.05]
	FalseAlarms float64 // share of good answers that may alert [0.01]
}

const (
	defaultBaseRate    = 0.05
	defaultFalseAlarms = 0.01
)

func (o AlertOptions) withDefaults() AlertOptions {
	orDefault(&o.BaseRate, defaultBaseRate)
	orDefault(&o.FalseAlarms, defaultFalseAlarms)
	return o
}

// alertRule is the choice of the minimum risk of an alert. An alert is a row on which the policy holds: enough detectors
// fired, with a risk of at least the minimum, or an unknown risk. Tenants with a configured minimum do not read it.
type alertRule struct {
	AlertOptions
	policy    AlertPolicy
	detectors []string // by index, as in a firedMatrix
	rows      []measure.Row
	weights   []float64 // as the rows have them: the base rate weighs good against bad ones
	risks     []float64 // of each row; NaN if unknown
}

// chooseAlert chooses the minimum risk of an alert on the fired detectors of the rows, under the risk maps of judge. The report
// says why there is none.
func (c *calibrationRun) chooseAlert(judge *calibration.Calibration, fired firedMatrix) AlertReport {
	r := AlertReport{AlertOptions: c.o.Alert}
	rule := c.newAlertRule(judge)
	r.Rule = rule.figures(rule.alerts(fired, noMinRisk))
	minRisk, reason := rule.choose(fired)
	if reason != "" {
		r.Reason = reason
		return r
	}
	r.Chosen, r.MinRisk = true, minRisk
	r.Rows = rule.figures(rule.alerts(fired, minRisk))
	r.Section = r.section(len(c.rows))
	return r
}

func (c *calibrationRun) newAlertRule(judge *calibration.Calibration) *alertRule {
	rule := &alertRule{
		AlertOptions: c.o.Alert, policy: c.o.Policy, detectors: c.detectors, rows: c.rows,
		weights: c.weights, risks: make([]float64, len(c.rows)),
	}
	for i := range c.rows {
		rule.risks[i] = riskOf(&c.rows[i], judge)
	}
	return rule
}

// alerts says which rows alert.
func (a *alertRule) alerts(fired firedMatrix, minRisk float64) []bool {
	out := make([]bool, len(a.rows))
	for i := range out {
		out[i] = a.holds(i, fired[i], minRisk)
	}
	return out
}

// holds reports whether the policy holds on the row with the fired detectors.
func (a *alertRule) holds(i int, fired []bool, minRisk float64) bool {
	var names []string
	for d, f := range fired {
		if f {
			names = append(names, a.detectors[d])
		}
	}
	return a.policy.Holds(a.rows[i].Tenant, names, a.risks[i], minRisk)
}

// anyReaches reports whether the policy holds on any row whatever its risk.
func (c *calibrationRun) anyReaches(fired firedMatrix) bool {
	rule := &alertRule{policy: c.o.Policy, detectors: c.detectors, rows: c.rows, risks: slices.Repeat([]float64{certainRisk}, len(c.rows))}
	return slices.Contains(rule.alerts(fired, noMinRisk), true)
}

// choose returns the lowest minimum risk at which the share of good answers that alert keeps the limit, or why there is none. One
// good answer more, an alert, is counted: answers like these then exceed the limit on average no more than it says (conformal
// risk control: Angelopoulos and others, 2022).
func (a *alertRule) choose(fired firedMatrix) (minRisk float64, reason string) {
	var all labelTotals
	for i := range a.rows {
		all.add(a.rows[i].Positive, a.weights[i])
	}
	n := all.effective(good)
	exceeds := func(share float64) bool { return (share*n+1)/(n+1) > a.FalseAlarms*(1+1e-9) } // sums of weights have rounding errors
	switch {
	case all.rows[bad] < defaultMinClass:
		return 0, fmt.Sprintf("too few bad answers: %.0f, %d are needed", all.rows[bad], defaultMinClass)
	case exceeds(0):
		return 0, fmt.Sprintf("too few good answers: %.0f, %.0f are needed to show less than %s false alarms: label more, or raise --false-alarms",
			math.Floor(n), math.Ceil(1/a.FalseAlarms)-1, percent(a.FalseAlarms))
	}
	index := a.alerting(fired)
	if len(index) == 0 {
		return 0, "the alert rule holds on no row"
	}
	alarms, kept := 0.0, 0
	for k, i := range index {
		alarms += a.weights[i] * float64(1-boolInt(a.rows[i].Positive))
		if k+1 < len(index) && a.risks[index[k+1]] == a.risks[i] {
			continue // equal risks go together
		}
		if exceeds(roc.Ratio(alarms, all.weight[good])) {
			break
		}
		kept = k + 1
	}
	switch kept {
	case 0:
		return 0, fmt.Sprintf("the answers of highest risk alone exceed %s false alarms: label more good answers, or raise --false-alarms", percent(a.FalseAlarms))
	case len(index):
		return 0, "" // every answer on which enough fired may alert
	}
	return roundDown(a.risks[index[kept-1]]), ""
}

// alerting are the rows that alert without a minimum, those of the highest risk first. The risk of one that alerts whatever the
// minimum is set to certainRisk.
func (a *alertRule) alerting(fired firedMatrix) (index []int) {
	for i := range a.rows {
		if a.holds(i, fired[i], aboveAll) {
			a.risks[i] = certainRisk
		}
		if a.holds(i, fired[i], noMinRisk) {
			index = append(index, i)
		}
	}
	slices.SortFunc(index, func(x, y int) int { return cmp.Or(cmp.Compare(a.risks[y], a.risks[x]), cmp.Compare(x, y)) })
	return index
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
