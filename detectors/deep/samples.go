package deep

import (
	"context"
	"math"
	"strings"

	"confab/detectors"
	"confab/schemas"
)

// Reasons that deep detectors share.
const (
	ReasonRefusal       = "the answer is a refusal"
	ReasonTooFewSamples = "too few fresh answers"
)

// MinSamples is how many sampled answers a comparison takes.
const MinSamples = 2

// DefaultAsk is what is asked for unless a detector is configured otherwise.
func DefaultAsk() schemas.Ask { return schemas.Ask{Answers: 4, Temperature: 0.7, MaxTokens: 400} }

// SampledResponses asks for them on first use. What it cost is told to whoever asked first, nothing to the others.
func SampledResponses(ctx context.Context, d *detectors.Document, ask schemas.Ask) ([]schemas.FreshAnswer, schemas.Usage, error) {
	s := sharedStateOf(d)
	if s.requested {
		return s.samples, schemas.Usage{}, s.err
	}
	var used schemas.Usage
	s.requested = true
	s.samples, used, s.err = s.models.Resampler.Resample(ctx, d.Interaction(), ask)
	return s.samples, used, s.err
}

// UsableSamples are the fresh answers that can be compared, and how many could not.
type UsableSamples struct {
	Texts               []string
	Refused, cut, empty int
	OtherLanguage       int
}

// SelectUsable leaves out what is empty, what refuses, and what was cut off before it was as long as the answer: it cannot be
// expected to hold all that the answer says. Nor can words of another language meet its own.
func SelectUsable(answer string, all []schemas.FreshAnswer, work *detectors.Work) UsableSamples {
	var out UsableSamples
	for _, a := range all {
		if !work.Spend(1) {
			break
		}
		switch text := strings.TrimSpace(a.Text); {
		case a.Refused, IsRefusal(text):
			out.Refused++
		case text == "":
			out.empty++
		case a.Cut && len(text) < len(answer):
			out.cut++
		case !sameLanguage(answer, text, work):
			out.OtherLanguage++
		default:
			out.Texts = append(out.Texts, text)
		}
	}
	return out
}

// sameLanguage reports texts whose words can meet.
func sameLanguage(answer, fresh string, work *detectors.Work) bool {
	var doc detectors.Document
	doc.ResetWithin(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: fresh}}}, work)
	return doc.Comparable()
}

// Measures count the answers that can be compared and those that cannot.
func (f *UsableSamples) Measures() []detectors.Measure {
	return []detectors.Measure{
		{Name: "samples", Value: float64(len(f.Texts))},
		{Name: "refused", Value: float64(f.Refused)},
		{Name: "cut", Value: float64(f.cut)},
		{Name: "empty", Value: float64(f.empty)},
		{Name: "foreign", Value: float64(f.OtherLanguage)},
	}
}

// Agreement is how far the fresh answers contain one claim.
type Agreement struct {
	Start, End int     // bytes of the answer
	Share      float64 // of the fresh answers, those that contain it
}

// AgreementAt is the share of the fresh answers that contain the claim which begins at this byte; NaN where nobody asked.
func AgreementAt(d *detectors.Document, start int) float64 {
	for i := range sharedStateOf(d).agreement {
		if sharedStateOf(d).agreement[i].Start == start {
			return sharedStateOf(d).agreement[i].Share
		}
	}
	return math.NaN()
}

// SetAgreement notes how far the sampled answers contain each claim.
func SetAgreement(d *detectors.Document, claims []Agreement) { sharedStateOf(d).agreement = claims }

// ModelsOf are what the deep detectors ask of the document.
func ModelsOf(d *detectors.Document) *Models { return &sharedStateOf(d).models }
