package rules

import (
	"slices"

	"confab/internal/text/figures"
	"confab/internal/text/units"
	"confab/schemas"
)

var recordField = Rule{
	ID:     "record_field",
	Doc:    "a record or table row that the claim names, with another figure for a field that it names",
	Needs:  "sources with records or tables",
	Type:   schemas.Factual,
	Weight: .85,
	Check:  checkRecordField,
	Examples: []Example{
		{Source: "| Depot | Vans | Drivers |\n|---|---|---|\n| Norrby | 14 | 22 |\n| Eastfield | 9 | 15 |\n| Quay | 11 | 17 |", Answer: "Eastfield has 17 drivers.", Fires: "17"},
		{Source: "| Depot | Vans | Drivers |\n|---|---|---|\n| Norrby | 14 | 22 |\n| Eastfield | 9 | 15 |\n| Quay | 11 | 17 |", Answer: "Eastfield has 15 drivers and 9 vans."},
	},
}

// field is one field of a record.
type field struct{ head, value []word }

// fields appends the fields of a record or row.
func (s *side) fields(dst []field, p *piece) []field {
	words := s.of(p)
	for i := 0; i < len(words); {
		from := i
		for i < len(words) && words[i].head {
			i++
		}
		mid := i
		for i < len(words) && !words[i].head {
			i++
		}
		dst = append(dst, field{words[from:mid], words[mid:i]})
	}
	return dst
}

// checkRecordField holds the figures of a claim that names one record against the fields that it names.
func checkRecordField(e *evidence, c *piece) (found []Verdict) {
	p := e.named(c)
	if p == nil {
		return nil
	}
	e.fieldList = e.sources.fields(e.fieldList[:0], p)
	words := e.answer.of(c)
	for i := range words {
		w := &words[i]
		if w.figure < 0 || w.head {
			continue
		}
		f := &e.answer.figures[w.figure]
		if e.holds(w.figure) == derived || isAmong(f, e.user.figures) || e.inRecord(f, words) {
			continue
		}
		var at *word
		for k := range e.fieldList {
			d := &e.fieldList[k]
			if v := d.figure(e); v != nil && comparable(f, &e.sources.figures[v.figure]) && namesField(words, i, d.head) && !e.usesAlso(c, &e.sources.figures[v.figure]) {
				if at != nil {
					at = nil
					break
				}
				at = v
			}
		}
		if at != nil {
			found = append(found, e.one(c, w, p, at)...)
		}
	}
	return found
}

// figure is the only figure of the field's value, nil for another value.
func (d *field) figure(e *evidence) (v *word) {
	for i := range d.value {
		if d.value[i].figure >= 0 {
			if v != nil {
				return nil
			}
			v = &d.value[i]
		}
	}
	return v
}

// comparable reports figures of which one may stand for the other.
func comparable(f, g *figures.Figure) bool {
	if f.Kind == figures.Date || f.Kind == figures.Clock || g.Kind == figures.Date || g.Kind == figures.Clock {
		return sameForm(f, g)
	}
	return f.Kind != figures.Code && g.Kind != figures.Code && (f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None)
}

// inRecord reports a figure that is a value of a field that the claim names, or of a field without a figure.
func (e *evidence) inRecord(f *figures.Figure, words []word) bool {
	for k := range e.fieldList {
		d := &e.fieldList[k]
		for _, v := range d.value {
			if v.figure >= 0 && isAmong(f, e.sources.figures[v.figure:v.figure+1]) && (f.Scaled || len(d.head) == 0 || sharesHead(words, d.head)) {
				return true
			}
		}
	}
	return false
}

func sharesHead(words, head []word) bool {
	for i := range head {
		if head[i].content() && hasStem(words, head[i].stem) {
			return true
		}
	}
	return false
}

// nameReach is how many words from a figure the name of its field stands.
const nameReach = 3

// namesField reports whether the words beside the figure are those of the field's name.
func namesField(words []word, i int, head []word) bool {
	near := words[max(0, i-nameReach):min(len(words), i+nameReach+1)]
	any := false
	for k := range head {
		if !head[k].content() {
			continue
		}
		if !slices.ContainsFunc(near, func(w word) bool { return w.stem == head[k].stem }) {
			return false
		}
		any = true
	}
	return any
}

// named is the only record that the claim names by a value that no other record has, nil for none or several.
func (e *evidence) named(c *piece) (found *piece) {
	words := e.answer.of(c)
	for i := range e.sources.pieces {
		p := &e.sources.pieces[i]
		if p.form != units.Row && p.form != units.Record {
			continue
		}
		for _, w := range e.sources.of(p) {
			if !w.head && w.figure < 0 && w.content() && e.held[w.stem] == 1 && hasStem(words, w.stem) {
				if found != nil {
					return nil
				}
				found = p
				break
			}
		}
	}
	return found
}
