package deep

import (
	"context"
	"slices"
	"strings"

	"confab/detectors"
	"confab/schemas"
)

// References are the texts that an answer is compared with: its sources or, without sources, sampled responses to the same
// messages, or none: the conversation alone. A model may repeat an error, so findings say on which of them they rest.
type References struct {
	Texts        []string
	At           []int // by text: index of the source; nil for sampled responses
	Sampled      bool
	NotCheckable string // why there are none
	Usage        schemas.Usage
}

// Uncomparable is why an answer has no claims to compare, "" if it has some.
func Uncomparable(d *detectors.Document) string {
	switch {
	case IsRefusal(d.Answer()):
		return ReasonRefusal
	case len(d.Claims()) == 0:
		return detectors.ReasonNoClaims
	default:
		return ""
	}
}

// ReferencesOf returns the document's references unless there is a reason why nothing can be compared. It samples responses
// only when no other detector has, and not for an answer after others if the conversation will do.
func ReferencesOf(ctx context.Context, d *detectors.Document, why string, conversation bool) (w References, err error) {
	for i := range d.Sources() {
		if s := d.Source(i); strings.TrimSpace(s) != "" {
			w.Texts, w.At = append(w.Texts, s), append(w.At, i)
		}
	}
	switch {
	case why != "":
		w.NotCheckable = why
	case len(w.Texts) > 0:
	case conversation && slices.ContainsFunc(d.Interaction().Messages, isAnswer):
	case ModelsOf(d).Resampler == nil || len(d.Interaction().Messages) == 0:
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

func isAnswer(m schemas.Message) bool {
	return strings.EqualFold(m.Role, "assistant") && strings.TrimSpace(m.Content) != ""
}

// Finding returns a finding with the usage, of the references and more, and whether these are sampled responses. why is the
// reason why nothing could be measured, "" if something was.
func (w *References) Finding(d *detectors.Document, more schemas.Usage, why string) detectors.Finding {
	sampled := 0.0
	if w.Sampled {
		sampled = 1
	}
	measures := append(UsageMeasures(w.Usage.Plus(more)), detectors.Measure{Name: schemas.AgainstSamples, Value: sampled})
	return detectors.Finding{NotCheckable: why, Measures: d.Measures(measures...)}
}

// Reason returns the reason of a finding, with a remark when the references are no sources.
func (w *References) Reason(reason string) string {
	switch {
	case w.Sampled:
		return reason + " (no sources: compared with sampled responses of the model)"
	case len(w.Texts) == 0:
		return reason + " (no sources: compared with the conversation)"
	default:
		return reason
	}
}

// AgainstTexts is a document that compares the answer of the interaction with the texts in place of its sources.
func AgainstTexts(in *schemas.Interaction, texts []string, work *detectors.Work) *detectors.Document {
	other := &schemas.Interaction{Answer: in.Answer, Messages: in.Messages, Sources: make([]schemas.Source, len(texts))}
	for i, t := range texts {
		other.Sources[i].Text = t
	}
	var doc detectors.Document
	doc.ResetWithin(other, work)
	return &doc
}
