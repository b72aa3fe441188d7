package citation

import (
	"confab/detectors"
)

// Support of quotations that no source has, and of those that a source attributes to somebody else.
const (
	falseQuoteSupport = 0.1
	falseSpeaker      = 0.05
)

// addQuotes adds a row for each faulty quotation.
func (p *answerPass) addQuotes(faults []Fault) {
	for i := range faults {
		f := &faults[i]
		e := detectors.Evidence{Start: f.Start, End: f.End, Source: -1, Similarity: falseQuoteSupport, Note: "no source has these words"}
		p.quotes++
		if f.Speaker != "" {
			p.speakers++
			e.Source, e.SourceStart, e.SourceEnd = f.Source, f.SourceStart, f.SourceEnd
			e.Similarity, e.Note, e.Says = falseSpeaker, "the source attributes this to "+f.Speaker, f.Speaker
		}
		p.worst = min(p.worst, e.Similarity)
		p.scratch.evidence = append(p.scratch.evidence, e)
	}
}
