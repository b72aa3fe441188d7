package detectors

import "context"

// EntailmentOptions tune the entailment detector.
type EntailmentOptions struct{}

// DefaultEntailmentOptions are all there are.
func DefaultEntailmentOptions() EntailmentOptions { return EntailmentOptions{} }

type entailment struct {
	by      Entailer
	from    Resampler
	weights ReliabilityWeights
}

func newEntailment(_ EntailmentOptions, deps Deps) (Detector, error) {
	return &entailment{by: deps.Entailer, from: deps.Resampler, weights: deps.Reliability}, nil
}

func (*entailment) Name() string { return "entailment" }

const reasonNoEntailer = "no entailer"

// Detect is not written yet.
func (e *entailment) Detect(context.Context, *Document) (Finding, error) {
	return Finding{NotCheckable: reasonNoEntailer}, nil
}
