package tuning

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// withVotes joins votes of one user for each answer.
func withVotes(s *answerStore, answers []testAnswer) *joined {
	s.joinVotes()
	for i := range answers {
		v := &schemas.Vote{InteractionID: answers[i].id, Vote: schemas.ThumbUp, User: fmt.Sprint(i), Tenant: "default"}
		if answers[i].wrong {
			v.Vote = schemas.ThumbDown
		}
		s.votes.AddVote(v.Key(), v)
	}
	return s.join(numOwners, "")
}

func (w *testTraffic) namedFlags() []*schemas.Flag {
	all := w.flags()
	for _, f := range all {
		f.InteractionID = f.IncidentID
	}
	return all
}

// Votes on answers without a record are counted; people's labels come first.
func TestVotesAreJoined(t *testing.T) {
	w := newTestTraffic(3, 5000)
	labels := w.agreed(100)
	j := withVotes(storeTest(maxAnswers, labels, w.namedFlags()), w.answers)
	notes := j.notes()
	require.Contains(t, fmt.Sprint(notes.Limits), fmt.Sprint(len(w.answers)-len(j.votes)-100, " votes of end users are on answers without a record"))
	labelled := map[string]bool{}
	for _, l := range labels {
		labelled[l.IncidentID] = true
	}
	for i := range j.votes {
		v := &j.votes[i]
		require.False(t, labelled[v.ID])
		require.NotEqual(t, v.ID, v.Group, "the conversation")
	}
	require.Len(t, notes.Votes, len(j.votes))
	none := storeTest(maxAnswers, labels, w.namedFlags()).join(numOwners, "")
	require.NotEqual(t, none.notes().Fingerprint, notes.Fingerprint)
	require.Len(t, j.rows, len(none.rows), "votes are no rows")
	for i := range none.rows {
		require.InDelta(t, none.rows[i].Weight, j.rows[i].Weight, 1e-9)
		require.InDelta(t, none.rows[i].Wrong, j.rows[i].Wrong, 1e-9)
	}
}

// Where only flagged answers are recorded or voted on, votes would say that all answers score high.
func TestOneSidedVotes(t *testing.T) {
	w := newTestTraffic(4, 5000)
	var flagged []testAnswer
	for _, a := range w.answers {
		if len(a.fired()) > 0 {
			flagged = append(flagged, a)
		}
	}
	j := withVotes(storeTest(maxAnswers, nil, w.namedFlags()), flagged)
	require.Empty(t, j.votes)
	require.Contains(t, fmt.Sprint(j.notes().Limits), fmt.Sprint(len(flagged), " votes of end users are left out: they are on flagged answers alone"))
}

// Votes alone change nothing, and those of forgotten answers do not count.
func TestVotesAlone(t *testing.T) {
	w := newTestTraffic(5, 3000)
	for i := range w.answers {
		w.answers[i].sampled = false
	}
	var flags []*schemas.Flag
	for i := range w.answers { // emit: all
		f := w.flag(&w.answers[i], schemas.PassFast)
		f.InteractionID = f.IncidentID
		flags = append(flags, f)
	}
	j := withVotes(storeTest(maxAnswers, nil, flags), w.answers)
	require.Len(t, j.votes, len(w.answers))
	require.Empty(t, j.rows)
	current := testCurrent(t, testThreshold)
	in := w.input(current)
	in.rows, in.notes = j.rows, j.notes()
	require.Equal(t, TooFew, decideTest(t, in).outcome)

	forgotten := &schemas.Feedback{IncidentID: w.answers[0].id, Verdict: schemas.Forgotten}
	j = withVotes(storeTest(maxAnswers, []*schemas.Feedback{forgotten}, flags), w.answers)
	require.Len(t, j.votes, len(w.answers)-1)
}
