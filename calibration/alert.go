package calibration

import "slices"

// Alert is the minimum risk of an alert, and the measured quality of the alert rule with it: two or more detectors fired,
// at the thresholds of the file, and the risk is at least MinRisk or unknown. Shares are those of all rows, checked or not.
type Alert struct {
	MinRisk  float64 `yaml:"min_risk" required:"true"`
	BaseRate float64 `yaml:"base_rate"` // share of bad answers that the figures hold for

	FalseAlarms     float64 `yaml:"false_alarms"`      // share of good answers that alert
	FalseAlarmsHigh float64 `yaml:"false_alarms_high"` // upper end of its 95 % Wilson interval
	Recall          float64 `yaml:"recall"`            // share of bad answers that alert
	Precision       float64 `yaml:"precision"`         // share of bad answers among alerts
	PrecisionLow    float64 `yaml:"precision_low"`     // with the ends of the intervals of Recall and FalseAlarms
	N               int     `yaml:"n"`                 // rows
}

// AlertRisk returns the minimum risk of an alert; ok is false if the file has none.
func (c *Calibration) AlertRisk() (minRisk float64, ok bool) {
	if c.file.Alert == nil {
		return 0, false
	}
	return c.file.Alert.MinRisk, true
}

func (v *validator) checkAlert(a *Alert) {
	if a == nil {
		return
	}
	for _, share := range []struct {
		field string
		value float64
	}{
		{"min_risk", a.MinRisk},
		{"base_rate", a.BaseRate},
		{"false_alarms", a.FalseAlarms},
		{"false_alarms_high", a.FalseAlarmsHigh},
		{"recall", a.Recall},
		{"precision", a.Precision},
		{"precision_low", a.PrecisionLow},
	} {
		v.checkShare("alert."+share.field, share.value)
	}
	v.checkCount("alert.n", a.N)
}

// KnowsModel reports whether the labels of the file had answers of the model. It reports true of an empty name, for the
// embedded file, and for a file that does not say which models it was made on. It does not allocate.
func (c *Calibration) KnowsModel(model string) bool {
	if len(c.models) == 0 || model == "" {
		return true
	}
	_, known := c.models[model]
	return known
}

// knownModels are the models that the file names; empty if thresholds are made for any, on unknown ones.
func knownModels(f *File) map[string]struct{} {
	keyed := slices.ContainsFunc(f.Thresholds, func(t Threshold) bool { return t.Model != "" })
	if len(f.Data.Models) == 0 && !keyed {
		return nil
	}
	known := make(map[string]struct{}, len(f.Data.Models))
	for _, name := range f.Data.Models {
		known[name] = struct{}{}
	}
	for _, t := range f.Thresholds {
		known[t.Model] = struct{}{}
	}
	for i := range f.Baselines {
		known[f.Baselines[i].Model] = struct{}{}
	}
	return known
}
