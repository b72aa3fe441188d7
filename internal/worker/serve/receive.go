package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas/json/scan"
	"confab/schemas/otlp"
)

// receive answers an export request of OTLP, over HTTP or gRPC. Who gets a success may forget the spans: all replicas in sync
// have them.
func (s *Server) receive(q *webRequest) error {
	if err := s.admit(q, ""); err != nil {
		return err
	}
	if err := q.take(firstRead); err != nil { // all of it: records wait longer than a request
		return err
	}
	raw, err := q.readAll()
	if err != nil && (q.kind == kindJSON || !errors.Is(err, errEmptyBody)) {
		return err
	}
	records, left, err := s.recordsOf(q, raw)
	if err != nil {
		return err
	}
	if err := s.store(q, records); err != nil {
		return err
	}
	q.received(s.partly(q, left))
	return nil
}

// recordsOf returns the records of a request, and how many spans are too large for one.
func (s *Server) recordsOf(q *webRequest, raw []byte) (records [][]byte, left int, err error) {
	fits := func(value []byte) bool {
		m := q.record(value)
		return len(value) <= int(s.Config.Kafka.MaxRecordBytes) && s.Limits.Fits(&m)
	}
	if q.kind == kindJSON {
		raw = bytes.TrimSpace(raw) // the format is known by the first byte
		switch {
		case len(raw) == 0 || raw[0] != '{' || !jsontext.Value(raw).IsValid():
			return nil, 0, &scan.Error{Reason: scan.ReasonSyntax, Detail: "expected an object with resourceSpans or resourceLogs"}
		case !fits(raw):
			return nil, 0, errSpansLarge
		}
		return [][]byte{raw}, 0, nil
	}
	s.cutting.Lock()
	defer s.cutting.Unlock()
	if records, left, err = otlp.Split(raw, fits); err != nil {
		return nil, 0, err
	}
	if left > 0 && len(records) == 0 {
		return nil, 0, errSpansLarge
	}
	more := -q.counted
	for _, r := range records {
		more += int64(len(r))
	}
	return records, left, q.take(max(0, more))
}

// record is the record of a request, or of a part of it, with the tenant that its sender may ask for.
func (q *webRequest) record(value []byte) kafka.Message {
	m := kafka.Message{Topic: q.input.Topic, Partition: kafka.AnyPartition, Value: value}
	if q.input.TenantFrom == config.TenantHeader {
		m.Headers = []kafka.Header{{Key: q.input.TenantHeader, Value: []byte(q.tenant)}}
	}
	return m
}

// store writes the records and waits for the acknowledgements, for serve.deadline. Their bytes stay counted until the producer
// is done with them, also when nobody waits any more.
func (s *Server) store(q *webRequest, records [][]byte) error {
	if len(records) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(q.Context(), s.settings.Deadline)
	defer cancel()
	var pending atomic.Int64
	pending.Store(int64(len(records)))
	acks, counted := make(chan error, len(records)), q.counted
	q.counted = 0
	for _, value := range records {
		s.Produce(q.record(value), func(err error) {
			if pending.Add(-1) == 0 {
				s.exports.Release(counted)
			}
			acks <- err
		})
	}
	var failed error
	for range records {
		select {
		case err := <-acks:
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			failed = fmt.Errorf("wait for acknowledgement: %w", ctx.Err())
		}
	}
	switch {
	case failed == nil:
		return nil
	case errors.Is(failed, kafka.ErrTooLarge):
		return errSpansLarge
	}
	s.Logger.WarnContext(ctx, "write spans failed, their sender is told to send them again", "error", failed)
	return errNotStored
}

// partly is the partial success of a request of which spans were left out; nil if none were.
func (s *Server) partly(q *webRequest, left int) []byte {
	if left == 0 {
		return nil
	}
	s.metrics.refused.WithLabelValues(errSpansLarge.code).Add(float64(left))
	s.Logger.WarnContext(q.Context(), "spans refused", "principal", q.principal.Name, "tenant", q.tenant, "spans", left, "code", errSpansLarge.code)
	// Log records have the same encoding.
	return encodeProto(&coltracepb.ExportTraceServiceResponse{PartialSuccess: &coltracepb.ExportTracePartialSuccess{
		RejectedSpans: int64(left), ErrorMessage: errSpansLarge.message,
	}})
}

// received answers a request whose records are written.
func (q *webRequest) received(body []byte) {
	switch {
	case q.isCall():
		q.reply.writeCall(http.StatusOK, body, nil)
	case q.kind == kindJSON:
		q.reply.write(http.StatusOK, kindJSON, []byte("{}"))
	default:
		q.reply.write(http.StatusOK, kindProto, body)
	}
}

// encodeProto encodes messages of this package, which always works.
func encodeProto(m proto.Message) []byte {
	b, _ := proto.Marshal(m)
	return b
}
