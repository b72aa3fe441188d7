package facts

import (
	"confab/detectors"
	"confab/detectors/cellcheck"
	"confab/detectors/cells"
	"confab/detectors/figureindex"
	"confab/detectors/records"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

// maxFragments is the maximum of short sentences compared with records.
const maxFragments = 1024

// Check holds the findings of one document and the state of its check.
type Check struct {
	figureindex.Findings
	figures    *figureindex.Index
	record     *records.Index
	cells      *cellcheck.Checker
	work       *detectors.Work
	scans      int              // number of scans of all source words
	translated bool             // the answer is in another language than all its sources
	fragments  int              // number of fragments compared with records
	fragment   textclaims.Claim // scratch
	capitals   []int32          // scratch: words of a claim that may be names
}

// Findings returns the findings of the answer's claims, claim by claim.
func Findings(d *detectors.Document) []figureindex.Finding { return Of(d).List }

// Of returns the check of the document, made on first use.
func Of(d *detectors.Document) *Check {
	x, fresh := detectors.Scratch[Check](d)
	if fresh {
		x.checkDocument(d)
	}
	return x
}

// IsPlain reports whether the sources are nothing but records and tables without prose, of no known kind.
func IsPlain(d *detectors.Document) bool { return cells.Plain(d) && !Of(d).record.Known() }

func (x *Check) checkDocument(d *detectors.Document) {
	x.Reset()
	x.scans, x.fragments = 0, 0
	x.work = d.Work()
	x.figures = figureindex.Of(d)
	x.Truncated, x.translated = x.figures.Truncated, d.Translated()
	x.record = records.Of(d, &x.Findings)
	x.cells = cellcheck.Of(d, &x.Findings)
	end := int32(d.Markers().End)
	sentence := int32(0)
	claims := d.Statements()
	for i := range claims {
		c := &claims[i]
		if isListNumber(d, c, x.figures.InClaim(c)) {
			continue
		}
		if c.Start >= end || !x.work.Spend(1) {
			break // a list of references
		}
		x.Claim = int32(i)
		if !x.translated {
			x.checkFragments(d, sentence, c.Sentence)
		}
		x.checkClaim(d, c)
		sentence = c.Sentence + 1
	}
	if x.Claim >= 0 && !x.translated {
		x.checkFragments(d, sentence, int32(len(d.Sentences())))
	}
	if len(x.List) > 0 && (d.SourcesTruncated() || x.figures.SourcesTruncated || figureindex.PromptOf(d).Truncated) {
		x.dropUnread(d)
	}
}

// dropUnread drops the facts that text which was not read may support.
func (x *Check) dropUnread(d *detectors.Document) {
	x.Truncated = true
	var rest *figureindex.Findings
	if left := d.Rest(); left != nil && !x.figures.SourcesTruncated {
		if rest = &Of(left).Findings; left.Work().Ended() != "" {
			rest = nil
		}
	}
	x.DropUnread(d, rest)
}

func (x *Check) checkClaim(d *detectors.Document, c *textclaims.Claim) {
	found := x.figures.InClaim(c)
	first := len(x.List)
	if x.translated {
		x.checkTranslated(d, found)
		return
	}
	x.checkRecords(d, c, found)
	x.checkFigures(d, c, found, first)
	if !x.figures.Foreign {
		x.checkNames(d, c, found)
	}
}

// isListNumber reports a sentence that is the number of a list item, and perhaps a citation.
func isListNumber(d *detectors.Document, c *textclaims.Claim, found []figures.Figure) bool {
	if len(found) != 1 || found[0].First != c.First || found[0].Kind != figures.Count || found[0].Unit.Dimension != figures.None || found[0].Value >= minLoneNumber {
		return false
	}
	return c.Last == found[0].Last || c.Last-found[0].Last < maxListMarker && d.Tokens()[found[0].Last].Has(text.Marker)
}

// maxListMarker is how many tokens a citation behind the number of a list item has, and one.
const maxListMarker = 3

// minLoneNumber is the least number that is an answer on its own.
const minLoneNumber = 10

// checkRecords compares the claim with the records and tables.
func (x *Check) checkRecords(d *detectors.Document, c *textclaims.Claim, found []figures.Figure) {
	x.record.Check(d, c, found)
	if x.cells.HasCells() && !x.record.Known() {
		x.cells.Check(d, c, found, x.record.Polarity(d, c))
	}
}

// maxFragment is the longest fragment, in tokens.
const maxFragment = 8

// checkFragments compares short sentences without a claim with the records: "WiFi: free", "Good for groups: no".
func (x *Check) checkFragments(d *detectors.Document, first, last int32) {
	for i := first; i < last && (x.record.HasFields() || x.cells.HasCells()); i++ {
		r := d.SentenceTokens(int(i))
		if !x.work.Spend(1) {
			return
		}
		if n := r.Len(); n < 2 || n > maxFragment {
			continue
		}
		if x.fragments++; x.fragments > maxFragments {
			x.Truncated = true
			return
		}
		c := &x.fragment
		*c = textclaims.Claim{Sentence: i, Start: d.Sentences()[i].Start, End: d.Sentences()[i].End, First: r.First, Last: r.Last}
		x.checkRecords(d, c, x.figures.InClaim(c))
	}
}
