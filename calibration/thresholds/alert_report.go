package thresholds

import (
	"fmt"
	"math"

	"confab/calibration"
	"confab/calibration/roc"
)

// AlertReport explains the minimum risk of an alert.
type AlertReport struct {
	AlertOptions
	Chosen      bool
	Reason      string // why none was chosen
	KeptFrom    string // calibration whose minimum and risk maps are kept instead; usually empty
	DroppedFrom string // calibration whose minimum is not kept, since it belongs to other risk maps; usually empty

	MinRisk float64
	Rule    AlertFigures       // without a minimum
	Rows    AlertFigures       // on the rows that the minimum was chosen on, which is optimistic
	Section *calibration.Alert // of the file: the chosen one, else the kept one, which may be nil
}

// AlertFigures are the figures of the alert rule at the base rate, over all rows.
type AlertFigures struct {
	FalseAlarms Share   // share of good answers that alert
	Recall      Share   // share of bad answers that alert
	Precision   Share   // share of bad answers among alerts, with the ends of the other two intervals; NaN without alerts
	Share       float64 // of all answers that alert
}

// Share is a share, or a multiple of one, with its 95 % interval.
type Share struct{ Value, Low, High float64 }

// section is the section of the file.
func (r *AlertReport) section(rows int) *calibration.Alert {
	a := &r.Rows
	s := &calibration.Alert{
		MinRisk: r.MinRisk, BaseRate: r.BaseRate, FalseAlarms: round4(a.FalseAlarms.Value), FalseAlarmsHigh: round4(a.FalseAlarms.High),
		Recall: round4(a.Recall.Value), N: rows,
	}
	if !math.IsNaN(a.Precision.Value) {
		s.Precision, s.PrecisionLow = round4(a.Precision.Value), round4(a.Precision.Low)
	}
	return s
}

// labelTotals are weights of rows by label, good and bad, with their squares.
type labelTotals struct{ rows, weight, squares [2]float64 }

const (
	good = 0
	bad  = 1
)

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

// figures are the figures of the alerts.
func (a *alertRule) figures(alerts []bool) (f AlertFigures) {
	var all, alerted labelTotals
	for i := range a.rows {
		all.add(a.rows[i].Positive, a.weights[i])
		if alerts[i] {
			alerted.add(a.rows[i].Positive, a.weights[i])
		}
	}
	f.FalseAlarms, f.Recall = shareOf(&alerted, &all, good), shareOf(&alerted, &all, bad)
	f.Precision = Share{
		a.precision(f.Recall.Value, f.FalseAlarms.Value), a.precision(f.Recall.Low, f.FalseAlarms.High), a.precision(f.Recall.High, f.FalseAlarms.Low),
	}
	f.Share = a.BaseRate*f.Recall.Value + (1-a.BaseRate)*f.FalseAlarms.Value
	return f
}

func shareOf(part, whole *labelTotals, k int) Share {
	s := Share{Value: roc.Ratio(part.weight[k], whole.weight[k])}
	s.Low, s.High = roc.Wilson(s.Value, whole.effective(k))
	return s
}

// precision is the share of bad answers among alerts; NaN without alerts.
func (o *AlertOptions) precision(recall, falseAlarms float64) float64 {
	return o.BaseRate * recall / (o.BaseRate*recall + (1-o.BaseRate)*falseAlarms)
}

// warnings say what a person should know before relying on the figures.
func (r *AlertReport) warnings() (w []string) {
	if !r.Chosen {
		return r.notChosen()
	}
	if r.MinRisk > 0 && r.Rows.Recall.Value == 0 {
		w = append(w, "no labelled bad answer alerts: with these labels the limits leave no useful alert")
	}
	return w
}

// notChosen says what became of the minimum risk where none was chosen.
func (r *AlertReport) notChosen() []string {
	switch {
	case r.KeptFrom != "":
		return []string{fmt.Sprintf("the risk maps and the minimum risk of an alert (%.3g) stay as in %s: %s", r.MinRisk, r.KeptFrom, r.Reason)}
	case r.DroppedFrom != "":
		return []string{fmt.Sprintf("the minimum risk of an alert of %s is dropped, since it belongs to other risk maps, and none is chosen: %s", r.DroppedFrom, r.Reason)}
	}
	return nil
}
