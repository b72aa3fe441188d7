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

// boundStatements are the judge's statements, held against the answer.
type boundStatements struct {
	statements []statement // in the order of the answer
	dropped    int
	added      int
}

func (b *boundStatements) texts() []string {
	out := make([]string, len(b.statements))
	for i := range b.statements {
		out[i] = b.statements[i].text
	}
	return out
}

const (
	ownShare     = 0.5 // of a statement's words that answer and question hold, lest it be made up
	coveredShare = 0.5 // of a claim's words that its statements hold, lest it be judged itself
)

// bindStatements keeps the statements that are made of the answer's words and gives each a place. Easily true ones that a judge adds
// would dilute the score, and faulty claims that it leaves out would escape: the former go, the latter are put in as they
// stand, those with a figure that no statement names included.
func bindStatements(d *detectors.Document, said []string) boundStatements {
	claims, work := d.Statements(), d.Work()
	work.Spend(deep.WordSetCost * (2*len(d.Answer()) + len(asked(d.Interaction()))))
	own := []map[uint64]bool{deep.Words(d.Answer()), deep.Words(asked(d.Interaction()))}
	words := make([]map[uint64]bool, len(claims))
	for i, c := range claims {
		words[i] = deep.Words(d.Answer()[c.Start:c.End])
	}
	covered := make([][]map[uint64]bool, len(claims))
	var out boundStatements
	seen := map[string]bool{}
	for _, s := range said {
		has := deep.Words(s)
		if !work.Spend(deep.WordSetCost*len(s) + len(has)*(2+len(claims))) {
			return out
		}
		if seen[s] || len(has) == 0 || deep.HeldShare(has, true, own...) < ownShare {
			out.dropped++
			continue
		}
		seen[s] = true
		best, most := 0, -1.0
		for i := range words {
			if share := deep.HeldShare(has, false, words[i]); share > most {
				best, most = i, share
			}
		}
		covered[best] = append(covered[best], has)
		out.statements = append(out.statements, statement{s, int(claims[best].Start), int(claims[best].End)})
	}
	for i, c := range claims {
		text := d.Answer()[c.Start:c.End]
		if seen[text] || !uncovered(d, words[i], covered[i]) {
			continue
		}
		out.added++
		out.statements = append(out.statements, statement{text, int(c.Start), int(c.End)})
	}
	slices.SortStableFunc(out.statements, func(a, b statement) int { return cmp.Compare(a.start, b.start) })
	return out
}

// uncovered reports a claim of those words that too little of the statements' words covers.
func uncovered(d *detectors.Document, words map[uint64]bool, by []map[uint64]bool) bool {
	return d.Work().Spend(len(words)*(1+len(by))) && deep.HeldShare(words, true, by...) < coveredShare
}
