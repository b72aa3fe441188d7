package citation

import (
	"context"
	"fmt"
	"slices"

	"confab/detectors"
	"confab/internal/text/citations"
)

// Options configures the citation detector.
type Options struct {
	// Forms are the marker forms that count as citations: bracket [1], footnote [^1], lenticular 【1†…】, source
	// (source: id), parenthesis (1), superscript ¹, tag <cite>1</cite>, link (a Markdown link to a source), prose (according to document 2),
	// author (Smith, 2020).
	Forms []string `yaml:"forms" json:"forms"`
}

// DefaultOptions accepts every form.
func DefaultOptions() Options { return Options{Forms: citationForms()} }

func citationForms() []string {
	return citations.Forms()
}

// citationDetector measures how far the sources cited by a sentence support it.
//
// Support is measured as in the grounding detector, but for each cited source separately: one row of evidence per sentence
// and citation. The support of a sentence is that of its best cited source, or that of the best windows of all cited
// sources together. Where another source leads by far, the wrong one is cited, and the support is reduced by that lead. The
// score is 1 minus the support of the worst sentence; citing an unknown source scores 1.
type citationDetector struct{ forms []string }

// New builds the detector.
func New(o Options) (detectors.Detector, error) {
	for _, form := range o.Forms {
		if !slices.Contains(citationForms(), form) {
			return nil, fmt.Errorf("forms: unknown form %q: choose from %v", form, citationForms())
		}
	}
	return &citationDetector{forms: slices.Clone(o.Forms)}, nil
}

func (*citationDetector) Name() string { return "citation" }

const (
	reasonNoCitations = "no citations"
	reasonUnknown     = "a cited source does not exist"
	reasonUnsupported = "a cited source does not support the sentence that cites it"
	reasonWrong       = "a sentence cites the wrong source: another one supports it"
	reasonQuote       = "no source has the words of a quotation"
	reasonSpeaker     = "a quotation is attributed to another speaker than in the source"
	noteUnknown       = "no source has this id"
)

// Detect measures citations (rows of evidence), cited_sentences (compared sentences), unknown_citations, worst_support and
// mean_support (of the compared sentences, 0 to 1), and wrong_source: the largest lead of a source that is not cited.
func (c *citationDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	cited := doc.Markers()
	faults := Faults(doc)
	if !slices.ContainsFunc(cited.List, c.acceptsForm) && len(faults) == 0 {
		return detectors.Finding{NotCheckable: reasonNoCitations, Truncated: cited.Truncated}, nil
	}
	if len(doc.AllSourceSentences()) == 0 {
		return detectors.Finding{NotCheckable: detectors.ReasonNoSources}, nil
	}
	if len(doc.Sentences()) == 0 { // the markers are in markup
		return detectors.Finding{NotCheckable: detectors.ReasonNoClaims, Truncated: cited.Truncated}, nil
	}
	p := newPass(doc)
	markers := cited.List
	p.references = cited.References
	for len(markers) > 0 {
		if err := ctx.Err(); err != nil {
			return detectors.Finding{}, err
		}
		if !doc.Work().Spend(1) {
			return detectors.Finding{}, nil
		}
		sentence := p.owningSentence(markers[0].Start)
		n := 1
		for n < len(markers) && p.owningSentence(markers[n].Start) == sentence {
			n++
		}
		p.measureSentence(c, sentence, markers[:n])
		markers = markers[n:]
	}
	p.addQuotes(faults)
	return p.finding(cited.Truncated), nil
}

func (c *citationDetector) acceptsForm(m citations.Marker) bool {
	return slices.Contains(c.forms, m.Form)
}
