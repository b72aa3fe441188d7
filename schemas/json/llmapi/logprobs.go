package llmapi

import (
	"math"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

//nolint:gochecknoglobals // a constant without a literal
var missingLogprob = float32(math.NaN())

// tokenReader reads log probabilities of tokens.
type tokenReader struct {
	*scan.Scanner

	texts *recordformat.TokenTexts
}

// ReadLogprobs reads OpenAI's form of log probabilities, {"content": [{"token", "logprob", "top_logprobs": […]}, …]}, and the texts
// of the tokens.
func ReadLogprobs(s *scan.Scanner, into *schemas.Logprobs, texts *recordformat.TokenTexts) {
	r := tokenReader{s, texts}
	o := s.Object("logprobs in the shape of OpenAI's responses")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		if name != "content" {
			s.Skip()
			continue
		}
		if s.Null() {
			continue
		}
		r.list(into)
	}
}

func (s *tokenReader) list(into *schemas.Logprobs) {
	s.setWidth(into)
	l := s.List(s.Size(), "a list of tokens")
	for s.More(&l) {
		s.token(into)
	}
}

// setWidth makes the rows as wide as the widest one of the next list. It fails when padding would exceed the size of the text:
// a written value takes some 14 bytes, while one wide row can pad many short ones.
func (s *tokenReader) setWidth(into *schemas.Logprobs) {
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
func (s *tokenReader) token(into *schemas.Logprobs) {
	t := s.texts
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
func (s *tokenReader) alternatives(into []float32) {
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
func (s *tokenReader) logprob() float32 {
	if s.Null() {
		return missingLogprob
	}
	return recordformat.ClampLogprob(s.FloatOrInf())
}

// tokenBytes appends a token's bytes to the texts. They are exact where a token holds part of a character, which its text
// cannot express.
func (s *tokenReader) tokenBytes() bool {
	if s.Null() {
		return false
	}
	t := s.texts
	l := s.List(s.Size(), "a list of bytes")
	for s.More(&l) {
		t.Text = append(t.Text, byte(s.Integer(0, math.MaxUint8)))
	}
	return true
}

// fillLogprobs reads the log probabilities of an answer that was set. Malformed ones cost themselves.
func fillLogprobs(in *schemas.Interaction, head value) {
	v := head.get("logprobs")
	if v.kind() == 0 {
		v = head.path("content.logprobs")
	}
	if v.kind() == 0 || len(in.Logprobs.Values) > 0 {
		return
	}
	texts := recordformat.TokenTexts{}
	v.doc.Pos, v.doc.Err = v.at, nil
	if v.kind() == '[' { // of a part of the Responses API
		r := tokenReader{&v.doc.Scanner, &texts}
		r.list(&in.Logprobs)
	} else {
		ReadLogprobs(&v.doc.Scanner, &in.Logprobs, &texts)
	}
	if v.doc.Err != nil {
		in.ClearField(schemas.FieldLogprobs)
		in.AddMalformed(schemas.FieldLogprobs)
	}
	v.doc.Err = nil
	texts.AlignOffsets(&in.Logprobs, in.Answer)
}
