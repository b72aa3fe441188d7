package rewrite

import (
	"confab/schemas"
)

// interactionWith is the interaction with another answer and the token probabilities of what is left of the old one.
func (v *revision) interactionWith(rest *rewrittenText) *schemas.Interaction {
	in := *v.in
	in.Answer = rest.Text
	in.Logprobs = keptLogprobs(v.in.Logprobs, rest)
	in.Scratch = nil
	return &in
}

// keptLogprobs are the rows of tokens that start in the kept text. Without offsets there are none.
func keptLogprobs(l schemas.Logprobs, rest *rewrittenText) schemas.Logprobs {
	out := schemas.Logprobs{TopK: l.TopK}
	if len(l.Offsets) != l.Rows() {
		return schemas.Logprobs{}
	}
	for i, offset := range l.Offsets {
		if at, ok := rest.keptAt(int(offset)); ok {
			out.Offsets = append(out.Offsets, int32(at))
			out.Values = append(out.Values, l.Row(i)...)
		}
	}
	if len(out.Offsets) == 0 {
		return schemas.Logprobs{}
	}
	return out
}

// firedSet holds the detectors that fired.
func firedSet(f *schemas.Flag) map[string]bool {
	set := make(map[string]bool, len(f.Fired))
	for _, name := range f.Fired {
		set[name] = true
	}
	return set
}

// isUnmeasured reports that a detector which fired before failed or was skipped.
func isUnmeasured(f *schemas.Flag, before map[string]bool) bool {
	for i := range f.Signals {
		s := &f.Signals[i]
		if before[s.Detector] && (s.Outcome == schemas.Skipped || s.Outcome == schemas.Failed) {
			return true
		}
	}
	return false
}

// outcomeOf is the outcome of a flag.
func outcomeOf(f *schemas.Flag, measured string) *Outcome {
	o := &Outcome{Measured: measured, Verdict: VerdictNotCheckable, Fired: append([]string{}, f.Fired...), Risk: f.Risk, Recommendation: f.Recommendation}
	for i := range f.Signals {
		if f.Signals[i].Outcome == schemas.Clear {
			o.Verdict = VerdictClear
		}
	}
	if len(f.Fired) > 0 {
		o.Verdict = VerdictFired
	}
	return o
}
