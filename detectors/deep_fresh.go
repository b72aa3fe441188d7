package detectors

import (
	"context"
	"math"
	"strings"

	"confab/schemas"
)

// Reasons that deep detectors share.
const (
	reasonRefusal       = "the answer is a refusal"
	reasonTooFewAnswers = "too few fresh answers"
)

// minFresh is how many sampled answers a comparison takes.
const minFresh = 2

// defaultAsk is what is asked for unless a detector is configured otherwise.
func defaultAsk() schemas.Ask { return schemas.Ask{Answers: 4, Temperature: 0.7, MaxTokens: 400} }

// freshAnswers asks for them on first use. What it cost is told to whoever asked first, nothing to the others.
func freshAnswers(ctx context.Context, d *Document, ask schemas.Ask) ([]schemas.FreshAnswer, schemas.Usage, error) {
	s := deepStateOf(d)
	if s.asked {
		return s.fresh, schemas.Usage{}, s.err
	}
	var used schemas.Usage
	s.asked = true
	s.fresh, used, s.err = s.models.Resampler.Resample(ctx, d.Interaction(), ask)
	return s.fresh, used, s.err
}

// freshTexts are the fresh answers that can be compared, and how many could not.
type freshTexts struct {
	texts               []string
	refused, cut, empty int
	foreign             int
}

// pickFresh leaves out what is empty, what refuses, and what was cut off before it was as long as the answer: it cannot be
// expected to hold all that the answer says. Nor can words of another language meet its own.
func pickFresh(answer string, all []schemas.FreshAnswer, work *Work) freshTexts {
	var out freshTexts
	for _, a := range all {
		if !work.Spend(1) {
			break
		}
		switch text := strings.TrimSpace(a.Text); {
		case a.Refused, declines(text):
			out.refused++
		case text == "":
			out.empty++
		case a.Cut && len(text) < len(answer):
			out.cut++
		case !sameLanguage(answer, text, work):
			out.foreign++
		default:
			out.texts = append(out.texts, text)
		}
	}
	return out
}

// sameLanguage reports texts whose words can meet.
func sameLanguage(answer, fresh string, work *Work) bool {
	var doc Document
	doc.ResetWithin(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: fresh}}}, work)
	return doc.Comparable()
}

// measures count the answers that can be compared and those that cannot.
func (f *freshTexts) measures() []Measure {
	return []Measure{
		{Name: "samples", Value: float64(len(f.texts))},
		{Name: "refused", Value: float64(f.refused)},
		{Name: "cut", Value: float64(f.cut)},
		{Name: "empty", Value: float64(f.empty)},
		{Name: "foreign", Value: float64(f.foreign)},
	}
}

// claimAgreement is how far the fresh answers contain one claim.
type claimAgreement struct {
	start, end int     // bytes of the answer
	share      float64 // of the fresh answers, those that contain it
}

// agreementAt is the share of the fresh answers that contain the claim which begins at this byte; NaN where nobody asked.
func agreementAt(d *Document, start int) float64 {
	for i := range deepStateOf(d).agreement {
		if deepStateOf(d).agreement[i].start == start {
			return deepStateOf(d).agreement[i].share
		}
	}
	return math.NaN()
}

// setAgreement notes how far the sampled answers contain each claim.
func setAgreement(d *Document, claims []claimAgreement) { deepStateOf(d).agreement = claims }

// modelsOf are what the deep detectors ask of the document.
func modelsOf(d *Document) *LanguageModels { return &deepStateOf(d).models }
