package tune

import (
	"cmp"
	"strings"

	"confab/schemas"
)

// answerIndex finds answers of the log by their ids, and keeps the verdict of each.
type answerIndex struct {
	incidents map[string][]string // by id of the incident, the interaction, the span or the trace; an incident may come again
	tenants   map[string]string   // by incident
	verdicts  map[string]*verdict // by incident; nil: contradicted
	first     string              // id
}

func newAnswerIndex() *answerIndex {
	return &answerIndex{incidents: map[string][]string{}, tenants: map[string]string{}, verdicts: map[string]*verdict{}}
}

func (x *answerIndex) add(in *schemas.Interaction) {
	incident := in.EventID().IncidentID()
	x.tenants[incident] = strings.Clone(in.Tenant)
	for _, id := range []string{incident, in.ID, in.SpanID, in.TraceID} {
		if all := x.incidents[id]; id != "" && (len(all) == 0 || all[len(all)-1] != incident) { // one id may be of all answers
			x.incidents[strings.Clone(id)] = append(all, incident)
		}
	}
	x.first = cmp.Or(x.first, strings.Clone(in.ID))
}

// assignment is what became of a verdict.
type assignment int

const (
	taken assignment = iota
	noMatch
	severalMatches
	repetition    // of one that is there, or counts no more
	contradiction // neither counts
)

// assign gives the verdict to its answer. other is the place of the verdict that it contradicts.
func (x *answerIndex) assign(v *verdict) (outcome assignment, other string) {
	incident, outcome := x.find(v)
	if outcome != taken {
		return outcome, ""
	}
	old, said := x.verdicts[incident]
	switch {
	case !said:
		x.verdicts[incident] = v
		return taken, ""
	case old == nil:
		return repetition, ""
	case old.wrong == v.wrong && old.table == v.table:
		return repetition, ""
	case old.wrong == v.wrong: // each draw stands for the traffic: their sum does where an answer has the weights of all its draws
		old.table, old.weight = v.table, old.weight+v.weight
		return taken, ""
	}
	x.verdicts[incident] = nil
	return contradiction, old.place
}

// find returns the one answer that the verdict is about, by its narrowest id that is known.
func (x *answerIndex) find(v *verdict) (incident string, _ assignment) {
	for _, id := range v.ids {
		for _, one := range x.incidents[id] {
			switch {
			case v.tenant != "" && v.tenant != x.tenants[one]:
			case incident == "":
				incident = one
			case incident != one:
				return "", severalMatches
			}
		}
		if incident != "" {
			return incident, taken
		}
	}
	return "", noMatch
}
