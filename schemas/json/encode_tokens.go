package json

import (
	"math"
	"strconv"
	"unicode/utf8"

	"confab/schemas"
)

// tokens writes log-probabilities in the OpenAI shape. A token's text is the answer from its offset to the next one's;
// where that is no UTF-8 of its own, the member bytes holds it.
func (e *interactionEncoder) tokens(l *schemas.Logprobs, answer string) {
	if len(l.Offsets) != l.Rows() || l.Offsets[0] != 0 {
		e.fault(ErrBadRows)
		return
	}
	e.name("logprobs")
	e.b = append(e.b, `{"content":[`...)
	for i := range l.Rows() {
		start, end := int(l.Offsets[i]), len(answer)
		if i+1 < l.Rows() {
			end = int(l.Offsets[i+1])
		}
		if start > end || end > len(answer) {
			e.fault(ErrBadRows)
			return
		}
		e.comma()
		e.token(answer[start:end], l.Row(i))
	}
	e.b = append(e.b, "]}"...)
}

func (e *interactionEncoder) token(text string, row []float32) {
	e.b = append(e.b, '{')
	e.name("token")
	if utf8.ValidString(text) {
		e.text(text)
	} else {
		e.text(string(utf8.RuneError))
		e.name("bytes")
		e.b = append(e.b, '[')
		for _, c := range []byte(text) {
			e.comma()
			e.b = strconv.AppendUint(e.b, uint64(c), 10)
		}
		e.b = append(e.b, ']')
	}
	e.name("logprob")
	e.logprob(row[0])
	if len(row) > 1 {
		e.name("top_logprobs")
		e.b = append(e.b, '[')
		for _, v := range row[1:] {
			e.comma()
			e.b = append(e.b, '{')
			e.name("logprob")
			e.logprob(v)
			e.b = append(e.b, '}')
		}
		e.b = append(e.b, ']')
	}
	e.b = append(e.b, '}')
}

// logprob writes v, a missing one as null. All digits of a float64 are written: fewer would do for a float32, but not
// for readers that go through a float64.
func (e *interactionEncoder) logprob(v float32) {
	if math.IsNaN(float64(v)) {
		e.b = append(e.b, "null"...)
		return
	}
	e.float(float64(v))
}
