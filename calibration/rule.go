package calibration

import "fmt"

// Rule is the measured quality of the alert rule "two or more detectors fired" at the thresholds of the file.
type Rule struct {
	Rows         int     `yaml:"rows"`                      // rows labelled as fine that two or more detectors could check
	JointRate    float64 `yaml:"joint_false_positive_rate"` // share of them on which two or more fired
	Independence float64 `yaml:"independence_estimate"`     // the share that independent detectors would have

	Precision    float64 `yaml:"precision,omitempty"`                      // share of positives among all rows on which two or more fired
	PrecisionLow float64 `yaml:"precision_low,omitempty"`                  // lower end of its 95 % Wilson interval
	Recall       float64 `yaml:"recall,omitempty"`                         // share of all positives on which two or more fired
	JointHigh    float64 `yaml:"joint_false_positive_rate_high,omitempty"` // upper end of the 95 % Wilson interval of JointRate
	Pairs        []Pair  `yaml:"pairs,omitempty"`
}

// Pair is the agreement of two detectors on rows labelled as fine that both could check.
type Pair struct {
	A    string  `yaml:"a" required:"true"`
	B    string  `yaml:"b" required:"true"`
	Rows int     `yaml:"rows"`
	Phi  float64 `yaml:"phi"` // correlation of firing
}

func (v *validator) checkRule(r *Rule) {
	v.checkCount("rule.rows", r.Rows)
	v.checkShare("rule.joint_false_positive_rate", r.JointRate)
	v.checkShare("rule.joint_false_positive_rate_high", r.JointHigh)
	v.checkShare("rule.independence_estimate", r.Independence)
	v.checkShare("rule.precision", r.Precision)
	v.checkShare("rule.precision_low", r.PrecisionLow)
	v.checkShare("rule.recall", r.Recall)
	for i, p := range r.Pairs {
		field := fmt.Sprintf("rule.pairs[%d]", i)
		if p.A == "" || p.B == "" || p.A == p.B {
			v.report(field, "names %q and %q: name two detectors", p.A, p.B)
		}
		v.checkCount(field+".rows", p.Rows)
		v.checkCorrelation(field+".phi", p.Phi)
	}
}

func (v *validator) checkCorrelation(field string, x float64) {
	if !(x >= -1 && x <= 1) {
		v.report(field, "%v is outside -1 to 1", x)
	}
}
