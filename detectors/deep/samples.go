package deep

import (
	"context"
	"math"
	"strings"

	"confab/detectors"
	"confab/schemas"
)

// Reasons that several deep detectors report.
const (
	ReasonRefusal       = "the answer is a refusal"
	ReasonTooFewSamples = "too few sampled responses"
)

// MinSamples is the least number of sampled responses for a comparison.
const MinSamples = 2

// DefaultAsk returns the request for sampled responses that a detector makes unless configured otherwise.
func DefaultAsk() schemas.SampleRequest {
	return schemas.SampleRequest{Answers: 4, Temperature: 0.7, MaxTokens: 400}
}

// SampledResponses returns the document's sampled responses, requesting them on the first call. Only the first call returns
// the usage.
func SampledResponses(ctx context.Context, d *detectors.Document, ask schemas.SampleRequest) ([]schemas.SampledResponse, schemas.Usage, error) {
	s := sharedStateOf(d)
	if s.requested {
		return s.samples, schemas.Usage{}, s.err
	}
	var used schemas.Usage
	s.requested = true
	s.samples, used, s.err = ModelsOf(d).Resampler.Resample(ctx, d.Interaction(), ask)
	return s.samples, used, s.err
}

// UsableSamples holds the sampled responses that can be compared and counts the others.
type UsableSamples struct {
	Texts               []string
	Refused, cut, empty int
	OtherLanguage       int
}

// SelectUsable leaves out responses that are empty, that refuse, that are in another language, or that were cut off before
// they were as long as the answer.
func SelectUsable(answer string, all []schemas.SampledResponse, work *detectors.Work) UsableSamples {
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

// sameLanguage reports whether the words of the two texts can be compared.
func sameLanguage(answer, sample string, work *detectors.Work) bool {
	var doc detectors.Document
	doc.ResetWithin(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: sample}}}, work)
	return doc.Comparable()
}

// Measures returns the number of responses that can be compared and of those that cannot.
func (f *UsableSamples) Measures() []detectors.Measure {
	return []detectors.Measure{
		{Name: "samples", Value: float64(len(f.Texts))},
		{Name: "refused", Value: float64(f.Refused)},
		{Name: "cut", Value: float64(f.cut)},
		{Name: "empty", Value: float64(f.empty)},
		{Name: "foreign", Value: float64(f.OtherLanguage)},
	}
}

// Agreement is the share of sampled responses that contain one claim.
type Agreement struct {
	Start, End int     // bytes of the answer
	Share      float64 // 0 to 1
}

// AgreementAt returns the share of sampled responses that contain the claim that begins at this byte; NaN when not measured.
func AgreementAt(d *detectors.Document, start int) float64 {
	for i := range sharedStateOf(d).agreement {
		if sharedStateOf(d).agreement[i].Start == start {
			return sharedStateOf(d).agreement[i].Share
		}
	}
	return math.NaN()
}

// SetAgreement records the agreement on each claim.
func SetAgreement(d *detectors.Document, claims []Agreement) { sharedStateOf(d).agreement = claims }
