package confab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
)

// UnreachableRules returns the parts of the policy that can never hold with the calibration, one sentence each:
// its key, why, and the remedy. A part that no tenant can meet is named once.
func UnreachableRules(policy *alerting.PolicyOptions, cal *calibration.Calibration, running RunningDetectors) []string {
	a := &ruleAudit{policy: NewPolicy(*policy, cal), cal: cal, running: running}
	ofAll := a.problems("")
	list := ofAll
	for _, name := range slices.Sorted(maps.Keys(policy.Tenants)) {
		for _, problem := range a.problems(name) {
			if !slices.Contains(ofAll, problem) {
				list = append(list, "tenants."+name+"."+problem)
			}
		}
	}
	return list
}

// RunningDetectors are the names of the detectors that run, of all passes.
type RunningDetectors struct {
	Standard []string
	Own      []string // of other modules, which no calibration knows; they can fire
	Off      detectors.OffByTenant
}

// ruleAudit looks for parts of a policy that can never hold.
type ruleAudit struct {
	policy  *alerting.Policy
	cal     *calibration.Calibration
	running RunningDetectors
}

// problems are those of one tenant, without the tenant's name.
func (a *ruleAudit) problems(tenant string) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	const certain = 1.0
	armed, limits := a.armed(tenant), a.policy.Limits(tenant)
	if !a.policy.Holds(tenant, armed, certain, 0) {
		say("alerting.threshold: the detectors that are enabled, armed and not muted cannot reach %g together (%s), so nothing alerts: "+
			"lower it, raise their weights, or enable and arm more", limits.Threshold, orNone(armed))
	}
	if limits.Configured && limits.MinRisk > 0 && len(a.cal.File().Risk) == 0 {
		say("alerting.min_risk: the calibration %s has no risk map, so no flag has a risk: tune from one that has, or take min_risk out", a.cal.ID())
	}
	return list
}

// DescribeAlertRules returns the alert rule in force, one sentence for all tenants and one for each with its own numbers.
func DescribeAlertRules(policy *alerting.PolicyOptions, cal *calibration.Calibration) []string {
	p := NewPolicy(*policy, cal)
	ofAll := describeLimits(p.Limits(""), cal.ID())
	list := []string{"alert: " + ofAll}
	for _, name := range slices.Sorted(maps.Keys(policy.Tenants)) {
		if own := describeLimits(p.Limits(name), cal.ID()); own != ofAll {
			list = append(list, "alert of "+name+": "+own)
		}
	}
	return list
}

func describeLimits(l alerting.RuleLimits, calibrationID string) string {
	text := fmt.Sprintf("the weights of the detectors that fired sum to %g or more", l.Threshold)
	if l.MinRisk == 0 {
		return text + ", whatever the risk"
	}
	text += fmt.Sprintf(" and the risk is at least %g", l.MinRisk)
	if !l.Configured {
		text += " or unknown (alert.min_risk of the calibration " + calibrationID + ", since alerting.min_risk is not set)"
	}
	if l.BlockRisk < l.MinRisk {
		text += fmt.Sprintf("; recommendation.block %g has no effect, since every alert has a higher risk", l.BlockRisk)
	}
	return text
}

// armed are the running detectors that can fire for the tenant and count towards its alerts.
func (a *ruleAudit) armed(tenant string) (names []string) {
	for _, name := range a.running.Standard {
		if a.cal.CanFire(name, tenant) && !slices.Contains(a.running.Off.Of(tenant), name) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(append(names, a.running.Own...), func(name string) bool { return !a.policy.Counts(tenant, name) })
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
