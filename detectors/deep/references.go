package deep

import (
	"context"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	"confab/schemas"
)

// References are the texts that an answer is judged by: its sources or, where it has none, fresh answers to the same
// messages. What a model repeats it may still have wrong: such a judgment is marked.
type References struct {
	Texts        []string
	Sampled      bool
	NotCheckable string // why there are none
	Usage        schemas.Usage
}

// ReferencesOf finds them; fresh answers are asked for only where no other detector has done so.
func ReferencesOf(ctx context.Context, d *detectors.Document) (w References, err error) {
	for i := range d.Sources() {
		if s := d.Source(i); strings.TrimSpace(s) != "" {
			w.Texts = append(w.Texts, s)
		}
	}
	switch {
	case IsRefusal(d.Answer()):
		w.NotCheckable = ReasonRefusal
	case len(d.Statements()) == 0:
		w.NotCheckable = detectors.ReasonNoClaims
	case len(w.Texts) > 0:
	case sharedStateOf(d).models.Resampler == nil || len(d.Interaction().Messages) == 0:
		w.NotCheckable = detectors.ReasonNoSources
	default:
		answers, used, err := SampledResponses(ctx, d, DefaultAsk())
		w.Sampled, w.Usage = true, used
		w.Texts = SelectUsable(d.Answer(), answers, d.Work()).Texts
		if len(w.Texts) < MinSamples {
			w.NotCheckable = ReasonTooFewSamples
			return w, err
		}
	}
	return w, nil
}

// Measure says whether the texts are sampled answers.
func (w *References) Measure() detectors.Measure {
	if w.Sampled {
		return detectors.Measure{Name: "against_samples", Value: 1}
	}
	return detectors.Measure{Name: "against_samples", Value: 0}
}

// AgainstSamples says in a reason what the answer was held against.
const AgainstSamples = " (no sources: held against the model's own fresh answers)"

// WordSet is the distinct words of a text that carry meaning, by stem, and which of them are figures.
func WordSet(s string) map[uint64]bool {
	out := map[uint64]bool{}
	tokens := text.AppendTokens(nil, s)
	for i := range tokens {
		if t := &tokens[i]; !t.Stop() {
			out[t.Stem] = t.Kind == text.Number
		}
	}
	return out
}

// CoveredShare is the share of the words that any of the texts' words hold, 1 without words, 0 where a figure is missing and
// figures are strict.
func CoveredShare(words map[uint64]bool, strict bool, in ...map[uint64]bool) float64 {
	if len(words) == 0 {
		return 1
	}
	n := 0
	for w, figure := range words {
		found := false
		for _, other := range in {
			if _, has := other[w]; has {
				found = true
			}
		}
		switch {
		case found:
			n++
		case figure && strict:
			return 0
		}
	}
	return float64(n) / float64(len(words))
}
