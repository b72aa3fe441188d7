package export

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"
	"time"

	"confab/schemas"
)

// result is one evaluation of a flag: a signal, or the risk.
type result struct {
	name        string
	label       string
	explanation string
	errorType   string
	score       float64
	hasScore    bool // a detector that could not check has none: 0 would read as the best score
	fired       bool
}

// errorOther is OpenTelemetry's error.type without a narrower one.
const errorOther = "_OTHER"

// results are the signals of f in their order, then its risk if it has one.
func results(f *schemas.Flag) []result {
	all := make([]result, 0, len(f.Signals)+1)
	for i := range f.Signals {
		s := &f.Signals[i]
		r := result{
			name: s.Detector, label: string(s.Outcome), explanation: s.Reason, score: s.Score, fired: s.Outcome == schemas.Fired,
		}
		switch s.Outcome {
		case schemas.Fired, schemas.Clear:
			r.hasScore = true
		case schemas.Skipped: // such as not_armed, which keeps the score
			r.hasScore = s.Score > 0
		case schemas.Failed:
			r.errorType = errorOther
		case schemas.NotCheckable:
		}
		r.hasScore = r.hasScore && isFinite(s.Score)
		all = append(all, r)
	}
	if f.Risk != nil && isFinite(*f.Risk) {
		all = append(all, result{name: riskName, label: string(f.Recommendation), score: *f.Risk, hasScore: true, fired: f.Alert})
	}
	return all
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// resultID is the stable id of a result.
func resultID(f *schemas.Flag, name string) string {
	sum := sha256.Sum256([]byte("confab-event\x00" + flagID(f) + "\x00" + name))
	return hex.EncodeToString(sum[:16])
}

// spanID is the stable id of the flag's span.
func spanID(f *schemas.Flag) []byte {
	sum := sha256.Sum256([]byte("confab-span\x00" + flagID(f)))
	sum[0] |= 1 // all zeros would be invalid
	return sum[:8]
}

// hasTrace reports whether the flag has a valid trace id, without which it cannot have a span.
func hasTrace(f *schemas.Flag) bool { return traceID(f) != nil }

// traceID is the trace id of the interaction, nil if it is not one.
func traceID(f *schemas.Flag) []byte { return decodeID(f.TraceID, 16) }

// parentID is the span id of the interaction, nil if it is unknown. Without a trace it means nothing.
func parentID(f *schemas.Flag) []byte {
	if !hasTrace(f) {
		return nil
	}
	return decodeID(f.SpanID, 8)
}

// decodeID decodes hexadecimal of n bytes, which must not all be zero.
func decodeID(text string, n int) []byte {
	if len(text) != 2*n || strings.Trim(text, "0") == "" {
		return nil
	}
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return id
}

// setTrace fills in the trace and the span from a traceparent header where the flag names no trace.
func setTrace(f *schemas.Flag, traceparent []byte) {
	if trace, span := schemas.ReadTraceparent(string(traceparent)); trace != "" && f.TraceID == "" {
		f.TraceID, f.SpanID = trace, span
	}
}

// unixNano is 0 for times that OTLP cannot express.
func unixNano(t time.Time) uint64 {
	if t.Year() < 1970 || t.Year() > 2261 {
		return 0
	}
	return uint64(t.UnixNano())
}

// traceparent is the W3C trace context of the evaluated span, empty when it is unknown.
func traceparent(f *schemas.Flag) string {
	parent := parentID(f)
	if parent == nil {
		return ""
	}
	return "00-" + hex.EncodeToString(traceID(f)) + "-" + hex.EncodeToString(parent) + "-01"
}
