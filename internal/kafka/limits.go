package kafka

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/klauspost/compress/s2"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// batchHeader is the size of the fixed part of a record batch; brokers count it against max.message.bytes.
	batchHeader = 61

	// minBatchBytes is the least cap of a batch before compression: a record of this size may fit a smaller topic once
	// compressed, and two of them do not share a batch.
	minBatchBytes = 2 << 10
)

// encodeRecord returns m as encoded in a batch of its own. Its length plus the batch header is what a broker counts.
func encodeRecord(m *Message) []byte {
	r := kmsg.Record{Key: m.Key, Value: m.Value}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, kmsg.Header(h))
	}
	body := r.AppendTo(nil)[1:] // without its length, which is 0
	return append(binary.AppendVarint(nil, int64(len(body))), body...)
}

// maxRecordSize is at least the length of encodeRecord(m), by less than 10 bytes for each text.
func maxRecordSize(m *Message) int {
	const length = binary.MaxVarintLen32
	size := 3 + 4*length + len(m.Key) + len(m.Value) // 3: attributes and two deltas of 0
	for _, h := range m.Headers {
		size += 2*length + len(h.Key) + len(h.Value)
	}
	return size
}

// SizeLimits are the largest record batches of topics, by max.message.bytes. A nil value has no limits. It is safe for
// concurrent use.
type SizeLimits struct {
	producer int            // cap of every batch, before compression
	batches  map[string]int // lower caps of topics, fixed while the producer lives
	topics   map[string]int
}

// NewSizeLimits returns limits for the producer of cfg. A topic that is missing from topics has the producer's limit
// only. Batches for the topics in bounded are capped at the topic's limit before compression, so that no record is
// refused because of others in its batch.
func NewSizeLimits(cfg Config, topics map[string]int, bounded ...string) *SizeLimits {
	l := &SizeLimits{
		producer: cmp.Or(cfg.MaxMessageBytes, DefaultMaxMessageBytes), batches: make(map[string]int, len(bounded)),
	}
	for _, t := range bounded {
		if limit, known := topics[t]; known {
			l.batches[t] = min(max(limit, minBatchBytes), l.producer)
		}
	}
	l.topics = topics
	return l
}

// Fits reports whether the record can be written to its topic. It is deterministic for given limits.
func (l *SizeLimits) Fits(m *Message) bool {
	if l == nil {
		return true
	}
	batch, limit := l.batchBytes(m.Topic), cmp.Or(l.topics[m.Topic], math.MaxInt)
	if batchHeader+maxRecordSize(m) <= min(batch, limit) {
		return true
	}
	encoded := encodeRecord(m)
	size := batchHeader + len(encoded)
	return size <= batch && (size <= limit || batchHeader+len(s2.EncodeSnappy(nil, encoded)) <= limit)
}

// batchBytes returns the cap of the topic's batches before compression.
func (l *SizeLimits) batchBytes(topic string) int {
	if limit, bounded := l.batches[topic]; bounded {
		return limit
	}
	return l.producer
}

// MaxMessageBytes returns max.message.bytes of each topic. A topic whose configuration cannot be read is missing; the
// error is the last such cause, for example ErrDenied.
func (a *Admin) MaxMessageBytes(ctx context.Context, topics ...string) (limits map[string]int, err error) {
	limits = make(map[string]int, len(topics))
	for _, t := range topics {
		configs, failed := a.settings(ctx, t)
		if failed != nil {
			err = failed
			continue
		}
		if n, bad := strconv.Atoi(configs["max.message.bytes"]); bad == nil && n > 0 {
			limits[t] = n
		}
	}
	return limits, err
}
