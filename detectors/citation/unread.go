package citation

import (
	"slices"

	"confab/internal/text/citations"
)

// isUnread reports a compared sentence that cites no unknown source and is little supported.
func (*answerPass) isUnread(unknown int, total, share float64) bool {
	return unknown == 0 && total > 0 && share < readSupport
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
