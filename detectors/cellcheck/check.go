package cellcheck

import (
	"confab/detectors"
	"confab/detectors/cells"
	"confab/detectors/figureindex"
	"confab/detectors/synonyms"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

const (
	wordCost = 12        // units of [detectors.Work] per word of a claim
	maxWork  = 1_500_000 // units for one document; further claims are not compared
	noRecord = -1

	minListedID = 10         // the least number that names a record where its key is anywhere in the claim: "orders 501 and 502"
	minID       = 1000       // the least number that is an identifier even without a word for it
	countWord   = "quantity" // a column with this concept counts the things that its record names
)

// Checker compares the claims of one document, in order.
type Checker struct {
	*cells.Index
	list     *figureindex.Findings
	claim    claimReader
	current  int32 // the record that the last claim named, or noRecord
	quantity synonyms.Concept
	spent    int64
}

// Of returns the checker of the document. Findings go to list.
func Of(d *detectors.Document, list *figureindex.Findings) *Checker {
	x, fresh := detectors.Scratch[Checker](d)
	if fresh {
		x.Index, x.current, x.spent = cells.Of(d), noRecord, 0
		x.quantity = x.Synonyms.Concept(synonyms.RootOf(countWord))
	}
	x.list = list
	x.claim.reset()
	return x
}

// Check compares the claim with the cells that it names. polarity has -1 for each token of the claim that is denied.
func (x *Checker) Check(d *detectors.Document, c *textclaims.Claim, found []figures.Figure, polarity []int8) {
	x.claim.reset()
	if !x.HasCells() || c.Last-c.First > maxClaimTokens || !x.Work.Spend(wordCost*int(c.Last-c.First)) {
		return
	}
	if x.spent > maxWork {
		x.list.Truncated = true
		return
	}
	before := x.Work.Spent()
	x.claim.first, x.claim.last, x.claim.polarity = c.First, c.Last, polarity
	x.readClaim(d, found)
	x.spent += x.Work.Spent() - before
}

// report adds the finding unless the claim has one about the same words.
func (x *Checker) report(g figureindex.Finding) {
	for i := len(x.list.List) - 1; i >= 0 && x.list.List[i].Claim == x.list.Claim; i-- {
		if !x.Work.Spend(1) {
			return
		}
		if other := &x.list.List[i]; other.Start < g.End && g.Start < other.End {
			return
		}
	}
	x.list.Add(g)
}
