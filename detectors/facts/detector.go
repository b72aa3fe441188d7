package facts

import (
	"cmp"
	"context"
	"regexp"
	"slices"

	"confab/detectors"
	"confab/internal/text/units"
	"confab/schemas"
)

// Options configure the detector.
type Options struct{}

// factsDetector fires where a rule proves that a statement contradicts what it can be held against.
type factsDetector struct{ rules []Rule }

// New returns the detector.
func New(Options) (detectors.Detector, error) { return &factsDetector{rules: Rules()}, nil }

const (
	reasonNoFacts = "no facts"
	reasonFact    = "the answer contradicts its sources, the user or itself"
)

// Limits of one answer, and the words of sources that a claim passes for a unit of work.
const (
	maxClaims   = 200
	maxFigures  = 32        // figures for which a calculation is searched
	maxCompared = 1_000_000 // pairs of figures
	claimWords  = 4
)

// Detect measures statements (read) and findings. The score is the chance that one of the findings is a fault. An answer that
// nothing can be held against is not checkable, unless it is at odds with itself.
func (g *factsDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	e, _ := detectors.Scratch[evidence](doc)
	e.reset(doc)
	if err := ctx.Err(); err != nil {
		return detectors.Finding{}, err
	}
	read, ok := e.checkAll(g.rules)
	if !ok {
		return detectors.Finding{}, nil
	}
	if len(e.found) > 0 {
		return e.finding(doc, read), nil
	}
	why := doc.Uncheckable()
	switch {
	case read == 0:
		why = reasonNoFacts
	case len(e.sources.words) == 0:
		why = detectors.ReasonNoSources
	}
	if why != "" {
		return detectors.Finding{NotCheckable: why}, nil
	}
	return e.finding(doc, read), nil
}

// ofCall is the name of a member that tells of the call, before its value.
var ofCall = regexp.MustCompile(`(?i)"(?:server_?time|time_?stamp|request_?id|trace_?id|took(?:_?ms)?|latency(?:_?ms)?|duration_?ms|api|version|page|next_?page|limit|offset)"\s*:\s*"?[^",{}]*$`)

// checkAll applies the rules to the statements and returns how many were read; ok is false if the work has ended.
func (e *evidence) checkAll(rules []Rule) (read int, ok bool) {
	e.found = e.found[:0]
	for i := range e.answer.pieces {
		c := &e.answer.pieces[i]
		if c.Kind != units.Statement && c.Kind != units.Short || c.Terms.Len() == 0 || c.Terms.Len() > maxAligned {
			continue
		}
		if read++; read > maxClaims {
			break
		}
		if !e.doc.Work().Spend(1 + len(e.sources.words)/claimWords) {
			return read, false
		}
		e.check(c, rules)
	}
	return read, true
}

// check applies the rules to the claim. Of rules that accuse the same words the first one stays.
func (e *evidence) check(c *piece, rules []Rule) {
	values := e.doc.OnlyToolRecords()
	for i := range rules {
		r := &rules[i]
		if r.Whole && e.doc.SourcesTruncated() || values && !r.Values {
			continue
		}
		for _, v := range r.Check(e, c) {
			v.Rule = r
			if values && v.Source >= 0 && ofCall.MatchString(e.doc.Source(int(v.Source))[:v.SourceStart]) {
				continue
			}
			if !slices.ContainsFunc(e.found, func(w Verdict) bool { return v.Start < w.End && w.Start < v.End }) {
				e.found = append(e.found, v)
			}
		}
	}
}

func (e *evidence) finding(doc *detectors.Document, read int) detectors.Finding {
	slices.SortStableFunc(e.found, func(a, b Verdict) int { return cmp.Compare(b.Rule.Weight, a.Rule.Weight) })
	f := detectors.Finding{Truncated: read > maxClaims, Type: schemas.Factual, Measures: doc.Measures(
		detectors.Measure{Name: "statements", Value: float64(min(read, maxClaims))}, detectors.Measure{Name: "findings", Value: float64(len(e.found))})}
	if len(e.found) == 0 {
		return f
	}
	sound := 1.0
	var rows [detectors.MaxEvidence]detectors.Evidence
	for i, v := range e.found[:min(len(e.found), len(rows))] {
		sound *= 1 - v.Rule.Weight
		rows[i] = detectors.Evidence{
			Start: int(v.Start), End: int(v.End), Source: int(v.Source), SourceStart: int(v.SourceStart), SourceEnd: int(v.SourceEnd),
			Similarity: 1 - v.Rule.Weight, Note: doc.Answer()[v.Start:v.End], Says: v.Says, Rule: v.Rule.ID,
		}
	}
	f.Score, f.Reason, f.Type = 1-sound, reasonFact, e.found[0].Rule.Type
	f.Evidence = doc.Evidence(rows[:min(len(e.found), len(rows))]...)
	return f
}
