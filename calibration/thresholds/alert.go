package thresholds

import (
	"cmp"
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
// says why there is none. crossed are the detectors that fired under thresholds of the other folds.
func (c *calibrationRun) chooseAlert(judge *calibration.Calibration, fired, crossed firedMatrix) AlertReport {
	r := AlertReport{AlertOptions: c.o.Alert}
	rule := c.newAlertRule(judge)
	all := c.allRows()
	r.Rule = rule.figures(all, rule.alerts(fired, noMinRisk))
	minRisk, reason := rule.choose(all, fired)
	if reason != "" {
		r.Reason = reason
		return r
	}
	r.Chosen, r.MinRisk = true, minRisk
	alerts := rule.alerts(fired, minRisk)
	r.Rows = rule.figures(all, alerts)
	if c.folds > 1 {
		heldOut := c.heldOutAlerts(rule, crossed)
		held := rule.figures(all, heldOut)
		r.CrossValidated = &held
	}
	r.Section = r.section(len(c.rows))
	return r
}

func (c *calibrationRun) newAlertRule(judge *calibration.Calibration) *alertRule {
	rule := &alertRule{
		AlertOptions: c.o.Alert, policy: c.o.Policy, detectors: c.detectors, rows: c.rows,
		weights: make([]float64, len(c.rows)), risks: make([]float64, len(c.rows)),
	}
	for i := range c.rows {
		rule.weights[i] = roc.Scored{Weight: c.rows[i].Weight}.EffectiveWeight()
		rule.risks[i] = riskOf(&c.rows[i], judge)
	}
	return rule
}

// heldOutAlerts are the alerts of every row by thresholds and a minimum risk that were chosen on the other folds.
func (c *calibrationRun) heldOutAlerts(rule *alertRule, crossed firedMatrix) []bool {
	alerts := make([]bool, len(c.rows))
	for fold := range c.folds {
		var train []int
		for i := range c.rows {
			if c.fold[i] != fold {
				train = append(train, i)
			}
		}
		minRisk, reason := rule.choose(train, crossed)
		if reason != "" {
			minRisk = aboveAll
		}
		for i, alert := range rule.alerts(crossed, minRisk) {
			alerts[i] = alerts[i] || alert && c.fold[i] == fold
		}
	}
	return alerts
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

// riskLevel is one risk, with the rows that have it and alert without a minimum.
type riskLevel struct {
	risk float64
	rows []int
}

// levels are the risks of the rows that alert without a minimum, the highest first. That of rows that alert whatever the
// minimum is +Inf.
func (a *alertRule) levels(index []int, fired firedMatrix) (levels []riskLevel) {
	risks := make(map[int]float64, len(index))
	for _, i := range index {
		switch {
		case a.holds(i, fired[i], aboveAll):
			risks[i] = math.Inf(1)
		case a.holds(i, fired[i], noMinRisk):
			risks[i] = a.risks[i]
		}
	}
	index = slices.DeleteFunc(slices.Clone(index), func(i int) bool { _, alerts := risks[i]; return !alerts })
	slices.SortFunc(index, func(x, y int) int { return cmp.Or(cmp.Compare(risks[y], risks[x]), cmp.Compare(x, y)) })
	for _, i := range index {
		if n := len(levels); n > 0 && levels[n-1].risk == risks[i] {
			levels[n-1].rows = append(levels[n-1].rows, i)
			continue
		}
		levels = append(levels, riskLevel{risks[i], []int{i}})
	}
	return levels
}

// choose returns the minimum risk with which the rows of the index keep every limit, or why there is none.
func (a *alertRule) choose(index []int, fired firedMatrix) (minRisk float64, reason string) {
	limits := a.newLimits(index)
	if reason := limits.shortage(); reason != "" {
		return 0, reason
	}
	levels, kept := a.levels(index, fired), 0
	for n := range levels {
		limits.add(levels[n].rows)
		reason := limits.exceeded()
		if n == 0 && reason != "" {
			return 0, reason
		}
		if reason != "" {
			break
		}
		kept++
	}
	switch kept {
	case 0:
		return 0, "the alert rule holds on no row"
	case len(levels):
		return 0, "" // every answer on which enough fired may alert
	}
	return shortestThreshold([]roc.Candidate{{Threshold: levels[kept].risk}}, min(1, levels[kept-1].risk)), ""
}
