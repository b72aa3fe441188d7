package avro

import (
	"encoding/binary"
	"math"

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
		r.wrongType("bytes: packed float32, no base64 and no array")
		return
	}
	if len(packed)%(4*(1+topK)) != 0 {
		r.fault(ReasonBadLogprobs, "expected float32 in rows of 1 + top_k")
		return
	}
	for at := 0; at < len(packed); at += 4 {
		into.Values = append(into.Values, clampLogprob(math.Float32frombits(binary.LittleEndian.Uint32(packed[at:]))))
	}
	if len(packed) > 0 {
		into.TopK = topK
	}
}

// worst is the lowest log-probability that is kept: e^-100 is nothing by any measure, and a sum over it stays finite.
const worst = -100

// clampLogprob brings a log-probability into [-100, 0]. NaN, a missing value, stays.
func clampLogprob(f float32) float32 {
	switch {
	case f > 0:
		return 0
	case f < worst:
		return worst
	}
	return f
}
