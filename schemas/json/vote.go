package json

import (
	"errors"
	"slices"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// userFeedback reads a vote, or an object with one and its user.
func (s *interactionReader) userFeedback() {
	if s.Peek() != '{' {
		s.in.UserFeedback = s.thumb()
		return
	}
	o := s.Object("an object with a vote")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch {
		case slices.Contains([]string{"vote", "value", "score", "rating", "thumb"}, name) && s.in.UserFeedback == "":
			s.in.UserFeedback = s.thumb()
		case (name == "user" || name == "user_id") && s.in.UserFeedbackBy == "":
			s.in.UserFeedbackBy = s.text()
		default: // such as a comment, which is not kept
			s.Skip()
		}
	}
}

// thumb reads a vote; null is none.
func (s *interactionReader) thumb() (t schemas.Thumb) {
	raw := s.Source()
	if _ = t.UnmarshalJSON(raw); t == "" && s.Err == nil && string(raw) != "null" && string(raw) != `""` {
		s.Fault(scan.ReasonWrongType, "expected up or down, 1 or -1, 1 or 0, true or false")
	}
	return t
}

// AppendVote is as [AppendFeedback].
func AppendVote(dst []byte, v *schemas.Vote) ([]byte, error) { return appendJSON(dst, "vote", v) }

// DecodeVote overwrites v with the vote in raw. Unknown members, such as a comment, are ignored. The error is a *scan.Error: without a
// vote or an id there is none.
func DecodeVote(raw []byte, v *schemas.Vote) error {
	err := decodeObject(raw, v)
	if bad, is := errors.AsType[*scan.Error](err); is && bad.Reason == scan.ReasonOutOfRange {
		bad.Detail = "expected a time at such as 2026-11-23T08:00:00Z"
	}
	if err != nil {
		return err
	}
	if v.Vote == "" {
		return &scan.Error{Reason: scan.ReasonWrongType, Field: "vote", Detail: "expected up or down, 1 or -1, 1 or 0, true or false"}
	}
	ids := v.IDs()
	if len(ids) == 0 {
		return &scan.Error{Reason: scan.ReasonWrongType, Field: "interaction_id", Detail: "name the answer by interaction_id, message_id or trace_id"}
	}
	for _, text := range append(ids, v.User, v.Tenant) {
		if len(text) > maxVoteText {
			return &scan.Error{Reason: scan.ReasonOutOfRange, Detail: "an id, the user or the tenant is longer than 512 bytes"}
		}
	}
	return nil
}

// maxVoteText bounds the ids of a vote, in bytes.
const maxVoteText = 512
