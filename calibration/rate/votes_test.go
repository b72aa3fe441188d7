package rate

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func votedAnswers(v *Votes, n int) {
	for i := range n {
		v.addAnswer(fmt.Sprint("in", i), &schemas.Flag{Tenant: "acme", InteractionID: fmt.Sprint("i", i), TraceID: "trace", SpanID: fmt.Sprint("span", i)})
	}
}

func TestVotesJoin(t *testing.T) {
	v, at := NewVotes(), time.Unix(1000, 0)
	votedAnswers(v, 3)
	v.addAnswer("in2", &schemas.Flag{Tenant: "acme", UserFeedback: schemas.ThumbUp, UserFeedbackBy: schemas.Voter("acme", "ann")}) // of the deep flag
	vote := func(key, id, user string, thumb schemas.Thumb, after time.Duration) *schemas.Vote {
		one := &schemas.Vote{InteractionID: id, Tenant: "acme", User: user, Vote: thumb, At: at.Add(after)}
		v.AddVote(key, one)
		return one
	}
	said := func(incident string) map[string]bool { // whether each user voted it down
		down, names := map[string]bool{}, map[string]string{schemas.Voter("acme", "ann"): "ann", schemas.Voter("acme", "bob"): "bob"}
		for user, vote := range v.said[incident] {
			name := user
			if names[user] != "" {
				name = names[user]
			}
			down[name] = vote.Vote == schemas.ThumbDown
		}
		return down
	}
	vote("a", "i0", "ann", schemas.ThumbDown, time.Hour)
	vote("a", "i0", "ann", schemas.ThumbUp, 0) // older
	vote("b", "i0", "bob", schemas.ThumbUp, 0)
	vote("c", "i1", "bob", schemas.ThumbDown, 0)
	vote("d", "i2", "ann", schemas.ThumbDown, 0) // after that in the record
	require.Equal(t, map[string]bool{"ann": true}, said("in2"))
	require.Len(t, said("in0"), 2)
	require.Zero(t, v.Unjoined)

	v.AddVote("e", &schemas.Vote{MessageID: "span1", Tenant: "acme", Vote: schemas.ThumbUp})
	require.Equal(t, map[string]bool{"": false, "bob": true}, said("in1"))
	for i, lost := range []schemas.Vote{
		{TraceID: "trace", Tenant: "acme"},                           // of several answers
		{InteractionID: "i1", Tenant: "bank"}, {InteractionID: "i1"}, // of another tenant
		{InteractionID: "unknown", MessageID: "span1", Tenant: "acme"}, {}, // the first id counts
	} {
		v.AddVote("", &lost)
		require.Equal(t, i+1, v.Unjoined)
	}

	v.AddVote("b", nil) // deleted
	v.AddVote("unknown", nil)
	require.Equal(t, map[string]bool{"ann": true}, said("in0"))
	require.True(t, *v.down("in0", map[string]int{}))
	v.Forget("in0")
	require.Nil(t, v.down("in0", map[string]int{}))

	for i := range 2 * maxVoters {
		vote("", "i1", fmt.Sprint("flood", i), schemas.ThumbUp, 0)
	}
	require.Len(t, said("in1"), maxVoters)
}

// The share of thumbs down is a figure of its own, and one user says little of it.
func TestThumbsDown(t *testing.T) {
	c, err := NewCollector(Options{By: []string{"service"}, Deep: []string{"faithfulness"}})
	require.NoError(t, err)
	for i := range 200 {
		f := deepFlag(fmt.Sprint(i), "bot", 0.5, schemas.Clear)
		f.InteractionID, f.UserFeedback = fmt.Sprint("i", i), ""
		if i < 100 {
			f.UserFeedback, f.UserFeedbackBy = schemas.ThumbUp, schemas.Voter("", fmt.Sprint(i))
		}
		require.NoError(t, c.AddFlag(f))
	}
	for i := range 100 { // mallory votes on all others
		c.AddVote("", &schemas.Vote{InteractionID: fmt.Sprint("i", 100+i), Vote: schemas.ThumbDown, User: "mallory"})
	}
	c.AddVote("", &schemas.Vote{InteractionID: "unsampled", Vote: schemas.ThumbDown})
	r := c.Result()
	require.Equal(t, 1, r.Unjoined)
	require.Equal(t, []int{110, 10}, []int{r.Rows[0].Down.Verdicts, r.Rows[0].Down.Wrong})
	require.InDelta(t, 10.0/110, r.Rows[0].Down.Value, 1e-9)
	require.Less(t, r.Rows[0].Down.Low, r.Rows[0].Down.Value)
	require.Zero(t, r.Rows[0].Value, "votes enter no estimate of wrong answers")
	c.AddLabel(&schemas.Feedback{IncidentID: "0", Verdict: schemas.Forgotten})
	require.Equal(t, 109, c.Result().Total.Down.Verdicts)
}
