package schemas

import "strings"

// JudgeDetector is the name of the detector whose signal is the verdict of a judge on the whole answer.
const JudgeDetector = "faithfulness"

// VerifierDetector is the name of the detector whose signal is the verdict of a verifier on the claims.
const VerifierDetector = "entailment"

// AgainstSamples is a measure, 1 if a signal compares the answer with sampled responses of the model in place of sources. What such
// signals measure is one measurement.
const AgainstSamples = "against_samples"

// OneWitness names the detectors that fired and rest on the same sampled responses, in the order of the signals: one piece of
// evidence, however many there are. It is nil for fewer than two.
func (f *Flag) OneWitness() (names []string) {
	for i := range f.Signals {
		if s := &f.Signals[i]; s.Outcome == Fired && s.Measures[AgainstSamples] == 1 {
			names = append(names, s.Detector)
		}
	}
	if len(names) < 2 {
		return nil
	}
	return names
}

// DescribeWitness says for people that detectors of the flag are one witness; "" if none are.
func (f *Flag) DescribeWitness() string {
	names := f.OneWitness()
	if names == nil {
		return ""
	}
	return "one witness: " + strings.Join(names, ", ") + " compared with the same sampled responses"
}

// Outcome is the outcome of a detector; "" without its signal.
func (f *Flag) Outcome(detector string) Outcome {
	for i := range f.Signals {
		if f.Signals[i].Detector == detector {
			return f.Signals[i].Outcome
		}
	}
	return ""
}
