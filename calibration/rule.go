package calibration

import "fmt"

// Rule is how independent the detectors were: how often two or more of them fired on answers labelled as fine.
type Rule struct {
	Rows         int     `yaml:"rows"`                           // rows labelled as fine that two or more detectors could check
	JointRate    float64 `yaml:"joint_false_positive_rate"`      // share of them on which two or more fired
	JointHigh    float64 `yaml:"joint_false_positive_rate_high"` // upper end of its 95 % Wilson interval
	Independence float64 `yaml:"independence_estimate"`          // the share that independent detectors would have
	Pairs        []Pair  `yaml:"pairs,omitempty"`
}

// Pair is the agreement of two detectors on rows labelled as fine that both could check.
type Pair struct {
	A    string  `yaml:"a" required:"true"`
	B    string  `yaml:"b" required:"true"`
	Rows int     `yaml:"rows"`
	Phi  float64 `yaml:"phi"` // correlation of firing

	JointRate float64 `yaml:"joint_false_positive_rate"` // share of the rows on which both fired
}

func (v *validator) checkRule(r *Rule) {
	if r == nil {
		return
	}
	v.checkCount("rule.rows", r.Rows)
	v.checkShare("rule.joint_false_positive_rate", r.JointRate)
	v.checkShare("rule.joint_false_positive_rate_high", r.JointHigh)
	v.checkShare("rule.independence_estimate", r.Independence)
	for i, p := range r.Pairs {
		field := fmt.Sprintf("rule.pairs[%d]", i)
		if p.A == "" || p.B == "" || p.A == p.B {
			v.report(field, "names %q and %q: name two detectors", p.A, p.B)
		}
		v.checkCount(field+".rows", p.Rows)
		v.checkShare(field+".joint_false_positive_rate", p.JointRate)
		if !(p.Phi >= -1 && p.Phi <= 1) {
			v.report(field+".phi", "%v is outside -1 to 1", p.Phi)
		}
	}
}
