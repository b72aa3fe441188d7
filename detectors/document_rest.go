package detectors

import (
	"unicode/utf8"

	"confab/internal/text/citations"
	"confab/schemas"
)

// restReach is how many bytes before a cut are read again: a sentence may be on both sides of it.
const restReach = 500

// Rest is a document with the same answer and claims whose sources are what the limits left out of d's sources. Its work is
// part of d's, within [MaxRestWork] for all rests of an interaction. Rest is nil if nothing was left out or that work has
// ended: then support may lie in text that is read nowhere. It belongs to d.
func (d *Document) Rest() *Document {
	if !d.SourcesTruncated() || d.isRest && d.Work().Ended() != "" {
		return nil
	}
	if d.beginPart(madeRest) {
		d.makeRest()
	}
	if d.rest.Work().Ended() != "" {
		return nil
	}
	return d.rest
}

func (d *Document) makeRest() {
	if d.rest == nil {
		d.rest = &Document{}
	}
	r := d.rest
	in := *d.in
	in.Messages, in.Sources = nil, d.restSources()
	work := d.Work()
	if !d.isRest {
		d.restWork = Work{limit: MaxRestWork, parent: work}
		work = &d.restWork
	}
	r.isRest, r.limits = true, d.limits
	markers, claims := *d.Markers(), d.Claims()
	r.ResetWithin(&in, work)
	r.raw, r.answer, r.prose, r.text = d.raw, d.Answer(), d.Prose(), d.Text()
	r.units, r.claims, r.sentences, r.tokens, r.ranges = d.units, claims, d.sentences, d.tokens, d.ranges
	r.made |= madeAnswer | madeProse | madeText | madeUnits | madeClaims | madeSentences | madeTokens
	own, _ := Scratch[citations.Markers](r)
	*own = markers
}

// restSources are the sources of which text was left out, with that text.
func (d *Document) restSources() (list []schemas.Source) {
	for i, source := range d.in.Sources {
		if !d.SourceTruncated(i) {
			continue
		}
		if i < len(d.sources) {
			from := max(0, len(d.sources[i])-restReach)
			for from < len(source.Text) && !utf8.RuneStart(source.Text[from]) {
				from++
			}
			source.Text = source.Text[from:]
		}
		list = append(list, source)
	}
	return list
}
