package schemas

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// EventID identifies one interaction by its content, wherever and however often it is read: SHA-256 over "ev1", the
// tenant, the interaction id and the SHA-256 of the answer's bytes, each part prefixed by its length as a big-endian
// uint64. The test vectors in docs/identity.md are permanent.
type EventID [sha256.Size]byte

// EventID derives the interaction's event id.
func (in *Interaction) EventID() EventID {
	digest := hashText(in.Answer)
	return hashParts("ev1", in.Tenant, in.ID, string(digest[:]))
}

// IncidentID derives the id under which every pass over the event writes its flag: the lower-case hexadecimal SHA-256
// over the parts "in1" and the 32 bytes of the event id.
func (id EventID) IncidentID() string {
	sum := hashParts("in1", string(id[:]))
	return hex.EncodeToString(sum[:])
}

// OffsetID names an interaction that came without an id after its coordinates: cluster/topic/partition/offset/index.
func OffsetID(cluster string, at Origin) string {
	return cluster + "/" + at.Topic + "/" + strconv.FormatInt(int64(at.Partition), 10) + "/" +
		strconv.FormatInt(at.Offset, 10) + "/" + strconv.Itoa(at.Index)
}

// hashText is SHA-256 over the text, piece by piece: converting all of it to bytes would copy it on the heap.
func hashText(text string) (sum [sha256.Size]byte) {
	h := sha256.New()
	var piece [512]byte
	for text != "" {
		n := copy(piece[:], text)
		h.Write(piece[:n])
		text = text[n:]
	}
	h.Sum(sum[:0])
	return sum
}

// hashParts is SHA-256 over length-prefixed parts, so that no two lists of parts share an input.
func hashParts(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}
