package rewrite

import (
	"slices"

	"confab/internal/text/units"
	"confab/schemas"
)

// unfaithful is the verdict of a judge about a statement that the sources do not support.
const unfaithful = "unfaithful"

// place is what detectors found in one unit.
type place struct {
	detectors []string
	start     int              // of the first place within the unit
	evidence  schemas.Evidence // that says most about the source
}

// addPlaces marks the units of the flag's places, which are those of the rest. It returns the reason why they cannot be
// rewritten, "" if there is none.
func (v *revision) addPlaces(flag *schemas.Flag, rest *rewrittenText) (reason string) {
	added := 0
	for i := range flag.Signals {
		s := &flag.Signals[i]
		if s.Outcome != schemas.Fired {
			continue
		}
		for _, e := range placesOf(s) {
			start, end, ok := rest.originOf(e.Start, e.End)
			if !ok {
				continue
			}
			e.Start, e.End = start, end
			n, code := v.mark(s.Detector, e)
			if code {
				return ReasonCode
			}
			added += n
		}
	}
	switch {
	case added > 0:
		return ""
	case v.result.Rounds == 0:
		return ReasonNoPlace
	default:
		return ReasonStillFires
	}
}

// placesOf are the places at which the detector of a signal that fired found a fault.
func placesOf(s *schemas.Signal) []schemas.Evidence {
	places := slices.Clone(s.Evidence)
	for _, said := range s.Statements {
		if said.Verdict == unfaithful {
			places = append(places, schemas.Evidence{Start: said.Start, End: said.End})
		}
	}
	return slices.DeleteFunc(places, func(e schemas.Evidence) bool { return e.Start < 0 || e.End <= e.Start })
}

// mark adds evidence to the units at its place. It returns how many had none before, and whether one is code.
func (v *revision) mark(detector string, e schemas.Evidence) (added int, code bool) {
	first, last := v.answer.unitsAt(e.Start, e.End)
	for i := first; i < last; i++ {
		if v.answer.Units[i].kind == units.Code || v.answer.inFormula(e.Start) {
			return added, true
		}
		p := v.found[i]
		if p == nil {
			p = &place{start: e.Start, evidence: e}
			v.found[i] = p
			added++
		}
		p.start = max(min(p.start, e.Start), v.answer.Units[i].Start)
		if !slices.Contains(p.detectors, detector) {
			p.detectors = append(p.detectors, detector)
		}
		if wordsOf(&e) > wordsOf(&p.evidence) {
			p.evidence = e
		}
	}
	return added, false
}

// wordsOf ranks evidence by what it says about the source.
func wordsOf(e *schemas.Evidence) int {
	rank := 0
	if e.SourceNumber > 0 || e.SourceID != "" {
		rank++
	}
	if e.SourceExcerpt != "" {
		rank += 2
	}
	if e.SourceSays != "" {
		rank += 4
	}
	return rank
}
