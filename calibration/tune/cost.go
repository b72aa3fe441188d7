package tune

import (
	"confab/calibration"
	"confab/calibration/shares"
)

// Cost is what Fit makes small, of an answer on average: the cost of pages, flags and wrong answers without them. flooded is what
// comes on top where a detector flags more fine answers than it may.
func Cost(rows []Row, policy AlertPolicy, c *calibration.Calibration) (cost, flooded float64) {
	var total, right float64
	alarms, rule := map[string]float64{}, newRule(policy, c)
	for i := range rows {
		r := &rows[i]
		fired, alerts := rule.judge(&r.Row)
		wrongCost, rightCost := costsOf(len(fired) > 0, alerts)
		w := weight(&r.Row)
		total, right = total+w, right+w*(1-r.Wrong)
		cost += w * (r.Wrong*wrongCost + (1-r.Wrong)*rightCost)
		for _, detector := range fired {
			alarms[detector] += w * (1 - r.Wrong)
		}
	}
	for _, n := range alarms {
		flooded += max(0, n-mostAlarms*right)
	}
	return shares.Ratio(cost, total), shares.Ratio(flooded, total)
}
