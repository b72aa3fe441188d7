package json

import (
	"encoding/base64"
	"encoding/binary"
	"math"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

//nolint:gochecknoglobals // a constant without a literal
var missingLogprob = float32(math.NaN())

// logprobs reads OpenAI's form: {"content": [{"token", "logprob", "top_logprobs": […]}, …]}.
func (s *interactionReader) logprobs() { s.tokenLogprobs(&s.in.Logprobs) }

func (s *interactionReader) tokenLogprobs(into *schemas.Logprobs) {
	o := s.Object("logprobs in the shape of OpenAI's responses")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		if name != "content" {
			s.Skip()
			continue
		}
		if s.Null() {
			continue
		}
		s.setWidth(into)
		l := s.List(s.Size(), "a list of tokens")
		for s.More(&l) {
			s.token(into)
		}
	}
}

// setWidth makes the rows as wide as the widest one of the next list. It fails when padding would exceed the size of the text:
// a written value takes some 14 bytes, while one wide row can pad many short ones.
func (s *interactionReader) setWidth(into *schemas.Logprobs) {
	rows := 0
	for token, end := s.Within(s.Pos, '['); token < end; token = s.After(token) {
		rows++
		list, _ := s.Find(token, "top_logprobs")
		n := 0
		for at, end := s.Within(list, '['); at < end; at = s.After(at) {
			n++
		}
		into.TopK = max(into.TopK, min(n, recordformat.MaxTopK))
	}
	if rows*(1+into.TopK) > s.Size()/2 {
		s.Fault(scan.ReasonTooMany, "rows of log-probabilities differ too much in length")
	}
}

// token reads the row of one token.
func (s *interactionReader) token(into *schemas.Logprobs) {
	t := &s.pending.tokens
	begin, row := len(t.Text), len(into.Values)
	for range 1 + into.TopK {
		into.Values = append(into.Values, missingLogprob)
	}
	var text string
	known, raw := false, false
	o := s.Object("a token")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch name {
		case "token":
			known = !s.Null()
			if known {
				text = s.OptionalText()
			}
		case "logprob":
			into.Values[row] = s.logprob()
		case "bytes":
			raw = s.tokenBytes()
		case "top_logprobs":
			s.alternatives(into.Values[row+1:])
		default:
			s.Skip()
		}
	}
	if !raw {
		t.Text = append(t.Text, text...)
		t.Unknown = t.Unknown || !known
	}
	into.Offsets = append(into.Offsets, int32(begin))
}

// alternatives reads the top log probabilities of the current token.
func (s *interactionReader) alternatives(into []float32) {
	if s.Null() {
		return
	}
	l := s.List(len(into), "a list of alternatives")
	for i := 0; s.More(&l); i++ {
		o := s.Object("an alternative")
		for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
			if name == "logprob" {
				into[i] = s.logprob()
			} else {
				s.Skip()
			}
		}
	}
}

// logprob reads a log probability; null is a missing one.
func (s *interactionReader) logprob() float32 {
	if s.Null() {
		return missingLogprob
	}
	return recordformat.ClampLogprob(s.FloatOrInf())
}

// tokenBytes appends a token's bytes to the texts. They are exact where a token holds part of a character, which its text
// cannot express.
func (s *interactionReader) tokenBytes() bool {
	if s.Null() {
		return false
	}
	t := &s.pending.tokens
	l := s.List(s.Size(), "a list of bytes")
	for s.More(&l) {
		t.Text = append(t.Text, byte(s.Integer(0, math.MaxUint8)))
	}
	return true
}

// packLogprobs returns values as little-endian float32.
func packLogprobs(values []float32) []byte {
	packed := make([]byte, 0, 4*len(values))
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(v))
	}
	return packed
}

// unpack decodes base64 of little-endian float32 in rows of 1 + topK. If it is not that, unpack returns false and changes
// nothing.
func (s *interactionReader) unpack(into *schemas.Logprobs, packed string, topK int) bool {
	begin := len(s.Scratch)
	s.Scratch = append(s.Scratch, packed...)
	src := s.Scratch[begin:]
	s.Scratch = s.Scratch[:begin]
	n, err := base64.StdEncoding.Decode(src, src) // in place
	if err != nil || n%(4*(1+topK)) != 0 {
		return false
	}
	values := into.Values[:0]
	for at := 0; at < n; at += 4 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(src[at:]))
		values = append(values, recordformat.ClampLogprob(float64(f)))
	}
	if n == 0 {
		topK = 0
	}
	into.Values, into.TopK, into.Offsets = values, topK, into.Offsets[:0]
	return true
}
