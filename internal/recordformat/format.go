// Package recordformat holds what the JSON and the Avro form of records share: limits, errors of encoders, and the
// replacement of numbers that neither form can express.
package recordformat

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unsafe"

	"confab/schemas"
)

// Limits of one interaction's lists. They bound the memory of values with many tiny items.
const (
	MaxMessages   = 1 << 13
	MaxSources    = 1 << 13
	MaxTags       = 1 << 10
	MaxAttributes = 1 << 10
	MaxTools      = 1 << 10
	MaxCalls      = 1 << 10
	MaxTopK       = 1 << 7 // alternatives of one token
)

// Bounds of times, in milliseconds since 1970: the years 1 to 9999, which RFC 3339 can express in UTC.
const (
	MinMillis = -62_135_596_800_000
	MaxMillis = 253_402_300_799_999
)

// Errors of encoders.
var (
	ErrBadUTF8   = errors.New("a text is not UTF-8")
	ErrNotFinite = errors.New("a number is NaN or infinite")
	ErrBadTime   = errors.New("a time is outside the years 1 to 9999")
	ErrBadRows   = errors.New("log probabilities are not whole rows, or their offsets do not fit the answer")
)

// Buffer is the output of an encoder with its first error.
type Buffer struct {
	Bytes []byte
	Err   error
}

// Fail records err, unless there is an earlier error.
func (b *Buffer) Fail(err error) {
	if b.Err == nil {
		b.Err = err
	}
}

// MillisOf returns a number since 1970 in milliseconds. Its magnitude tells the unit: below 10^11 it counts seconds (until the
// year 5138), below 10^14 milliseconds, below 10^17 microseconds, below 10^20 nanoseconds. Other numbers are not a time.
func MillisOf(n float64) (ms int64, ok bool) {
	scale := 1e3
	for limit := 1e11; math.Abs(n) >= limit; limit *= 1e3 {
		if scale /= 1e3; scale < 1e-6 {
			return 0, false
		}
	}
	ms = int64(math.Round(n * scale))
	return ms, ms >= MinMillis && ms <= MaxMillis
}

// Millis returns t in milliseconds since 1970. A time out of bounds fails.
func (b *Buffer) Millis(t time.Time) int64 {
	ms := t.UnixMilli()
	if ms < MinMillis || ms > MaxMillis {
		b.Fail(ErrBadTime)
	}
	return ms
}

// CheckRows reports whether l consists of whole rows, and fails otherwise.
func (b *Buffer) CheckRows(l *schemas.Logprobs) bool {
	if l.TopK < 0 || l.TopK > MaxTopK || len(l.Values)%(1+l.TopK) != 0 {
		b.Fail(ErrBadRows)
		return false
	}
	return true
}

// Result returns the output, or dst and the error.
func (b *Buffer) Result(dst []byte, record string) ([]byte, error) {
	if b.Err != nil {
		return dst, fmt.Errorf("encode %s: %w", record, b.Err)
	}
	return b.Bytes, nil
}

// minLogprob is the lowest log probability that is kept: e^-100 is negligible, and sums of it stay finite.
const minLogprob = -100

// ClampLogprob limits a log probability to [-100, 0]. NaN, a missing value, stays.
func ClampLogprob(f float64) float32 {
	switch {
	case f > 0:
		return 0
	case f < minLogprob:
		return minLogprob
	}
	return float32(f)
}

// IsFinite reports whether f is neither NaN nor infinite.
func IsFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// StringView returns b as a string without a copy: it is valid as long as the bytes of b do not change.
func StringView(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // callers keep b alive and unchanged
}
