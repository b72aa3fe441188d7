package join

import (
	"fmt"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/schemas"
)

// scoreIndex finds interactions by their ids, and keeps the score of each.
type scoreIndex struct {
	answers map[string][]schemas.EventID // by id of the incident, the interaction, the span or the trace
	tenants map[schemas.EventID]string
	scores  map[schemas.EventID]*score
	void    map[schemas.EventID]bool // contradicted
	sample  []string
}

func newScoreIndex() *scoreIndex {
	return &scoreIndex{
		answers: map[string][]schemas.EventID{}, tenants: map[schemas.EventID]string{},
		scores: map[schemas.EventID]*score{}, void: map[schemas.EventID]bool{},
	}
}

func (x *scoreIndex) add(in *schemas.Interaction) {
	event := in.EventID()
	x.tenants[event] = strings.Clone(in.Tenant)
	for _, id := range []string{event.IncidentID(), in.ID, in.SpanID, in.TraceID} {
		if id != "" && !slices.Contains(x.answers[id], event) {
			x.answers[strings.Clone(id)] = append(x.answers[id], event)
		}
	}
	if len(x.sample) < 3 {
		x.sample = append(x.sample, fmt.Sprintf("%q", console.Sanitize(in.ID)))
	}
}

func (x *scoreIndex) examples() string {
	if len(x.sample) == 0 {
		return "none: no line could be read"
	}
	return strings.Join(x.sample, ", ")
}

// assignment is what became of a score.
type assignment int

const (
	taken assignment = iota
	noMatch
	severalMatches
	repetition    // an equal label is there already
	contradiction // neither counts
)

// assign gives the verdict to its interaction. other is the place of the verdict that it contradicts.
func (x *scoreIndex) assign(s *score) (outcome assignment, other string) {
	event, outcome := x.find(s)
	if outcome != taken {
		return outcome, ""
	}
	old := x.scores[event]
	switch {
	case old == nil:
		x.scores[event] = s
		return taken, ""
	case old.label == s.label:
		return repetition, ""
	}
	x.void[event] = true
	return contradiction, old.place
}

// find returns the one answer that the score is about, by its narrowest id that is known.
func (x *scoreIndex) find(s *score) (schemas.EventID, assignment) {
	for _, id := range s.ids {
		var found []schemas.EventID
		for _, event := range x.answers[id] {
			if s.tenant == "" || s.tenant == x.tenants[event] {
				found = append(found, event)
			}
		}
		switch len(found) {
		case 0:
			continue
		case 1:
			return found[0], taken
		}
		return schemas.EventID{}, severalMatches
	}
	return schemas.EventID{}, noMatch
}

// scoreOf is the score of an interaction; nil without one.
func (x *scoreIndex) scoreOf(in *schemas.Interaction) *score {
	event := in.EventID()
	if x.void[event] {
		return nil
	}
	return x.scores[event]
}
