package thresholds

import (
	"fmt"

	"confab/calibration"
)

// setRisk adds the risk maps: fitted on the rows, else those of a calibration that is kept. Its minimum risk of an alert goes with
// them, and only with them, since it means nothing on another scale. The reason says why the rows give no maps.
func (c *calibrationRun) setRisk(f *calibration.File) (keptFrom, reason string) {
	keep := c.o.Current
	if keep != nil {
		reason = "the flags do not hold what the risk is made of"
	} else {
		maps, err := c.fitRisk()
		if len(maps) > 0 {
			f.Risk = maps
			return "", ""
		}
		reason = "no row has a fused score"
		if err != nil {
			reason = err.Error()
		}
		if keep = c.o.Keep; keep == nil || keep.File().Model != "" && c.o.Model != "" && keep.File().Model != c.o.Model {
			return "", reason
		}
	}
	old := keep.File()
	if f.Risk, f.Alert = old.Risk, old.Alert; len(old.Risk) == 0 {
		return "", reason
	}
	return keep.ID(), reason
}

// riskWarning says what became of the minimum risk of alerts of the calibration in force; "" for nothing.
func (c *calibrationRun) riskWarning(f *calibration.File) string {
	if c.o.Keep == nil || c.o.Keep.File().Alert == nil || f.Alert != nil {
		return ""
	}
	return fmt.Sprintf("the minimum risk of an alert of %s is dropped, since it belongs to other risk maps: alerting.min_risk sets one", c.o.Keep.ID())
}
