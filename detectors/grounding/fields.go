package grounding

import "confab/internal/evidence/records"

// fieldsSaid counts what the fields of records have of the claim. What is sure is left to the rules, so that two detectors that fire
// are two findings.
func (p *pass) fieldsSaid() {
	for i := range p.records.Findings {
		if f := &p.records.Findings[i]; f.Kind == records.Flag && int(f.Unit) == p.unit && !f.Sure {
			p.v[fieldsFalse]++
		}
	}
	p.set(fieldsAgree, int(p.records.Agreed[p.unit]))
}
