package store

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"confab/schemas"
)

// Row is the summary of one flag, as lists need it.
type Row struct {
	At        time.Time // of its record in llm.incidents, not after the moment of storing it
	Incident  string
	Pass      schemas.Pass
	Verdict   schemas.HumanVerdict // of the latest label; "" without one
	Alert     bool
	Unchecked bool    // nothing of the answer was measured
	Sampled   bool    // chosen for deep evaluation
	Judged    bool    // a deep detector fired or is clear
	Risk      float64 // -1 if unknown
	Chance    float64 // of being sampled; 0 if unknown

	Tenant, Service, Operation, Model string
	Interaction, Trace                string
	Recommendation                    schemas.Recommendation
	SampleReason                      string
	Question                          string
	Fired                             []string
}

// Bounds of a row.
const (
	rowVersion  = 1
	maxRowText  = 256
	maxRowFired = 16
	fixedBytes  = 2 + 4 + 4
	keyBytes    = 16
)

// The bits of a row.
const (
	bitDeep = 1 << iota
	bitAlert
	bitUnchecked
	bitSampled
	bitConfirmed
	bitFalsePositive
	bitJudged
)

var errRow = errors.New("a stored row cannot be read")

// rowOf summarises a flag.
func rowOf(f *schemas.Flag, at time.Time) Row {
	r := Row{
		At: at, Incident: f.IncidentID, Pass: schemas.PassFast, Alert: f.Alert, Unchecked: true, Risk: -1,
		Sampled: f.Sampled, Chance: f.SampleProbability, Tenant: f.Tenant, Service: f.Service, Operation: f.Operation, Model: f.Model,
		Interaction: f.InteractionID, Trace: f.TraceID, Recommendation: f.Recommendation, SampleReason: f.SampleReason,
		Question: f.Question, Fired: f.Fired[:min(len(f.Fired), maxRowFired)],
	}
	if f.Pass == schemas.PassDeep {
		r.Pass = schemas.PassDeep
	}
	if f.Risk != nil && !math.IsNaN(*f.Risk) {
		r.Risk = *f.Risk
	}
	for i := range f.Signals {
		if o := f.Signals[i].Outcome; o == schemas.Fired || o == schemas.Clear {
			r.Unchecked = false
		}
	}
	r.Unchecked = r.Unchecked || f.Checked == schemas.CheckedNone
	return r
}

// isJudged reports whether one of the deep detectors fired or is clear.
func isJudged(f *schemas.Flag, deep []string) bool {
	return slices.ContainsFunc(f.Signals, func(s schemas.Signal) bool {
		return (s.Outcome == schemas.Fired || s.Outcome == schemas.Clear) && slices.Contains(deep, s.Detector)
	})
}

func (r *Row) bits() (b byte) {
	for bit, set := range map[byte]bool{
		bitDeep: r.Pass == schemas.PassDeep, bitAlert: r.Alert, bitUnchecked: r.Unchecked, bitSampled: r.Sampled, bitJudged: r.Judged,
		bitConfirmed: r.Verdict == schemas.Confirmed, bitFalsePositive: r.Verdict == schemas.FalsePositive,
	} {
		if set {
			b |= bit
		}
	}
	return b
}

// texts are the fields of the row's texts, in the order in which they are written.
func (r *Row) texts() [10]*string {
	return [...]*string{
		&r.Incident, &r.Tenant, &r.Service, &r.Operation, &r.Model, &r.Interaction, &r.Trace, (*string)(&r.Recommendation), &r.SampleReason, &r.Question,
	}
}

// append writes the row after its key: version, bits, risk, chance, texts, detectors that fired.
func (r *Row) append(b []byte) []byte {
	b = append(b, rowVersion, r.bits())
	b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(r.Risk)))
	b = binary.BigEndian.AppendUint32(b, math.Float32bits(float32(r.Chance)))
	for i, s := range r.texts() {
		limit := maxRowText
		if i == 1 { // access is decided by the whole name of the tenant
			limit = math.MaxInt
		}
		b = appendText(b, *s, limit)
	}
	for _, name := range r.Fired {
		b = appendText(b, name, maxRowText)
	}
	return b
}

func appendText(b []byte, s string, limit int) []byte {
	s = s[:min(len(s), limit)]
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// rowView reads the texts of a stored row without copying them.
type rowView struct {
	key, bits, rest []byte
}

func viewRow(key, value []byte) (rowView, bool) {
	if len(key) != keyBytes || len(value) < fixedBytes || value[0] != rowVersion {
		return rowView{}, false
	}
	return rowView{key: key, bits: value[1:fixedBytes], rest: value[fixedBytes:]}, true
}

func cutText(b []byte) (text, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, nil, false
	}
	end := used + int(n)
	return b[used:end], b[end:], true
}

func (v rowView) has(bit byte) bool { return v.bits[0]&bit != 0 }

func (v rowView) at() time.Time { return keyTime(v.key) }

// decode copies the row.
func (v rowView) decode() (Row, error) {
	r := Row{
		At: v.at(), Pass: schemas.PassFast, Alert: v.has(bitAlert), Unchecked: v.has(bitUnchecked), Sampled: v.has(bitSampled), Judged: v.has(bitJudged),
		Risk: float64(math.Float32frombits(binary.BigEndian.Uint32(v.bits[1:]))), Chance: float64(math.Float32frombits(binary.BigEndian.Uint32(v.bits[5:]))),
	}
	if v.has(bitDeep) {
		r.Pass = schemas.PassDeep
	}
	switch {
	case v.has(bitConfirmed):
		r.Verdict = schemas.Confirmed
	case v.has(bitFalsePositive):
		r.Verdict = schemas.FalsePositive
	}
	rest := v.rest
	for _, field := range r.texts() {
		text, more, ok := cutText(rest)
		if !ok {
			return r, errRow
		}
		*field, rest = string(text), more
	}
	for len(rest) > 0 {
		text, more, ok := cutText(rest)
		if !ok {
			return r, errRow
		}
		r.Fired, rest = append(r.Fired, string(text)), more
	}
	r.Fired = slices.Clip(r.Fired)
	return r, nil
}

// keyTime is the time in a key.
func keyTime(key []byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(key))).UTC()
}

func timeKey(at time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(0, at.UnixMilli())))
}
