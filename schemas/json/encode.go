package json

import (
	"math"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"confab/internal/recordformat"
	"confab/schemas"
)

// The canonical JSON form of an interaction, without defaults.
type (
	interactionForm struct {
		schemas.Interaction

		Temperature *float64      `json:"temperature,omitzero"`
		TopK        *int          `json:"top_k,omitzero"`
		Packed      []byte        `json:"token_logprobs,omitempty"`
		Logprobs    *logprobsForm `json:"logprobs,omitzero"`
	}
	logprobsForm struct {
		Content []tokenForm `json:"content"`
	}
	// tokenForm is a token in OpenAI's form. A missing log probability is null. Others have all digits of a float64: those of
	// a float32 would not suffice for readers that decode a float64.
	tokenForm struct {
		Token        string            `json:"token"`
		Bytes        []int             `json:"bytes,omitempty"` // of a token that is not valid UTF-8
		Logprob      *float64          `json:"logprob"`
		Alternatives []alternativeForm `json:"top_logprobs,omitempty"`
	}
	alternativeForm struct {
		Logprob *float64 `json:"logprob"`
	}
)

// AppendInteraction appends the canonical JSON form of in to dst, without a line break. Decoding it yields in again, except
// IDSource, Repaired, UnknownFields, UnknownNames, Malformed and Scratch, which are not part of the record. Log probabilities
// are packed, unless their offsets in the answer are known, which only OpenAI's form can express. On an error dst is returned
// unchanged.
func AppendInteraction(dst []byte, in *schemas.Interaction) ([]byte, error) {
	form := interactionForm{Interaction: *in}
	var b recordformat.Buffer
	if !in.OccurredAt.IsZero() {
		b.Millis(in.OccurredAt)
		form.OccurredAt = in.OccurredAt.UTC()
	}
	if !(in.Temperature < 0) { // NaN must fail
		form.Temperature = &form.Interaction.Temperature
		checkFinite(&b, in.Temperature)
	}
	for i := range in.Sources {
		checkFinite(&b, in.Sources[i].Score)
	}
	form.logprobs(&b, &in.Logprobs, in.Answer)
	if b.Err == nil {
		text, err := json.Marshal(&form, json.Deterministic(true))
		if err != nil {
			b.Fail(recordformat.ErrBadUTF8) // nothing else can fail
		}
		b.Bytes = append(dst, text...)
	}
	return b.Result(dst, "interaction")
}

func checkFinite(b *recordformat.Buffer, f float64) {
	if !recordformat.IsFinite(f) {
		b.Fail(recordformat.ErrNotFinite)
	}
}

func (f *interactionForm) logprobs(b *recordformat.Buffer, l *schemas.Logprobs, answer string) {
	switch {
	case len(l.Values) == 0 || !b.CheckRows(l):
	case len(l.Offsets) > 0:
		f.tokens(b, l, answer)
	default:
		f.TopK = &l.TopK
		f.Packed = packLogprobs(l.Values)
	}
}

// tokens adds log probabilities in OpenAI's form. A token's text is the answer from its offset to the next one's.
func (f *interactionForm) tokens(b *recordformat.Buffer, l *schemas.Logprobs, answer string) {
	if len(l.Offsets) != l.Rows() || l.Offsets[0] != 0 {
		b.Fail(recordformat.ErrBadRows)
		return
	}
	f.Logprobs = &logprobsForm{}
	for i := range l.Rows() {
		start, end := int(l.Offsets[i]), len(answer)
		if i+1 < l.Rows() {
			end = int(l.Offsets[i+1])
		}
		if start > end || end > len(answer) {
			b.Fail(recordformat.ErrBadRows)
			return
		}
		row := l.Row(i)
		t := tokenForm{Token: answer[start:end], Logprob: logprobForm(row[0])}
		if !utf8.ValidString(t.Token) {
			for _, c := range []byte(t.Token) {
				t.Bytes = append(t.Bytes, int(c))
			}
			t.Token = string(utf8.RuneError)
		}
		for _, v := range row[1:] {
			t.Alternatives = append(t.Alternatives, alternativeForm{logprobForm(v)})
		}
		f.Logprobs.Content = append(f.Logprobs.Content, t)
	}
}

func logprobForm(v float32) *float64 {
	f := float64(v)
	if math.IsNaN(f) {
		return nil
	}
	return &f
}

// AppendFlag appends the JSON form of f to dst, without a line break. Lists are never null, numbers are made finite as
// recordformat.FiniteFlag describes, and bytes that are not UTF-8 become U+FFFD. It fails only on a time outside the years
// 0 to 9999; dst is then returned unchanged.
func AppendFlag(dst []byte, f *schemas.Flag) ([]byte, error) {
	clean := recordformat.FiniteFlag(f)
	if clean.Fired == nil {
		clean.Fired = []string{}
	}
	return appendJSON(dst, "flag", &clean)
}
