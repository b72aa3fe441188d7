package rate

import (
	"strings"

	"confab/schemas"
)

// Votes joins what end users say with answers, by tenant and id. Answers come before votes. Each user has one vote for each answer, the
// last.
type Votes struct {
	Unjoined int // votes on answers that are not here, or whose id several have

	answers   map[[2]string]string // incident by tenant and id, "" for several
	said      map[string]map[string]schemas.Vote
	keys      map[string][2]string // incident and user, by the key of the record
	forgotten map[string]bool
}

// NewVotes returns no votes.
func NewVotes() *Votes {
	return &Votes{answers: map[[2]string]string{}, said: map[string]map[string]schemas.Vote{}, keys: map[string][2]string{}, forgotten: map[string]bool{}}
}

// maxVoters bounds the users who count for one answer.
const maxVoters = 100

// addAnswer adds the answer of a flag under the key of its incident, and the vote in its record, if it has one.
func (v *Votes) addAnswer(incident string, f *schemas.Flag) {
	incident = strings.Clone(incident)
	for _, id := range []string{f.InteractionID, f.TraceID, f.SpanID, f.Attributes["message_id"]} {
		key := [2]string{strings.Clone(f.Tenant), strings.Clone(id)}
		if known, is := v.answers[key]; is && known != incident {
			v.answers[key] = ""
		} else if !is && id != "" {
			v.answers[key] = incident
		}
	}
	if f.UserFeedback != "" {
		v.add(incident, strings.Clone(f.UserFeedbackBy), schemas.Vote{Vote: f.UserFeedback})
	}
}

// AddVote adds the vote of the record with that key, after the answers. Without a vote the record deletes the one before.
func (v *Votes) AddVote(key string, vote *schemas.Vote) {
	if vote == nil {
		at := v.keys[key]
		delete(v.said[at[0]], at[1])
		return
	}
	incident := ""
	if ids := vote.IDs(); len(ids) > 0 {
		incident = v.answers[[2]string{vote.Tenant, ids[0]}]
	}
	if incident == "" {
		v.Unjoined++
		return
	}
	user := schemas.Voter(vote.Tenant, vote.User)
	v.add(incident, user, *vote)
	if key != "" {
		v.keys[key] = [2]string{incident, user}
	}
}

func (v *Votes) add(incident, user string, vote schemas.Vote) {
	said := v.said[incident]
	if said == nil {
		said = map[string]schemas.Vote{}
		v.said[incident] = said
	}
	if old, is := said[user]; is && vote.At.Before(old.At) || !is && len(said) == maxVoters {
		return
	}
	said[user] = schemas.Vote{Vote: vote.Vote, At: vote.At}
}

// Forget takes the votes on an answer out.
func (v *Votes) Forget(incident string) { v.forgotten[strings.Clone(incident)] = true }

// votesOfOne is how many votes of one user count: further ones do not.
const votesOfOne = 10

// down is what most users say of an answer; nil if they say nothing. by counts the votes of each user.
func (v *Votes) down(incident string, by map[string]int) *bool {
	if v.forgotten[incident] {
		return nil
	}
	downs, all := 0, 0
	for user, vote := range v.said[incident] {
		if by[user]++; user != "" && by[user] > votesOfOne {
			continue
		}
		if all++; vote.Vote == schemas.ThumbDown {
			downs++
		}
	}
	if all == 0 {
		return nil
	}
	return new(2*downs >= all)
}

// downs is the share of the answers with votes that were voted down.
func downs(sample []Answer) Interval {
	var voted []Answer
	for i := range sample {
		if a := &sample[i]; a.Down != nil && a.Probability > 0 {
			voted = append(voted, Answer{Person: a.Down, Probability: a.Probability, Label: a.Probability})
		}
	}
	return Share(voted)
}
