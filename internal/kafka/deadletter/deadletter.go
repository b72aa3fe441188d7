// Package deadletter writes records that cannot be processed to the dead-letter topic, with the headers of Kafka
// Connect and Confab's own. Values that are too large are replaced by a digest, and errors are redacted.
package deadletter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/kafka"
	"confab/internal/redact"
)

// Headers of a dead letter. Those of Kafka Connect hold UTF-8 text, including numbers, for other programs.
const (
	HeaderErrorTopic            = "__connect.errors.topic"
	HeaderErrorPartition        = "__connect.errors.partition"
	HeaderErrorOffset           = "__connect.errors.offset"
	HeaderErrorConnector        = "__connect.errors.connector.name"
	HeaderErrorStage            = "__connect.errors.stage"
	HeaderErrorClass            = "__connect.errors.class.name"
	HeaderErrorExceptionClass   = "__connect.errors.exception.class.name"
	HeaderErrorExceptionMessage = "__connect.errors.exception.message"

	HeaderStage   = "confab-stage"
	HeaderReason  = "confab-reason"
	HeaderAttempt = "confab-attempt" // how often the record became a dead letter, from 1
	HeaderOrigin  = "confab-origin"  // kept over dead letters and redrives
	HeaderIndex   = "confab-index"   // place of a part within its record, if the value is that part alone
	HeaderDropped = "confab-headers-dropped"
	HeaderValue   = "confab-value" // ValueDigest when the value is not the original one

	// ValueDigest means that the value is JSON with the coordinates and SHA-256 digests of what was too large to keep.
	ValueDigest   = "digest"
	connectPrefix = "__connect.errors."
)

// Limits on what is copied from the original record and its error, so that a dead letter fits its topic.
const (
	maxHeaders      = 64
	maxHeaderKey    = 256
	maxHeaderValue  = 8 << 10
	maxHeaderBytes  = 64 << 10
	maxErrorMessage = 1 << 10
	maxDigestKey    = 1 << 10 // a longer key is replaced by its digest
)

// Options configure a Writer.
type Options struct {
	Producer *kafka.Producer
	Topic    string // where dead letters go
	Name     string // connector.name: the consumer group
}

// Writer writes records that can never be processed to the dead-letter topic. It is safe for concurrent use.
type Writer struct{ opts Options }

// NewWriter returns a Writer.
func NewWriter(opts Options) *Writer { return &Writer{opts: opts} }

// Letter is a record that cannot be processed, with the reason.
type Letter struct {
	Topic     string // where it was read
	Partition int32
	Offset    int64
	Key       []byte
	Value     []byte
	Headers   []kafka.Header
	Timestamp time.Time

	Stage   string // decode, validate, detect or publish
	Reason  string // from a closed set
	Err     error  // detail without any of the record's text; may be nil
	NoValue bool   // the value could not be read: coordinates only

	Part  bool // the value is a part of the record alone
	Index int  // its place within the record

	durable bool
}

// Send writes the letters and waits until all are durable. It may be called again with the same letters after an error:
// durable ones are not written twice. A letter that is too large for the topic is written with a digest in place of its
// value. When ctx ends first, the letters still belong to Send.
func (d *Writer) Send(ctx context.Context, letters []Letter) error {
	type result struct {
		of  *Letter
		err error
	}
	results, sent := make(chan result, len(letters)), 0
	for i := range letters {
		if l := &letters[i]; !l.durable {
			sent++
			d.opts.Producer.Produce(d.Message(l), func(err error) { results <- result{l, err} })
		}
	}
	var errs []error
	var big []*Letter
	for range sent {
		select {
		case r := <-results:
			if r.of.durable = r.err == nil; errors.Is(r.err, kafka.ErrTooLarge) {
				big = append(big, r.of)
			} else {
				errs = append(errs, r.err)
			}
		case <-ctx.Done():
			return fmt.Errorf("wait for dead letters: %w", ctx.Err())
		}
	}
	for _, l := range big {
		errs = append(errs, d.sendLarge(ctx, l))
	}
	return errors.Join(errs...)
}

// sendLarge writes a letter alone, since brokers refuse whole batches for one record, and then without its value.
func (d *Writer) sendLarge(ctx context.Context, l *Letter) error {
	err := d.opts.Producer.ProduceSync(ctx, d.Message(l))
	if errors.Is(err, kafka.ErrTooLarge) {
		err = d.opts.Producer.ProduceSync(ctx, d.Digest(l))
	}
	l.durable = err == nil
	return err
}

// Message returns the record for l, without regard to the topic's size limit.
func (d *Writer) Message(l *Letter) kafka.Message {
	if l.NoValue {
		return d.Digest(l)
	}
	return kafka.Message{
		Topic: d.opts.Topic, Partition: kafka.AnyPartition, Key: l.Key, Value: l.Value, Headers: d.headers(l),
	}
}

// Fitting returns the record for l, with a digest in place of a value that is too large for the topic.
func (d *Writer) Fitting(l *Letter, limits *kafka.SizeLimits) kafka.Message {
	m := d.Message(l)
	if !l.NoValue && !limits.Fits(&m) {
		return d.Digest(l)
	}
	return m
}

// headers returns the original headers within the limits, then those of this letter, which replace those of earlier
// letters.
func (d *Writer) headers(l *Letter) []kafka.Header {
	out, dropped := originalHeaders(l.Headers)
	add := func(key, value string) { out = append(out, kafka.Header{Key: key, Value: []byte(value)}) }
	add(HeaderErrorTopic, l.Topic)
	add(HeaderErrorPartition, strconv.Itoa(int(l.Partition)))
	add(HeaderErrorOffset, strconv.FormatInt(l.Offset, 10))
	add(HeaderErrorConnector, d.opts.Name)
	add(HeaderErrorStage, l.Stage)
	add(HeaderErrorClass, "confab")
	add(HeaderErrorExceptionClass, errorClass(l.Err))
	add(HeaderErrorExceptionMessage, errorText(l))
	add(HeaderStage, l.Stage)
	add(HeaderReason, l.Reason)
	add(HeaderAttempt, strconv.Itoa(nextAttempt(l.Headers)))
	if l.Part {
		add(HeaderIndex, strconv.Itoa(l.Index))
	}
	if dropped > 0 {
		add(HeaderDropped, strconv.Itoa(dropped))
	}
	return out
}

// originalHeaders returns the headers that a letter keeps, and how many it drops. The last origin header is always kept.
func originalHeaders(hs []kafka.Header) (kept []kafka.Header, dropped int) {
	kept = make([]kafka.Header, 0, min(len(hs), maxHeaders)+12)
	size, origin := 0, lastOf(hs, HeaderOrigin)
	for i, h := range hs {
		if isLetterHeader(h.Key) {
			continue
		}
		bytes := len(h.Key) + len(h.Value)
		fits := len(kept) < maxHeaders && size+bytes <= maxHeaderBytes && h.Key != HeaderOrigin
		if (!fits && i != origin) || len(h.Key) > maxHeaderKey || len(h.Value) > maxHeaderValue {
			dropped++
			continue
		}
		kept, size = append(kept, h), size+bytes
	}
	return kept, dropped
}

// nextAttempt returns the attempt number after that of an earlier letter, whose header is not trusted.
func nextAttempt(hs []kafka.Header) int {
	i := lastOf(hs, HeaderAttempt)
	if i < 0 {
		return 1
	}
	n, err := strconv.Atoi(string(hs[i].Value))
	if err != nil || n < 1 || n >= 1<<20 {
		return 1
	}
	return n + 1
}

// lastOf returns the index of the last header with that key; -1 when there is none.
func lastOf(hs []kafka.Header, key string) int {
	for i, h := range slices.Backward(hs) {
		if h.Key == key {
			return i
		}
	}
	return -1
}

// isLetterHeader reports whether an earlier letter added the header.
func isLetterHeader(key string) bool {
	switch key {
	case HeaderStage, HeaderReason, HeaderAttempt, HeaderIndex, HeaderDropped, HeaderValue:
		return true
	}
	return strings.HasPrefix(key, connectPrefix)
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

// errorClass returns the type of the innermost error, in place of an exception's class.
func errorClass(err error) string {
	if err == nil {
		return ""
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return fmt.Sprintf("%T", err)
		}
		err = inner
	}
}

func errorText(l *Letter) string {
	text := l.Reason
	if l.Err != nil {
		if detail := l.Err.Error(); strings.HasPrefix(detail, text) {
			text = detail
		} else {
			text += ": " + detail
		}
	}
	text = redact.Visible(text, maxErrorMessage)
	if len(text) > maxErrorMessage {
		text = text[:maxErrorMessage]
	}
	return strings.ToValidUTF8(text, "")
}
