package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// DecodeFlag overwrites f with the flag in raw. Unknown members are ignored. The error is a *scan.Error.
func DecodeFlag(raw []byte, f *schemas.Flag) error {
	return decodeObject(raw, f)
}

// AppendAlertState appends the JSON form of a to dst, without a line break. It fails only on a time outside the years
// 0 to 9999; dst is then returned unchanged.
func AppendAlertState(dst []byte, a *schemas.AlertState) ([]byte, error) {
	return appendJSON(dst, "alert state", a)
}

// DecodeAlertState overwrites a with the state in raw. Unknown members are ignored. The error is a *scan.Error.
func DecodeAlertState(raw []byte, a *schemas.AlertState) error {
	return decodeObject(raw, a)
}

// AppendFeedback appends the JSON form of f to dst, without a line break. It fails only on a time outside the years 0 to
// 9999; dst is then returned unchanged.
func AppendFeedback(dst []byte, f *schemas.Feedback) ([]byte, error) {
	return appendJSON(dst, "feedback", f)
}

// DecodeFeedback overwrites f with the label in raw. Unknown members are ignored. The error is a *scan.Error.
func DecodeFeedback(raw []byte, f *schemas.Feedback) error {
	return decodeObject(raw, f)
}

// AppendObservation is as [AppendFeedback].
func AppendObservation(dst []byte, o *schemas.Observation) ([]byte, error) {
	return appendJSON(dst, "observation", o)
}

// DecodeObservation is as [DecodeFeedback].
func DecodeObservation(raw []byte, o *schemas.Observation) error {
	return decodeObject(raw, o)
}

// decodeObject overwrites v with the object in raw. It validates raw as strictly as an interaction and decodes it with
// encoding/json, whose errors it translates, because they may quote the value.
func decodeObject[T any](raw []byte, v *T) error {
	var zero T
	*v = zero
	if len(raw) > DefaultMaxBytes {
		return &scan.Error{Reason: scan.ReasonTooLarge, Offset: DefaultMaxBytes}
	}
	s := scan.New(DefaultMaxDepth)
	s.Start(raw)
	if s.Peek() != '{' {
		s.WrongType("an object")
	}
	if s.End(); s.Err != nil {
		return s.Err
	}
	err := json.Unmarshal(raw, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &scan.Error{Reason: scan.ReasonWrongType, Field: wrong.Field, Offset: int(wrong.Offset)}
	}
	if err != nil {
		return &scan.Error{Reason: scan.ReasonOutOfRange, Detail: "a value that its field cannot hold"}
	}
	return nil
}

func appendJSON(dst []byte, record string, v any) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, fmt.Errorf("encode %s: %w", record, err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
