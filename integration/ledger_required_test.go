package integration

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/linkedin/goavro/v2"
)

// Expected is the required output for the records of an input topic.
type Expected struct {
	Passes      []string                  // every interaction has a flag in each pass
	Flags       map[RecordPosition]string // incident id of each interaction
	DeadLetters map[RecordPosition]string // value of each poison record
	Tombstones  map[RecordPosition]bool   // records without output
}

// NewExpected computes the required output of an input topic, whose records are interactions, poison or tombstones.
// Interactions without a tenant have the given one.
func NewExpected(cluster, topic, tenant string, input []Record) (*Expected, error) {
	codec, err := newInteractionCodec()
	if err != nil {
		return nil, err
	}
	b := &Expected{Passes: []string{fast}, Flags: map[RecordPosition]string{}, DeadLetters: map[RecordPosition]string{}, Tombstones: map[RecordPosition]bool{}}
	for _, r := range input {
		switch Kind(r.Headers[KindHeader]) {
		case Poison:
			b.DeadLetters[r.RecordPosition] = string(r.Value)
		case Tombstone:
			b.Tombstones[r.RecordPosition] = true
		case Named, Unnamed, Duplicate, Reworded:
			in, err := readInteraction(codec, r.Value)
			if err != nil {
				return nil, fmt.Errorf("input %v: %w", r.RecordPosition, err)
			}
			if in.ID == "" {
				in.ID = fmt.Sprintf("%s/%s/%d/%d/0", cluster, topic, r.Partition, r.Offset)
			}
			if in.Tenant == "" {
				in.Tenant = tenant
			}
			b.Flags[r.RecordPosition] = incidentID(in.Tenant, in.ID, in.Answer)
		default:
			return nil, fmt.Errorf("input %v: its header %s is %q", r.RecordPosition, KindHeader, r.Headers[KindHeader])
		}
	}
	return b, nil
}

// readInteraction decodes JSON, or Avro in Confluent's frame.
func readInteraction(codec *goavro.Codec, value []byte) (in interaction, err error) {
	if len(value) > 0 && value[0] == 0 {
		return readAvro(codec, value)
	}
	err = json.Unmarshal(value, &in)
	return in, err
}

// Incidents returns the number of distinct incident ids.
func (b *Expected) Incidents() int {
	ids := map[string]bool{}
	for _, id := range b.Flags {
		ids[id] = true
	}
	return len(ids)
}

// incidentID implements docs/identity.md a second time. Do not call the worker's code here: the audit must be independent
// of it.
func incidentID(tenant, interactionID, answer string) string {
	digest := sha256.Sum256([]byte(answer))
	event := hashParts([]byte("ev1"), []byte(tenant), []byte(interactionID), digest[:])
	return hex.EncodeToString(hashParts([]byte("in1"), event))
}

func hashParts(parts ...[]byte) []byte {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return h.Sum(nil)
}
