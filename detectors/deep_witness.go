package detectors

import (
	"context"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

// witnesses are the texts that an answer is judged by: its sources or, where it has none, fresh answers to the same
// messages. What a model repeats it may still have wrong: such a judgment is marked.
type witnesses struct {
	texts []string
	fresh bool
	why   string // why there are none
	used  schemas.Usage
}

// witnessesOf finds them; fresh answers are asked for only where no other detector has done so.
func witnessesOf(ctx context.Context, d *Document) (w witnesses, err error) {
	for i := range d.Sources() {
		if s := d.Source(i); strings.TrimSpace(s) != "" {
			w.texts = append(w.texts, s)
		}
	}
	switch {
	case declines(d.Answer()):
		w.why = reasonRefusal
	case len(d.Statements()) == 0:
		w.why = ReasonNoClaims
	case len(w.texts) > 0:
	case deepStateOf(d).models.Resampler == nil || len(d.Interaction().Messages) == 0:
		w.why = ReasonNoSources
	default:
		answers, used, err := freshAnswers(ctx, d, defaultAsk())
		w.fresh, w.used = true, used
		w.texts = pickFresh(d.Answer(), answers, d.Work()).texts
		if len(w.texts) < minFresh {
			w.why = reasonTooFewAnswers
			return w, err
		}
	}
	return w, nil
}

// measure says whether the texts are sampled answers.
func (w *witnesses) measure() Measure {
	if w.fresh {
		return Measure{Name: "against_samples", Value: 1}
	}
	return Measure{Name: "against_samples", Value: 0}
}

// onFresh says in a reason what the answer was held against.
const onFresh = " (no sources: held against the model's own fresh answers)"

// content is the distinct words of a text that carry meaning, by stem, and which of them are figures.
func content(s string) map[uint64]bool {
	out := map[uint64]bool{}
	tokens := text.AppendTokens(nil, s)
	for i := range tokens {
		if t := &tokens[i]; !t.Stop() {
			out[t.Stem] = t.Kind == text.Number
		}
	}
	return out
}

// held is the share of the words that any of the texts' words hold, 1 without words, 0 where a figure is missing and
// figures are strict.
func held(words map[uint64]bool, strict bool, in ...map[uint64]bool) float64 {
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
