package confidence

import (
	"context"

	"confab/detectors"
	"confab/schemas"
)

const (
	reasonNoLogprobs     = "no logprobs"
	reasonNoAlternatives = "no alternatives among the logprobs"
	reasonNoBaseline     = "no baseline"
	reasonFlatBaseline   = "baseline without spread"
	reasonUncertain      = "the model was more uncertain at one place than it usually is for this operation"
)

const (
	maxTokens = 1 << 15 // tokens that are read
	zHalf     = 2.5     // z at which the score is 0.5
)

// Baselines looks up a model's usual token uncertainty.
type Baselines interface {
	// Baseline returns the most specific baseline for the model, operation and temperature. When it is nil, why is the
	// reason: "no baseline" or "stale baseline".
	Baseline(model, operation string, temperature float64) (b *Baseline, why string)
}

// confidence measures whether the model's token uncertainty is high for this model and operation.
//
// It takes the Shannon entropy (nats) of the renormalised alternatives at each token, and compares the highest value of the
// answer, the peak, with a baseline of answers known to be good: z = (peak - mean) / stdev, score = z / (z + 2.5) for
// z above 0, else 0. The peak catches the spike at the start of an invented span, which the answer's mean hides. A
// baseline may name another statistic that ranks the answers of its model better. Only uncertainty above the baseline
// counts: two-sided, the AUROC falls from .899 to .806, because wrong answers are rarely more certain than good ones.
//
// Entropy of k alternatives cannot exceed ln k, so z has a maximum that depends on the baseline.
//
// Source: predictive entropy as in Malinin and Gales, "Uncertainty Estimation in Autoregressive Structured Prediction"
// (2021), per token instead of per sequence. The mapping of z to the score is our own.
type confidence struct{ baselines Baselines }

// New returns the detector. With nil baselines every answer is not_checkable.
func New(_ struct{}, baselines Baselines) (detectors.Detector, error) {
	return &confidence{baselines}, nil
}

// Name is the detector's name in flags, metrics and the configuration.
const Name = "confidence"

func (*confidence) Name() string { return Name }

// Detect measures mean_entropy and peak_entropy (nats), peak_position (token, from 0), min_logprob and tokens; with a
// baseline also z, by the baseline's statistic, and mean_z, peak_z, min_logprob_z and robust_z (peak, by median and MAD).
func (c *confidence) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	in := doc.Interaction()
	if in.Logprobs.Rows() == 0 {
		return detectors.Finding{NotCheckable: reasonNoLogprobs}, nil
	}
	rows := min(in.Logprobs.Rows(), maxTokens)
	if !doc.Work().Spend(rows * (1 + in.Logprobs.TopK)) {
		return detectors.Finding{}, nil
	}
	u := MeasureUncertainty(in.Logprobs)
	if u.Tokens == 0 {
		return detectors.Finding{NotCheckable: reasonNoAlternatives}, nil
	}
	m := doc.Measures(
		detectors.Measure{Name: "mean_entropy", Value: u.Mean},
		detectors.Measure{Name: "peak_entropy", Value: u.Peak},
		detectors.Measure{Name: "peak_position", Value: float64(u.PeakRow)},
		detectors.Measure{Name: "min_logprob", Value: u.MinLogprob},
		detectors.Measure{Name: "tokens", Value: float64(u.Tokens)},
		detectors.Measure{}, detectors.Measure{}, detectors.Measure{}, detectors.Measure{}, detectors.Measure{}, // overwritten by the measures that need a baseline
	)
	const raw = 5
	b, why := c.baseline(in)
	if b == nil {
		return detectors.Finding{NotCheckable: why, Measures: m[:raw]}, nil
	}
	z, ok := b.Z(u, b.Statistic)
	if !ok {
		return detectors.Finding{NotCheckable: reasonFlatBaseline, Measures: m[:raw]}, nil
	}
	m = b.appendZ(append(m[:raw], detectors.Measure{Name: "z", Value: z}), u)
	f := detectors.Finding{Type: schemas.Confidence, Truncated: u.Truncated, Measures: m}
	if z > 0 {
		f.Score, f.Reason = z/(z+zHalf), reasonUncertain
		row := u.PeakRow
		if b.Statistic == StatisticMinLogprob {
			row = u.MinRow
		}
		f.Evidence = doc.Evidence(tokenEvidence(in, doc.Answer(), row))
	}
	return f, nil
}

func (c *confidence) baseline(in *schemas.Interaction) (*Baseline, string) {
	if c.baselines == nil {
		return nil, reasonNoBaseline
	}
	b, why := c.baselines.Baseline(in.Model, in.Operation, in.Temperature)
	if b == nil && why == "" {
		why = reasonNoBaseline
	}
	return b, why
}

// tokenEvidence returns the answer's bytes that the token covers, widened to whole words; NoPlace without valid offsets.
func tokenEvidence(in *schemas.Interaction, answer string, row int) detectors.Evidence {
	e := detectors.Evidence{Start: schemas.NoPlace, End: schemas.NoPlace, Source: -1}
	offsets := in.Logprobs.Offsets
	if len(offsets) != in.Logprobs.Rows() {
		return e
	}
	start, end := int(offsets[row]), len(answer)
	if row+1 < len(offsets) {
		end = int(offsets[row+1])
	}
	if start < 0 || start > end || end > len(answer) {
		return e
	}
	for start < end && isSpace(answer[start]) {
		start++
	}
	if start < end {
		e.Start, e.End = widenToWords(answer, start, end)
	}
	return e
}

// widenToWords extends a span to whole words: the redactor does not recognise half a key.
func widenToWords(s string, start, end int) (from, to int) {
	const reach = 256 // bytes; longer words are cut at a character boundary
	for limit := start - reach; start > 0 && (start > limit || s[start]&0xC0 == 0x80) && !isSpace(s[start-1]); {
		start--
	}
	if isSpace(s[end-1]) {
		return start, end
	}
	for limit := end + reach; end < len(s) && (end < limit || s[end]&0xC0 == 0x80) && !isSpace(s[end]); {
		end++
	}
	return start, end
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
