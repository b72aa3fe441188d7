// Package citation is the detector that checks whether the right sources are cited.
package citation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"confab/detectors"
	"confab/internal/text/citations"
	"confab/schemas"
)

// Options configures the citation detector.
type Options struct {
	// Forms are the marker forms that count as citations: bracket [1], footnote [^1], lenticular 【1†…】, source
	// (source: id), parenthesis (1), superscript ¹, tag <cite>1</cite>, link (a Markdown link to a source), prose (according to document 2),
	// author (Smith, 2020).
	Forms []string `yaml:"forms" json:"forms"`
}

// DefaultOptions accepts every form.
func DefaultOptions() Options { return Options{Forms: citations.Forms()} }

// citationDetector measures for each marker how much better a source that it does not cite covers its words than the cited
// ones together: the coverage gap. The words of a marker are those since the marker before it. A wide gap means that the wrong
// source is cited, and fires; so does a marker of an unknown source. Words that the cited source lacks, without another source
// that has them, only raise the score below the limit: whether the claim is true is for other detectors.
type citationDetector struct{ forms []string }

// New builds the detector.
func New(o Options) (detectors.Detector, error) {
	for _, form := range o.Forms {
		if !slices.Contains(citations.Forms(), form) {
			return nil, fmt.Errorf("forms: unknown form %q: choose from %v", form, citations.Forms())
		}
	}
	return &citationDetector{forms: slices.Clone(o.Forms)}, nil
}

const (
	reasonNoCitations = "no citations"
	reasonUnknown     = "a cited source does not exist"
	reasonUnsupported = "a cited source does not support the sentence that cites it"
	reasonWrong       = "the wrong source is cited: another one supports the sentence"
	noteUnknown       = "no source has this id"
)

// Limits and weights, measured on training rows: the widest gap of 100 fine answers with markers is .35, and of 66 of two authors .19;
// 31 of 36 with wrong ones have .5 or more.
const (
	wrongGap    = 0.5  // of the covers, from which a marker is wrong: also the score that fires
	supportPart = 0.45 // of the score that missing support may reach
	lostFigure  = 0.2  // support lost for a figure that the cited sources lack
	knownEnough = 0.8  // support from which a source that was not read in full is enough
	maxClaims   = 128  // that are compared
)

// Detect measures cited_sentences (parts of sentences that were compared), unknown_citations, mean_support (how far the cited sources cover
// their words, 0 to 1), and gap: the largest coverage gap, 0 to 1.
func (c *citationDetector) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	markers := doc.Markers()
	if !slices.ContainsFunc(markers.List, func(m citations.Marker) bool { return slices.Contains(c.forms, m.Form) }) {
		return detectors.Finding{NotCheckable: reasonNoCitations, Truncated: markers.Truncated}, nil
	}
	if len(doc.AllSourceSentences()) == 0 {
		return detectors.Finding{NotCheckable: detectors.ReasonNoSources}, nil
	}
	x, _ := detectors.Scratch[index](doc)
	x.reset(doc)
	x.addClaims(c.forms)
	if len(x.claims) == 0 { // the markers are in markup, or of nothing
		return detectors.Finding{NotCheckable: detectors.ReasonNoClaims, Truncated: markers.Truncated}, nil
	}
	r := report{x: x, doc: doc, rows: x.rows[:0]}
	for i := range x.claims {
		if err := ctx.Err(); err != nil {
			return detectors.Finding{}, err
		}
		r.judge(&x.claims[i])
	}
	f := r.finding(markers.Truncated)
	x.rows = r.rows
	return f, nil
}

// report collects the verdicts of one answer.
type report struct {
	x   *index
	doc *detectors.Document

	measured, unknown, unread int
	support                   float64 // sum
	gap, score                float64 // the largest
	weakest                   *claim  // of the largest score
	rows                      []detectors.Evidence
}

// judge gives one verdict on a claim's markers.
func (r *report) judge(c *claim) {
	if c.unknown > 0 {
		r.unknown += c.unknown
		r.score, r.weakest = 1, c
		r.addRows(c, verdict{source: -1})
		return
	}
	if !r.doc.Comparable() || r.measured == maxClaims {
		r.x.overflow = r.x.overflow || r.measured == maxClaims
		return
	}
	v := r.x.judge(c)
	switch {
	case v.total == 0:
		return
	case c.unread && v.support < knownEnough:
		r.unread++
		return
	}
	r.measured++
	r.support += v.support
	r.gap = max(r.gap, v.gap)
	score := max(supportPart*(1-v.support), v.gap)
	if r.weakest == nil || score > r.score {
		r.score, r.weakest = score, c
	}
	if v.gap >= wrongGap {
		r.addRows(c, v)
	}
}

// addRows adds a row for each reference of the claim that is at fault.
func (r *report) addRows(c *claim, v verdict) {
	for _, ref := range r.x.references[c.first:c.last] {
		e := detectors.Evidence{Citation: ref.Label, Source: -1, Note: noteUnknown}
		e.Start, e.End = r.x.place(c)
		switch {
		case c.unknown > 0 && ref.Source != citations.UnknownSource || ref.Source == citations.UnmeasuredSource:
			continue
		case c.unknown == 0:
			e.Similarity = v.cover
			e.Note = "source " + r.nameOf(v.source) + " supports this, source " + ref.Label + " is cited"
			e.Source = v.source
			e.SourceStart, e.SourceEnd = r.x.placeOf(c, v.source)
		}
		r.rows = append(r.rows, e)
	}
}

// nameOf is the id of a source, or its position from 1.
func (r *report) nameOf(source int) string {
	return cmp.Or(r.doc.Interaction().Sources[source].ID, strconv.Itoa(source+1))
}

func (r *report) finding(truncated bool) detectors.Finding {
	truncated = truncated || r.x.overflow
	if r.weakest == nil {
		return detectors.Finding{NotCheckable: r.notCheckable(), Truncated: truncated}
	}
	if len(r.rows) == 0 {
		r.addClear()
	}
	slices.SortStableFunc(r.rows, func(a, b detectors.Evidence) int { return cmp.Compare(a.Similarity, b.Similarity) })
	f := detectors.Finding{Score: r.score, Type: schemas.Attribution, Reason: reasonUnsupported, Evidence: r.rows, Truncated: truncated}
	switch {
	case r.unknown > 0:
		f.Reason = reasonUnknown
	case r.gap >= wrongGap:
		f.Reason = reasonWrong
	}
	f.Measures = r.doc.Measures(
		detectors.Measure{Name: "cited_sentences", Value: float64(r.measured)}, detectors.Measure{Name: "unknown_citations", Value: float64(r.unknown)},
		detectors.Measure{Name: "mean_support", Value: r.support / float64(max(1, r.measured))}, detectors.Measure{Name: "gap", Value: r.gap},
	)
	return f
}

// addClear adds a row for each citation of the weakest claim, and of all claims where clear signals are explained: what that
// source alone has of the claim.
func (r *report) addClear() {
	for i := range r.x.claims {
		c := r.x.claims[i]
		if &r.x.claims[i] != r.weakest && !r.doc.Explains() {
			continue
		}
		for first, last := c.first, c.last; first < last; first++ {
			c.first, c.last = first, first+1
			cited := r.x.references[first]
			e := detectors.Evidence{Citation: cited.Label, Source: cited.Source, Similarity: r.x.judge(&c).support}
			e.Start, e.End = r.x.place(&c)
			e.SourceStart, e.SourceEnd = r.x.placeOf(&c, cited.Source)
			r.rows = append(r.rows, e)
		}
	}
}

// notCheckable is the reason why no citation was measured.
func (r *report) notCheckable() string {
	switch {
	case !r.doc.Comparable():
		return detectors.ReasonLanguage
	case r.unread > 0 || r.doc.SourcesTruncated():
		return detectors.ReasonTruncated
	default:
		return detectors.ReasonNoClaims
	}
}
