package thresholds

import (
	"cmp"

	"confab/calibration"
)

// setRisk adds the risk maps and the minimum risk of an alert. They belong together, since a minimum means nothing on another
// scale: both are fitted on the rows, or both are those of a calibration that is kept. Without one to keep, fitted maps have
// no minimum.
func (c *calibrationRun) setRisk(f *calibration.File, fired firedMatrix) (AlertReport, error) {
	if c.o.Current != nil {
		r := AlertReport{AlertOptions: c.o.Alert, Reason: "people's labels do not choose it: the flags do not hold what the risk is made of"}
		r.keep(f, c.o.Current)
		return r, nil
	}
	maps, unfit := c.fitRisk()
	f.Risk = maps
	judge, err := calibration.New(*f)
	if err != nil {
		return AlertReport{}, err
	}
	r := c.chooseAlert(judge, fired)
	if unfit != nil {
		r.Chosen, r.Reason = false, unfit.Error()
	}
	keep := c.keptRisk()
	if r.Chosen && (len(maps) > 0 || keep == nil) {
		f.Alert = r.Section
		return r, nil
	}
	switch {
	case keep != nil:
		r.Chosen, r.Reason = false, cmp.Or(r.Reason, "no row has a risk")
		r.keep(f, keep)
	case c.o.Keep != nil && c.o.Keep.File().Alert != nil:
		r.DroppedFrom = c.o.Keep.ID()
	}
	return r, nil
}

// keptRisk is the calibration whose risk maps and minimum risk may be kept: it has both, for the model that measured the rows.
// Nil without one.
func (c *calibrationRun) keptRisk() *calibration.Calibration {
	if c.o.Keep == nil {
		return nil
	}
	f := c.o.Keep.File()
	if len(f.Risk) == 0 || f.Alert == nil || f.Model != "" && c.o.Model != "" && f.Model != c.o.Model {
		return nil
	}
	return c.o.Keep
}

// keep takes the risk maps and the minimum risk of a calibration.
func (r *AlertReport) keep(f *calibration.File, from *calibration.Calibration) {
	old := from.File()
	f.Risk, f.Alert = old.Risk, old.Alert
	if old.Alert != nil {
		r.KeptFrom, r.Section, r.MinRisk = from.ID(), old.Alert, old.Alert.MinRisk
	}
}
