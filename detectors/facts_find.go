package detectors

import (
	"confab/internal/text"
)

// maxFragments bounds the sentences too short for a claim that are held against records.
const maxFragments = 1024

// factIndex checks the facts of one document.
type factIndex struct {
	factList
	figures   *figureIndex
	record    *recordIndex
	work      *Work
	scans     int        // of all source words for one word
	fragments int        // that were held against records
	fragment  text.Claim // scratch: what is too short to be a claim
}

// factsOf are the doubtful facts of the answer's claims, claim by claim.
func factsOf(d *Document) []factFinding { return factIndexOf(d).findings }

// factIndexOf is the index of the document, made on first use.
func factIndexOf(d *Document) *factIndex {
	x, fresh := Scratch[factIndex](d)
	if fresh {
		x.find(d)
	}
	return x
}

func (x *factIndex) find(d *Document) {
	x.reset()
	x.scans, x.fragments = 0, 0
	x.work = d.Work()
	x.figures = figuresOf(d)
	x.truncated = x.figures.truncated
	x.record = recordsOf(d, &x.factList)
	end := int32(citationsOf(d).end)
	sentence := int32(0)
	claims := d.Claims()
	for i := range claims {
		c := &claims[i]
		if c.Start >= end || !x.work.Spend(1) {
			break // a list of references
		}
		x.claim = int32(i)
		x.checkFragments(d, sentence, c.Sentence)
		x.checkClaim(d, c)
		sentence = c.Sentence + 1
	}
	if x.claim >= 0 {
		x.checkFragments(d, sentence, int32(len(d.Sentences())))
	}
}

func (x *factIndex) checkClaim(d *Document, c *text.Claim) {
	found := x.figures.in(c)
	first := len(x.findings)
	x.record.checkFields(d, c, found)
	x.checkFigures(d, c, found, first)
	if !x.figures.foreign {
		x.checkNames(d, c, found)
	}
}

// maxFragment is how many tokens a sentence has at most that is too short to be a claim.
const maxFragment = 8

// checkFragments holds what is no claim against the records: "WiFi: free", "Good for groups: no".
func (x *factIndex) checkFragments(d *Document, first, last int32) {
	for i := first; i < last && x.record.any(); i++ {
		r := d.SentenceTokens(int(i))
		if !x.work.Spend(1) {
			return
		}
		if n := r.Len(); n < 2 || n > maxFragment {
			continue
		}
		if x.fragments++; x.fragments > maxFragments {
			x.truncated = true
			return
		}
		c := &x.fragment
		*c = text.Claim{Sentence: i, Start: d.Sentences()[i].Start, End: d.Sentences()[i].End, First: r.First, Last: r.Last}
		x.record.checkFields(d, c, x.figures.in(c))
	}
}
