package json

import (
	"encoding/base64"
	"encoding/binary"
	"math"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/llmapi"
)

// logprobs reads OpenAI's form: {"content": [{"token", "logprob", "top_logprobs": […]}, …]}.
func (s *interactionReader) logprobs() { s.tokenLogprobs(&s.in.Logprobs) }

func (s *interactionReader) tokenLogprobs(into *schemas.Logprobs) {
	s.pending.listed = true
	llmapi.ReadLogprobs(&s.Scanner, into, &s.pending.tokens)
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
