package schemas

import "strings"

// JudgeDetector is the name of the detector whose signal is the verdict of a judge on the whole answer.
const JudgeDetector = "faithfulness"

// VerifierDetector is the name of the detector whose signal is the verdict of a verifier on the claims: a witness of its own, unless the
// judge compared.
const VerifierDetector = "entailment"

// Measures that say on what a signal rests, 1 if it does.
const (
	AgainstSamples = "against_samples" // the answer was compared with sampled responses of the model, in place of sources
	ByJudge        = "by_judge"        // the judge compared the texts, not a classifier
)

// SharedEvidence says what a signal rests on that those of other detectors may rest on, too: signals for which it says the same
// are one measurement. It is "" for a signal with a reading of its own. has says whether a measure of the signal is 1.
func SharedEvidence(detector string, has func(measure string) bool) string {
	for _, row := range [...]struct{ measure, detector, says string }{
		{AgainstSamples, "", "compared with the same sampled responses"},
		{ByJudge, JudgeDetector, "asked the same judge"},
	} {
		if detector == row.detector || has(row.measure) {
			return row.says
		}
	}
	return ""
}

func (s *Signal) sharedEvidence() string {
	return SharedEvidence(s.Detector, func(measure string) bool { return s.Measures[measure] == 1 })
}

// OneWitness names the detectors that fired and rest on the same measurement, in the order of the signals: one piece of evidence,
// however many there are. It is nil for fewer than two.
func (f *Flag) OneWitness() (names []string) {
	for i := range f.Signals {
		said := ""
		if f.Signals[i].Outcome == Fired {
			said = f.Signals[i].sharedEvidence()
		}
		if said == "" {
			continue
		}
		names = names[:0]
		for j := i; j < len(f.Signals); j++ {
			if s := &f.Signals[j]; s.Outcome == Fired && s.sharedEvidence() == said {
				names = append(names, s.Detector)
			}
		}
		if len(names) > 1 {
			return names
		}
	}
	return nil
}

// DescribeWitness says for people that detectors of the flag are one witness; "" if none are.
func (f *Flag) DescribeWitness() string {
	names := f.OneWitness()
	if names == nil {
		return ""
	}
	for i := range f.Signals {
		if s := &f.Signals[i]; s.Detector == names[0] {
			return "one witness: " + strings.Join(names, ", ") + " " + s.sharedEvidence()
		}
	}
	return ""
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
