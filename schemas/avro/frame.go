package avro

import (
	"encoding/binary"
	"math"

	"confab/schemas/json/scan"
)

// frameSize is the size of the magic byte and the schema id.
const frameSize = 5

// Frame appends body to dst with Confluent's prefix: a zero byte and the id of the writer's schema, big-endian.
func Frame(dst []byte, id uint32, body []byte) []byte {
	dst = append(dst, 0)
	dst = binary.BigEndian.AppendUint32(dst, id)
	return append(dst, body...)
}

// Unframe splits Confluent's prefix off value. Registries number schemas from 1 to the largest int32: other ids are
// refused. The body, a part of value, may be empty. The error is a *scan.Error.
func Unframe(value []byte) (id int32, body []byte, err error) {
	if len(value) < frameSize || value[0] != 0 {
		return 0, nil, &scan.Error{Reason: scan.ReasonBadFrame, Detail: "expected a zero byte and the four bytes of a schema id in front"}
	}
	n := binary.BigEndian.Uint32(value[1:])
	if n == 0 || n > math.MaxInt32 {
		return 0, nil, &scan.Error{Reason: scan.ReasonBadFrame, Detail: "the schema id is not positive"}
	}
	return int32(n), value[frameSize:], nil
}
