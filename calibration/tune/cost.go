package tune

import (
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// Cost is what Fit makes small, of an answer on average: the cost of pages, flags and wrong answers without them. flooded is what
// comes on top where a detector of text flags more right answers than it may.
func Cost(rows []Row, policy AlertPolicy, c *calibration.Calibration) (cost, flooded float64) {
	var total, right float64
	alarms := map[string]float64{}
	for i := range rows {
		r := &rows[i]
		wrongCost, rightCost := costMissed, 0.0
		switch flagged, alerts := judge(&r.Row, policy, c); {
		case alerts:
			wrongCost, rightCost = 0, 1
		case flagged:
			wrongCost, rightCost = costUnpaged, costAlarm
		}
		w := r.weight()
		total, right = total+w, right+w*(1-r.Wrong)
		cost += w * (r.Wrong*wrongCost + (1-r.Wrong)*rightCost)
		for d := range r.Signals {
			if r.FiredBy(c, d) {
				alarms[r.Signals[d].Detector] += w * (1 - r.Wrong)
			}
		}
	}
	for _, n := range alarms {
		flooded += max(0, n-mostAlarms*right)
	}
	return roc.Ratio(cost, total), roc.Ratio(flooded, total)
}

// Alerts reports whether the row alerts by the configured rule under the calibration.
func Alerts(r *measure.Row, policy AlertPolicy, c *calibration.Calibration) bool {
	_, alerts := judge(r, policy, c)
	return alerts
}
