package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// AppendFlag appends the JSON form of f to dst, without a line break. Lists are never null, and no NaN or infinity is
// ever written: a score that is no number turns a fired or clear signal into one with outcome error, infinite scores
// become 0 or 1, a risk that is no number becomes null, other such figures become 0 and such measures are left out.
// Bytes that are no UTF-8 become U+FFFD. What is left to fail is a time outside the years 0 to 9999; dst is then returned as
// it came.
func AppendFlag(dst []byte, f *schemas.Flag) ([]byte, error) {
	clean := *f
	clean.Signals = finiteSignals(f.Signals)
	if clean.Fired == nil {
		clean.Fired = []string{}
	}
	if f.Risk != nil && !finite(*f.Risk) {
		clean.Risk = nil
	}
	clean.SampleProbability = finiteOr0(f.SampleProbability)
	clean.Grounding = finiteGrounding(f.Grounding)
	clean.AnomalousRates = finiteMeasures(f.AnomalousRates)
	out, err := appendJSON(dst, &clean)
	if err != nil {
		return dst, fmt.Errorf("encode flag: %w", err)
	}
	return out, nil
}

// DecodeFlag overwrites f with the flag in raw. Unknown members are ignored. The error is an *Error.
func DecodeFlag(raw []byte, f *schemas.Flag) error {
	*f = schemas.Flag{}
	return decodeJSON(raw, f)
}

// AppendAlertState appends the JSON form of a to dst, without a line break. It fails only on a time outside the years
// 0 to 9999; dst is then returned as it came.
func AppendAlertState(dst []byte, a *schemas.AlertState) ([]byte, error) {
	out, err := appendJSON(dst, a)
	if err != nil {
		return dst, fmt.Errorf("encode alert state: %w", err)
	}
	return out, nil
}

// DecodeAlertState overwrites a with the state in raw. Unknown members are ignored. The error is an *Error.
func DecodeAlertState(raw []byte, a *schemas.AlertState) error {
	*a = schemas.AlertState{}
	return decodeJSON(raw, a)
}

// AppendFeedback appends the JSON form of f to dst, without a line break. It fails only on a time outside the years 0 to
// 9999; dst is then returned as it came.
func AppendFeedback(dst []byte, f *schemas.Feedback) ([]byte, error) {
	out, err := appendJSON(dst, f)
	if err != nil {
		return dst, fmt.Errorf("encode feedback: %w", err)
	}
	return out, nil
}

// DecodeFeedback overwrites f with the label in raw. Unknown members are ignored. The error is an *Error.
func DecodeFeedback(raw []byte, f *schemas.Feedback) error {
	*f = schemas.Feedback{}
	return decodeJSON(raw, f)
}

// sliceWriter is an io.Writer onto a slice.
type sliceWriter struct{ b []byte }

func (a *sliceWriter) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	w := sliceWriter{b: dst}
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return w.b[:len(w.b)-1], nil // Encode ends in a line break
}

// decodeJSON checks raw as strictly as an interaction, then lets encoding/json fill v. Its errors are translated,
// because they may quote the value.
func decodeJSON(raw []byte, v any) error {
	if len(raw) > DefaultMaxBytes {
		return &scan.Error{Reason: scan.ReasonTooLarge, Offset: DefaultMaxBytes}
	}
	s := scan.New(DefaultMaxDepth)
	s.Start(raw)
	if s.Peek() != '{' {
		s.WrongType("an object")
	}
	s.Skip()
	s.End()
	if s.Err != nil {
		return s.Err
	}
	err := json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &scan.Error{Reason: scan.ReasonWrongType, Field: wrong.Field, Offset: int(wrong.Offset)}
	}
	return &scan.Error{Reason: scan.ReasonOutOfRange, Detail: "a value that its field cannot hold"}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func finiteOr0(f float64) float64 {
	if finite(f) {
		return f
	}
	return 0
}

// finiteSignals is signals, or a copy where something in them cannot be written.
func finiteSignals(signals []schemas.Signal) []schemas.Signal {
	out := make([]schemas.Signal, len(signals))
	for i, sig := range signals {
		switch {
		case math.IsNaN(sig.Score):
			sig.Score = 0
			if sig.Outcome == schemas.Fired || sig.Outcome == schemas.Clear {
				sig.Outcome, sig.Reason = schemas.Failed, "the score is no number"
			}
		case math.IsInf(sig.Score, 0):
			sig.Score = min(max(sig.Score, 0), 1)
		}
		sig.Threshold = finiteOr0(sig.Threshold)
		sig.Measures = finiteMeasures(sig.Measures)
		if slices.ContainsFunc(sig.Evidence, func(e schemas.Evidence) bool { return !finite(e.Similarity) }) {
			sig.Evidence = slices.Clone(sig.Evidence)
			for j := range sig.Evidence {
				sig.Evidence[j].Similarity = finiteOr0(sig.Evidence[j].Similarity)
			}
		}
		out[i] = sig
	}
	return out
}

func finiteMeasures(m map[string]float64) map[string]float64 {
	bad := 0
	for _, v := range m {
		if !finite(v) {
			bad++
		}
	}
	if bad == 0 {
		return m
	}
	out := make(map[string]float64, len(m)-bad)
	for k, v := range m {
		if finite(v) {
			out[k] = v
		}
	}
	return out
}

func finiteGrounding(g *schemas.Grounding) *schemas.Grounding {
	if g == nil {
		return nil
	}
	clean := *g
	clean.Confidence = finiteOr0(g.Confidence)
	clean.OverallSimilarity = finiteOr0(g.OverallSimilarity)
	clean.UngroundedClaimList = make([]schemas.Claim, len(g.UngroundedClaimList))
	for i, c := range g.UngroundedClaimList {
		c.Similarity = finiteOr0(c.Similarity)
		clean.UngroundedClaimList[i] = c
	}
	return &clean
}
