package faithfulness

import (
	"cmp"
	"slices"

	"confab/detectors"
	"confab/detectors/deep"
)

// statement is what is judged, and the claim of the answer that it is part of.
type statement struct {
	text       string
	start, end int
}

// matchedStatements are the judge's statements, held against the answer.
type matchedStatements struct {
	statements []statement // in the order of the answer
	dropped    int
	added      int
}

func (b *matchedStatements) texts() []string {
	out := make([]string, len(b.statements))
	for i := range b.statements {
		out[i] = b.statements[i].text
	}
	return out
}

const (
	minOwnShare     = 0.5 // of a statement's words that answer and question hold, lest it be made up
	minCoveredShare = 0.5 // of a claim's words that its statements hold, lest it be judged itself
)

// matchStatements keeps the statements that are made of the answer's words and gives each a place. Easily true ones that a judge adds
// would dilute the score, and faulty claims that it leaves out would escape: the former go, the latter are put in as they
// stand, those with a figure that no statement names included.
func matchStatements(d *detectors.Document, said []string) matchedStatements {
	claims, work := d.Statements(), d.Work()
	work.Spend(deep.WordSetCost * (2*len(d.Answer()) + len(lastUserMessage(d.Interaction()))))
	own := []map[uint64]bool{deep.WordSet(d.Answer()), deep.WordSet(lastUserMessage(d.Interaction()))}
	words := make([]map[uint64]bool, len(claims))
	for i, c := range claims {
		words[i] = deep.WordSet(d.Answer()[c.Start:c.End])
	}
	covered := make([][]map[uint64]bool, len(claims))
	var out matchedStatements
	seen := map[string]bool{}
	for _, s := range said {
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

// isUncovered reports a claim of those words that too little of the statements' words covers.
func isUncovered(d *detectors.Document, words map[uint64]bool, by []map[uint64]bool) bool {
	return d.Work().Spend(len(words)*(1+len(by))) && deep.CoveredShare(words, true, by...) < minCoveredShare
}
