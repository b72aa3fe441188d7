package deadletter

import (
	"slices"
	"strconv"

	"confab/internal/kafka"
)

// Message describes why the record is a dead letter, as the header of the error says it.
func (l *Letter) Message() string { return errorText(l) }

// Description is what the headers of a dead letter say. They may come from other programs: a field is empty, and Partition
// and Offset are -1, where a header is missing or malformed.
type Description struct {
	Topic     string // where the record was read
	Partition int32
	Offset    int64
	Index     int // place within the record, if the value is that part alone; -1: it is the record
	Stage     string
	Reason    string
	Message   string
	Group     string // of the worker
	Attempt   int    // 0 when unknown
	Digest    bool   // the value is a digest of the original one

	// Malformed are the headers that a writer of dead letters cannot have written, sorted.
	Malformed []string
}

// RedriveHeaders are the headers with which a record is written again: those that it or its dead letter has, without what
// dead letters say, and the attempt, so that a further dead letter counts on. The origin is kept.
func RedriveHeaders(headers []kafka.Header, attempt int) []kafka.Header {
	kept := make([]kafka.Header, 0, len(headers)+1)
	for _, h := range headers {
		if !isLetterHeader(h.Key) {
			kept = append(kept, h)
		}
	}
	return append(kept, kafka.Header{Key: HeaderAttempt, Value: strconv.AppendInt(nil, int64(attempt), 10)})
}

// Describe reads the headers of a dead letter. The last header of a name counts.
func Describe(headers []kafka.Header) Description {
	d := Description{Partition: -1, Offset: -1, Index: -1}
	text := func(key string) string {
		i := lastOf(headers, key)
		if i < 0 {
			return ""
		}
		return string(headers[i].Value)
	}
	number := func(key string, bits int) int64 {
		n, err := strconv.ParseInt(text(key), 10, bits)
		switch {
		case lastOf(headers, key) < 0:
			return -1
		case err != nil || n < 0:
			d.Malformed = append(d.Malformed, key)
			return -1
		}
		return n
	}
	d.Topic, d.Message, d.Group = text(HeaderErrorTopic), text(HeaderErrorExceptionMessage), text(HeaderErrorConnector)
	d.Partition, d.Offset = int32(number(HeaderErrorPartition, 32)), number(HeaderErrorOffset, 64)
	d.Index = int(number(HeaderIndex, 32))
	d.Attempt = int(max(number(HeaderAttempt, 32), 0))
	if d.Stage = text(HeaderStage); d.Stage == "" {
		d.Stage = text(HeaderErrorStage)
	}
	d.Reason, d.Digest = text(HeaderReason), text(HeaderValue) == ValueDigest
	slices.Sort(d.Malformed)
	return d
}
