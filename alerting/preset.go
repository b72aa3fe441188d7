package alerting

// Preset names an alert rule; "" takes that of the defaults.
type Preset string

// The presets.
const (
	TwoOrMore Preset = "two_or_more" // two detectors must fire
	// ByDetector lets citation and schema alert alone. Confidence and consistency only support others. It has no minimum
	// risk.
	ByDetector Preset = "by_detector"
)

// apply returns base with the preset's rule. What the preset leaves open stays, such as the channel.
func (p Preset) apply(base RuleOptions) RuleOptions {
	switch p {
	case TwoOrMore:
		base.Threshold, base.Weights, base.MinRisk = nil, nil, nil
	case ByDetector:
		base.Threshold, base.MinRisk = nil, new(0.0)
		base.Weights = map[string]float64{"citation": 2, "schema": 2, "confidence": 0.5, "consistency": 0.5}
	}
	return base
}
