package citation

import (
	"slices"

	"confab/detectors/support"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// shareOfRest is the share of a sentence without unknown sources in the text that was left out of the sources, if that is
// more; unread reports that not all of it was read.
func (p *answerPass) shareOfRest(unknown int, total, share float64, tokens text.Range) (best float64, unread bool) {
	if unknown > 0 || total == 0 {
		return share, false
	}
	best = share
	for rest := p.doc; rest.SourcesTruncated() && best < readSupport; {
		if rest = rest.Rest(); rest == nil {
			return best, true
		}
		best = max(best, support.Of(rest).SimilarityOf(tokens.First, tokens.Last))
		if rest.Work().Ended() != "" {
			return best, true
		}
	}
	return best, false
}

// addMarkers adds the references of accepted markers. It returns how many name an unknown source, and whether text of a
// referenced source was not read.
func (p *answerPass) addMarkers(c *citationDetector, markers []citations.Marker) (unknown int, unread bool) {
	for i := range markers {
		if c.acceptsForm(markers[i]) {
			references := p.references[markers[i].First:markers[i].Last]
			unknown += p.addReferences(references)
			unread = unread || p.citesTruncated(references)
		}
	}
	return unknown, unread
}

// readSupport is the support from which a sentence is measured although a source that it cites was not read in full.
const readSupport = 0.8

// citesTruncated reports whether text of a referenced source was not read.
func (p *answerPass) citesTruncated(references []citations.Reference) bool {
	return p.doc.SourcesTruncated() && slices.ContainsFunc(references, func(r citations.Reference) bool {
		return r.Source == citations.UnmeasuredSource || r.Source >= 0 && p.doc.SourceTruncated(r.Source)
	})
}
