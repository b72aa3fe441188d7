package scan

import (
	"encoding/json"
	"errors"
)

// DecodeObject overwrites v with the object in raw. It validates raw as strictly as an interaction and decodes it with
// encoding/json, whose errors it translates, because they may quote the value.
func DecodeObject[T any](raw []byte, maxBytes, maxDepth int, v *T) error {
	var zero T
	*v = zero
	if len(raw) > maxBytes {
		return &Error{Reason: ReasonTooLarge, Offset: maxBytes}
	}
	s := New(maxDepth)
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
		return &Error{Reason: ReasonWrongType, Field: wrong.Field, Offset: int(wrong.Offset)}
	}
	return &Error{Reason: ReasonOutOfRange, Detail: "a value that its field cannot hold"}
}
