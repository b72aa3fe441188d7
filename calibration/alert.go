package calibration

// Alert is the least risk of an alert, with its figures on labelled rows.
type Alert struct {
	MinRisk         float64 `yaml:"min_risk" required:"true"` // 0 to 1
	BaseRate        float64 `yaml:"base_rate,omitempty"`      // share of bad answers in the traffic
	FalseAlarms     float64 `yaml:"false_alarms,omitempty"`   // share of good answers that alert
	FalseAlarmsHigh float64 `yaml:"false_alarms_high,omitempty"`
	Recall          float64 `yaml:"recall,omitempty"`
	Precision       float64 `yaml:"precision,omitempty"` // at the base rate
	PerDay          float64 `yaml:"per_day,omitempty"`
	N               int     `yaml:"n,omitempty"`
}

// AlertRisk is the risk below which no flag is an alert; ok is false if the file has none.
func (c *Calibration) AlertRisk() (least float64, ok bool) {
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
