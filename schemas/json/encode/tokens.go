package encode

import (
	"math"
	"strconv"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// tokens writes log probabilities in OpenAI's form. A token's text is the answer from its offset to the next one's; where
// that is not valid UTF-8, the member bytes holds it.
func (e *interactionEncoder) tokens(l *schemas.Logprobs, answer string) {
	if len(l.Offsets) != l.Rows() || l.Offsets[0] != 0 {
		e.Fail(recordformat.ErrBadRows)
		return
	}
	e.name("logprobs")
	e.Bytes = append(e.Bytes, `{"content":[`...)
	for i := range l.Rows() {
		start, end := int(l.Offsets[i]), len(answer)
		if i+1 < l.Rows() {
			end = int(l.Offsets[i+1])
		}
		if start > end || end > len(answer) {
			e.Fail(recordformat.ErrBadRows)
			return
		}
		e.comma()
		e.token(answer[start:end], l.Row(i))
	}
	e.Bytes = append(e.Bytes, "]}"...)
}

func (e *interactionEncoder) token(text string, row []float32) {
	e.Bytes = append(e.Bytes, '{')
	e.name("token")
	if utf8.ValidString(text) {
		e.text(text)
	} else {
		e.text(string(utf8.RuneError))
		e.name("bytes")
		e.Bytes = append(e.Bytes, '[')
		for _, c := range []byte(text) {
			e.comma()
			e.Bytes = strconv.AppendUint(e.Bytes, uint64(c), 10)
		}
		e.Bytes = append(e.Bytes, ']')
	}
	e.name("logprob")
	e.logprob(row[0])
	if len(row) > 1 {
		e.name("top_logprobs")
		e.Bytes = append(e.Bytes, '[')
		for _, v := range row[1:] {
			e.comma()
			e.Bytes = append(e.Bytes, '{')
			e.name("logprob")
			e.logprob(v)
			e.Bytes = append(e.Bytes, '}')
		}
		e.Bytes = append(e.Bytes, ']')
	}
	e.Bytes = append(e.Bytes, '}')
}

// logprob writes v, a missing one as null. It writes all digits of a float64: those of a float32 would not suffice for
// readers that decode a float64.
func (e *interactionEncoder) logprob(v float32) {
	if math.IsNaN(float64(v)) {
		e.Bytes = append(e.Bytes, "null"...)
		return
	}
	e.float(float64(v))
}
