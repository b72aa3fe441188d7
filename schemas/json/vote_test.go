package json

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func TestUserFeedback(t *testing.T) {
	for value, want := range map[string][2]string{
		`"thumbs_down"`: {"down", ""}, `1`: {"up", ""}, `false`: {"down", ""}, `null`: {},
		`{"vote": -1, "user": "ann", "comment": "secret"}`: {"down", "ann"},
		`{"score": 1, "user_id": 7, "value": "down"}`:      {"up", "7"},
		`{"vote": null, "value": "up"}`:                    {"up", ""},
		`{}`:                                               {},
	} {
		var in schemas.Interaction
		require.NoError(t, NewDecoder(Options{}).Decode([]byte(`{"answer":"a","user_feedback":`+value+`}`), &in), value)
		require.Equal(t, want, [2]string{string(in.UserFeedback), in.UserFeedbackBy}, value)
		require.Empty(t, in.Malformed)
	}
	for _, value := range []string{`4`, `"hm"`, `[1]`, `{"vote": {}}`, `{"rating": 5}`} {
		var in schemas.Interaction
		require.NoError(t, NewDecoder(Options{}).Decode([]byte(`{"answer":"a","user_feedback":`+value+`}`), &in), value)
		require.Empty(t, in.UserFeedback, value)
		require.Equal(t, []string{"user_feedback"}, in.Malformed, value)
	}
	m, err := NewMapping(map[string]string{"answer": "/a", "user_feedback": "/f/thumb | /f/stars", "user_feedback_by": "/f/who"})
	require.NoError(t, err)
	var in schemas.Interaction
	require.NoError(t, m.Decode([]byte(`{"a":"x","f":{"thumb":0,"who":"ann"}}`), &in))
	require.Equal(t, schemas.ThumbDown, in.UserFeedback)
	require.Equal(t, "ann", in.UserFeedbackBy)
}

func TestDecodeVote(t *testing.T) {
	var v schemas.Vote
	require.NoError(t, DecodeVote([]byte(`{"message_id":"m","vote":0,"user":"ann","comment":"secret","stars":5}`), &v))
	require.Equal(t, schemas.Vote{MessageID: "m", Vote: schemas.ThumbDown, User: "ann"}, v)
	again, err := AppendVote(nil, &v)
	require.NoError(t, err)
	require.JSONEq(t, `{"message_id":"m","vote":"down","user":"ann"}`, string(again))
	for value, want := range map[string]string{
		`{"interaction_id":"i"}`:                 "vote",
		`{"interaction_id":"i","vote":"secret"}`: "",
		`{"vote":"up"}`:                          "interaction_id",
		`{"vote":"up","trace_id":7}`:             "trace_id",
		`{"vote":"up","trace_id":"t","user":"` + strings.Repeat("x", 600) + `"}`: "",
		`{"vote":"up","trace_id":"t","at":"yesterday"}`:                          "",
		`["up"]`: "",
	} {
		err := DecodeVote([]byte(value), &v)
		bad, is := errors.AsType[*scan.Error](err)
		require.True(t, is, value)
		require.Contains(t, bad.Field, want, value)
		require.NotContains(t, err.Error(), "secret")
	}
}
