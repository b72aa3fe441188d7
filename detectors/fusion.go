package detectors

// Risks turn what fusion says of an interaction into a probability.
type Risks interface {
	// Risk is the calibrated probability that the answer is hallucinated. measurable names the detectors that could
	// measure it, in the suite's order, joined by "+"; ok is false when no map is known.
	Risk(measurable string, logOdds float64) (p float64, ok bool)
}

// FusionFeatures names what fusion reads, in the order of Evaluation.FusionVector.
func FusionFeatures() []string { return nil }
