package confidence

import (
	"context"
	"math"

	"confab/detectors"
	"confab/schemas"
)

const (
	reasonNoLogprobs     = "no logprobs"
	reasonNoAlternatives = "no alternatives among the logprobs"
	reasonNoBaseline     = "no baseline"
	reasonLearning       = "learning: fewer than 100 answers of this model and operation have passed"
	reasonFlatBaseline   = "baseline without spread"
	reasonUncertain      = "the model was more uncertain at one place than it usually is for this operation"
	reasonCertain        = "the model was more certain than it usually is for this operation"
)

const maxTokens = 1 << 15 // tokens that are read

const measurePeak = "peak_entropy"

// MeasureAnswers is the number of answers that a live baseline has been learned from.
const MeasureAnswers = "answers"

// Options configures the detector.
type Options struct {
	// TwoSided makes unusually certain answers score like unusually uncertain ones. On short answers of a small model it finds
	// no more wrong ones and fires on 4 % of the fine ones.
	TwoSided bool `yaml:"two_sided"`
}

// Baselines say which token uncertainty is usual.
type Baselines struct {
	File Stated // of the calibration, which wins; may be nil
	Live *Live  // may be nil
}

// Stated are the baselines that a calibration states.
type Stated interface {
	// Baseline returns the most specific baseline for the model and operation; nil without one.
	Baseline(model, operation string) *Baseline
}

// confidence measures whether the model's token uncertainty is high for this model and operation.
//
// It takes the Shannon entropy (nats) of the renormalised alternatives at each token, and compares the highest value of the
// answer, the peak, with the usual answers of the model and operation. The score is the share of them with less uncertainty:
// counted by a live baseline, and by a stated one that of a normal distribution. The peak catches the spike at the start of
// an invented span, which the answer's mean hides.
//
// Source: predictive entropy as in Malinin and Gales, "Uncertainty Estimation in Autoregressive Structured Prediction"
// (2021), per token instead of per sequence.
type confidence struct {
	options   Options
	baselines Baselines
}

// New returns the detector. Without baselines every answer is not_checkable.
func New(o Options, baselines Baselines) (detectors.Detector, error) {
	return &confidence{o, baselines}, nil
}

// Name is the detector's name in flags, metrics and the configuration.
const Name = "confidence"

// Detect measures mean_entropy and peak_entropy (nats), peak_position (token, from 0), min_logprob and tokens; with a
// baseline also z, and answers, the number that a live one has been learned from.
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
		detectors.Measure{Name: measurePeak, Value: u.Peak},
		detectors.Measure{Name: "peak_position", Value: float64(u.PeakRow)},
		detectors.Measure{Name: "min_logprob", Value: u.MinLogprob},
		detectors.Measure{Name: "tokens", Value: float64(u.Tokens)},
		detectors.Measure{}, detectors.Measure{}, // overwritten by those of a baseline
	)[:5]
	r, why := c.compare(in, u)
	if r.answers > 0 {
		m = append(m, detectors.Measure{Name: MeasureAnswers, Value: float64(r.answers)})
	}
	if why != "" {
		return detectors.Finding{NotCheckable: why, Measures: m}, nil
	}
	f := detectors.Finding{
		Type: schemas.Confidence, Truncated: u.Truncated, Score: r.below, Reason: reasonUncertain,
		Measures: append(m, detectors.Measure{Name: "z", Value: r.z}),
	}
	if c.options.TwoSided && r.z < 0 {
		f.Score, f.Reason = 1-r.below, reasonCertain
	} else {
		f.Evidence = doc.Evidence(tokenEvidence(in, doc.Answer(), u.PeakRow))
	}
	return f, nil
}

// comparison is an answer beside the usual ones.
type comparison struct {
	below   float64 // share of usual answers with less uncertainty
	z       float64 // in deviations of a normal distribution
	answers int     // of a live baseline
}

// compare compares the answer with its baseline; why says that there is no usable one.
func (c *confidence) compare(in *schemas.Interaction, u Uncertainty) (r comparison, why string) {
	if c.baselines.File != nil {
		if b := c.baselines.File.Baseline(in.Model, in.Operation); b != nil {
			z, ok := b.Z(u)
			if !ok {
				return r, reasonFlatBaseline
			}
			return comparison{z: z, below: math.Erfc(-z/math.Sqrt2) / 2}, ""
		}
	}
	if c.baselines.Live == nil {
		return r, reasonNoBaseline
	}
	r.below, r.answers = c.baselines.Live.rank(in, u.Peak)
	if r.answers < LeastAnswers {
		return r, reasonLearning
	}
	r.z = math.Sqrt2 * math.Erfinv(2*r.below-1)
	return r, ""
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
