package faithfulness

import (
	"cmp"
	"slices"

	"confab/detectors"
	"confab/detectors/deep"
)

// statement is a text to judge, with the span of the answer's claim that it belongs to.
type statement struct {
	text       string
	start, end int
}

// matchedStatements are the statements that come from the answer, with places in it.
type matchedStatements struct {
	statements []statement // in the order of the answer
	dropped    int         // statements that do not come from the answer
	added      int         // claims that no statement covers
	unjudged   int         // statements that limit has removed
}

// limit removes the statements beyond the first most.
func (b *matchedStatements) limit(most int) {
	b.unjudged = max(0, len(b.statements)-most)
	b.statements = b.statements[:len(b.statements)-b.unjudged]
}

func (b *matchedStatements) texts() []string {
	out := make([]string, len(b.statements))
	for i := range b.statements {
		out[i] = b.statements[i].text
	}
	return out
}

const (
	minOwnShare     = 0.5 // share of a statement's words that answer and question must contain; below it the statement is dropped
	minCoveredShare = 0.5 // share of a claim's words that its statements must contain; below it the claim itself is judged
)

// matchStatements keeps the extracted statements that consist of the answer's words and gives each a place. Invented
// statements would dilute the score and omitted claims would escape it: the former are dropped, the latter are added
// verbatim, also when only a figure is missing.
func matchStatements(d *detectors.Document, extracted []string) matchedStatements {
	claims, work := d.Claims(), d.Work()
	work.Spend(deep.WordSetCost * (2*len(d.Answer()) + len(d.Interaction().UserQuestion())))
	own := []map[uint64]bool{deep.WordSet(d.Answer()), deep.WordSet(d.Interaction().UserQuestion())}
	words := make([]map[uint64]bool, len(claims))
	for i, c := range claims {
		words[i] = deep.WordSet(d.Answer()[c.Start:c.End])
	}
	covered := make([][]map[uint64]bool, len(claims))
	var out matchedStatements
	seen := map[string]bool{}
	for _, s := range extracted {
		has := deep.WordSet(s)
		if !work.Spend(deep.WordSetCost*len(s) + len(has)*(2+len(claims))) {
			return out
		}
		if seen[s] || len(has) == 0 || deep.CoveredShare(has, true, own...) < minOwnShare {
			out.dropped++
			continue
		}
		seen[s] = true
		best, most := 0, -1.0
		for i := range words {
			if share := deep.CoveredShare(has, false, words[i]); share > most {
				best, most = i, share
			}
		}
		covered[best] = append(covered[best], has)
		out.statements = append(out.statements, statement{s, int(claims[best].Start), int(claims[best].End)})
	}
	for i, c := range claims {
		text := d.Answer()[c.Start:c.End]
		if seen[text] || !isUncovered(d, words[i], covered[i]) {
			continue
		}
		out.added++
		out.statements = append(out.statements, statement{text, int(c.Start), int(c.End)})
	}
	slices.SortStableFunc(out.statements, func(a, b statement) int { return cmp.Compare(a.start, b.start) })
	return out
}

// isUncovered reports whether the statements contain too few of a claim's words.
func isUncovered(d *detectors.Document, words map[uint64]bool, by []map[uint64]bool) bool {
	return d.Work().Spend(len(words)*(1+len(by))) && deep.CoveredShare(words, true, by...) < minCoveredShare
}
