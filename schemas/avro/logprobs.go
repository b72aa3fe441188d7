package avro

import (
	"encoding/binary"
	"math"

	"confab/internal/recordformat"
	"confab/schemas"
)

// logprobs unpacks little-endian float32 in rows of 1 + topK.
func (r decodedRecord) logprobs(into *schemas.Logprobs, topK int) {
	v, ok := r.get("token_logprobs")
	if !ok {
		return
	}
	packed, ok := v.of.([]byte)
	if !ok || v.plan.kind == kindString {
		r.wrongType("bytes: packed float32, not base64 and not an array")
		return
	}
	if len(packed)%(4*(1+topK)) != 0 {
		r.fault(ReasonBadLogprobs, "expected float32 in rows of 1 + top_k")
		return
	}
	for at := 0; at < len(packed); at += 4 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(packed[at:]))
		into.Values = append(into.Values, recordformat.ClampLogprob(float64(f)))
	}
	if len(packed) > 0 {
		into.TopK = topK
	}
}
