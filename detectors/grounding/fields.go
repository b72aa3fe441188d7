package grounding

import "confab/internal/evidence/records"

// fieldColumns are the columns that count findings by kind.
//
//nolint:gochecknoglobals // a read-only table
var fieldColumns = [...]column{
	records.Figure: fieldFigure, records.Crossed: fieldCrossed, records.Swap: fieldSwap, records.Flag: fieldsFalse,
	records.Null: fieldsNull, records.Other: fieldWords,
}

// fieldsSaid counts what the fields of records have of the claim. What is sure is left to the rules, so that two detectors that fire
// are two findings.
func (p *pass) fieldsSaid() {
	for i := range p.records.Findings {
		f := &p.records.Findings[i]
		if int(f.Unit) == p.unit && !f.Sure {
			p.v[fieldColumns[f.Kind]]++
		}
	}
	p.set(fieldsAgree, int(p.records.Agreed[p.unit]))
}
