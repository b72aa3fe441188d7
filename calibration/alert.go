package calibration

import "slices"

// Alert is the minimum risk of an alert, for tenants without their own.
type Alert struct {
	MinRisk float64 `yaml:"min_risk" required:"true"`
}

// AlertRisk returns the minimum risk of an alert; ok is false if the file has none.
func (c *Calibration) AlertRisk() (minRisk float64, ok bool) {
	if c.file.Alert == nil {
		return 0, false
	}
	return c.file.Alert.MinRisk, true
}

func (v *validator) checkAlert(a *Alert) {
	if a != nil {
		v.checkShare("alert.min_risk", a.MinRisk)
	}
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
