package encode

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// AppendFlag appends the JSON form of f to dst, as package encoding/json writes it without escapes for HTML: the form that
// readers have compared and hashed since the first version. Numbers are made finite as recordformat.FiniteFlag describes,
// lists are never null, and bytes that are not UTF-8 become U+FFFD. On an error dst is returned unchanged.
func AppendFlag(dst []byte, f *schemas.Flag) ([]byte, error) {
	e := flagEncoder{interactionEncoder{recordformat.Buffer{Bytes: append(slices.Grow(dst, usualSize(f)), '{')}}}
	e.always("incident_id", f.IncidentID)
	e.always("pass", string(f.Pass))
	e.always("interaction_id", f.InteractionID)
	e.always("tenant", f.Tenant)
	e.member("service", f.Service)
	e.member("operation", f.Operation)
	e.member("provider", f.Provider)
	e.member("model", f.Model)
	e.member("trace_id", f.TraceID)
	e.member("span_id", f.SpanID)
	e.member("conversation_id", f.ConversationID)
	if len(f.Tags) > 0 {
		e.strings("tags", f.Tags)
	}
	e.time("occurred_at", f.OccurredAt)
	e.time("detected_at", f.DetectedAt)
	e.origin(&f.Origin)
	e.signals(f.Signals)
	e.strings("fired", f.Fired)
	e.risk(f.Risk)
	e.always("recommendation", string(f.Recommendation))
	e.member("action", string(f.Action))
	e.name("alert")
	e.Bytes = strconv.AppendBool(e.Bytes, f.Alert)
	e.grounding(f.Grounding)
	e.member("calibration", f.Calibration)
	e.member("worker_version", f.WorkerVersion)
	e.truth("truncated", f.Truncated)
	e.truth("sampled", f.Sampled)
	e.member("sample_reason", f.SampleReason)
	if p := recordformat.FiniteOrZero(f.SampleProbability); p != 0 {
		e.number("sample_probability", p)
	}
	e.member("id_source", f.IDSource)
	writeMap(&e, "attributes", f.Attributes, e.text)
	writeMap(&e, "anomalous_rates", recordformat.FiniteMeasures(f.AnomalousRates), e.float)
	e.member("sources_from", f.SourcesFrom)
	e.member("question", f.Question)
	e.member("checked", string(f.Checked))
	if len(f.Unchecked) > 0 {
		e.strings("unchecked", f.Unchecked)
	}
	e.Bytes = append(e.Bytes, '}')
	return e.Result(dst, "flag")
}

// usualSize is about the length of a flag as JSON, and more for most flags.
func usualSize(f *schemas.Flag) int {
	const flag, row, claim = 2048, 400, 128
	n := flag
	for i := range f.Signals {
		n += row * len(f.Signals[i].Evidence)
	}
	if f.Grounding != nil {
		n += claim * len(f.Grounding.UngroundedClaimList)
	}
	return n
}

// flagEncoder appends JSON in the form of encoding/json.
type flagEncoder struct{ interactionEncoder }

// member writes a string member, unless it is empty.
func (e *flagEncoder) member(n, value string) {
	if value != "" {
		e.always(n, value)
	}
}

func (e *flagEncoder) always(n, value string) {
	e.name(n)
	e.text(value)
}

func (e *flagEncoder) integer(n string, value int64) {
	e.name(n)
	e.Bytes = strconv.AppendInt(e.Bytes, value, 10)
}

func (e *flagEncoder) number(n string, value float64) {
	e.name(n)
	e.float(recordformat.FiniteOrZero(value))
}

func (e *flagEncoder) truth(n string, value bool) {
	if value {
		e.name(n)
		e.Bytes = append(e.Bytes, "true"...)
	}
}

// float writes a finite number as ECMAScript does.
func (e *flagEncoder) float(f float64) {
	if whole := int64(f); float64(whole) == f && math.Abs(f) < 1<<53 && (whole != 0 || !math.Signbit(f)) { // a count
		e.Bytes = strconv.AppendInt(e.Bytes, whole, 10)
		return
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	e.Bytes = strconv.AppendFloat(e.Bytes, f, format, -1, 64)
	if n := len(e.Bytes); format == 'e' && e.Bytes[n-4] == 'e' && e.Bytes[n-3] == '-' && e.Bytes[n-2] == '0' { // e-09 is e-9
		e.Bytes[n-2] = e.Bytes[n-1]
		e.Bytes = e.Bytes[:n-1]
	}
}

// time writes a time in its own zone, unless it is zero.
func (e *flagEncoder) time(n string, t time.Time) {
	if t.IsZero() {
		return
	}
	e.name(n)
	text, err := t.AppendText(append(e.Bytes, '"'))
	if err != nil {
		e.Fail(recordformat.ErrBadTime)
		return
	}
	e.Bytes = append(text, '"')
}

// text writes a string with the escapes of encoding/json.
func (e *flagEncoder) text(v string) {
	const hex = "0123456789abcdef"
	out := append(e.Bytes, '"')
	from := 0
	for i := plainRun(v); i < len(v); i += plainRun(v[i:]) {
		c, size := rune(v[i]), 1
		if c >= utf8.RuneSelf {
			if c, size = utf8.DecodeRuneInString(v[i:]); c != '\u2028' && c != '\u2029' && (c != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		out = append(out, v[from:i]...)
		if short := shortEscape(c); short != 0 {
			out = append(out, '\\', short)
		} else {
			out = append(out, '\\', 'u', hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15])
		}
		i += size
		from = i
	}
	out = append(out, v[from:]...)
	e.Bytes = append(out, '"')
}

// plainRun is the length of the run of plain bytes at the start of s. It reads eight at a time; the lowest byte that is marked is
// the first other one, as a borrow can only mark bytes above it.
func plainRun(s string) (n int) {
	const lowBits, highBits = 0x0101010101010101, 0x8080808080808080
	for ; n+8 <= len(s); n += 8 {
		w := binary.LittleEndian.Uint64([]byte(s[n : n+8]))
		quote, slash := w^(lowBits*'"'), w^(lowBits*'\\')
		if stop := (w | (w - lowBits*' ') | (quote - lowBits) | (slash - lowBits)) & highBits; stop != 0 {
			return n + bits.TrailingZeros64(stop)/8
		}
	}
	for n < len(s) && plainBytes[s[n]] {
		n++
	}
	return n
}

// plainBytes need no escape.
//
//nolint:gochecknoglobals // read-only table
var plainBytes = func() (t [256]bool) {
	for b := byte(' '); b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// shortEscape is the letter of the short escape of c, 0 if it has none.
func shortEscape(c rune) byte {
	switch c {
	case '"', '\\':
		return byte(c)
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

func (e *flagEncoder) strings(n string, values []string) {
	e.name(n)
	e.Bytes = append(e.Bytes, '[')
	for _, v := range values {
		e.comma()
		e.text(v)
	}
	e.Bytes = append(e.Bytes, ']')
}

// writeMap writes a member with a map in the order of its keys, unless it is empty.
func writeMap[V any](e *flagEncoder, n string, m map[string]V, write func(V)) {
	if len(m) == 0 {
		return
	}
	var few [16]string
	keys := few[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	e.name(n)
	e.Bytes = append(e.Bytes, '{')
	for _, k := range keys {
		e.comma()
		e.text(k)
		e.Bytes = append(e.Bytes, ':')
		write(m[k])
	}
	e.Bytes = append(e.Bytes, '}')
}

func (e *flagEncoder) origin(o *schemas.Origin) {
	e.name("origin")
	e.Bytes = append(e.Bytes, '{')
	e.always("topic", o.Topic)
	e.integer("partition", int64(o.Partition))
	e.integer("offset", o.Offset)
	e.integer("index", int64(o.Index))
	e.Bytes = append(e.Bytes, '}')
}

func (e *flagEncoder) risk(risk *float64) {
	e.name("risk")
	if risk == nil || !recordformat.IsFinite(*risk) {
		e.Bytes = append(e.Bytes, "null"...)
		return
	}
	e.float(*risk)
}
