package deadletter

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"confab/internal/kafka"
)

func (d *Writer) pointerOnly(l *Letter) bool {
	return d.opts.PointerOnly != nil && d.opts.PointerOnly(l)
}

// pointer is the letter without the record's key and headers, except those with which it is written again.
func (l *Letter) pointer() *Letter {
	p := *l
	p.Key, p.Headers = nil, nil
	for _, key := range []string{HeaderOrigin, HeaderAttempt} {
		if i := lastOf(l.Headers, key); i >= 0 {
			p.Headers = append(p.Headers, l.Headers[i])
		}
	}
	return &p
}

// digestValue replaces the value of a letter.
type digestValue struct {
	Topic       string `json:"topic"`
	Partition   int32  `json:"partition"`
	Offset      int64  `json:"offset"`
	Timestamp   string `json:"timestamp,omitempty"`
	ValueBytes  int    `json:"value_bytes,omitempty"`
	ValueSHA256 string `json:"value_sha256,omitempty"`
	KeyBytes    int    `json:"key_bytes,omitempty"`
	KeySHA256   string `json:"key_sha256,omitempty"`
}

// Digest returns the record for l with coordinates and digests in place of its value.
func (d *Writer) Digest(l *Letter) kafka.Message {
	if d.pointerOnly(l) {
		l = l.pointer()
	}
	v := digestValue{Topic: l.Topic, Partition: l.Partition, Offset: l.Offset}
	if !l.Timestamp.IsZero() {
		v.Timestamp = l.Timestamp.UTC().Format(time.RFC3339Nano)
	}
	if !l.NoValue {
		v.ValueBytes, v.ValueSHA256 = len(l.Value), hexDigest(l.Value)
	}
	key := l.Key
	if len(key) > maxDigestKey {
		v.KeyBytes, v.KeySHA256, key = len(l.Key), hexDigest(l.Key), nil
	}
	value, err := json.Marshal(v)
	if err != nil { // cannot happen with these types; the headers hold the coordinates too
		value = []byte("{}")
	}
	return kafka.Message{
		Topic: d.opts.Topic, Partition: kafka.AnyPartition, Key: key, Value: value,
		Headers: append(d.headers(l), kafka.Header{Key: HeaderValue, Value: []byte(ValueDigest)}),
	}
}

func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// ValueSHA256 is the hexadecimal digest of the original value that the value of a dead letter with a digest names; "" if it
// names none, since the value could not be read.
func ValueSHA256(value []byte) string {
	var d digestValue
	if json.Unmarshal(value, &d) != nil {
		return ""
	}
	return d.ValueSHA256
}

// Matches reports whether the value is the one that a digest was made of.
func Matches(value []byte, sha256 string) bool { return sha256 != "" && hexDigest(value) == sha256 }
