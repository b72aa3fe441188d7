package grounding

import (
	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/units"
)

// field is a field of a record that is false, or empty.
type field struct {
	first, last int32 // its key among parts
	null        bool
}

const (
	maxFields = 200
	maxParts  = 6
)

//nolint:gochecknoglobals // read-only tables
var (
	falseWords = text.HashSet("false no 0 nein non off")
	emptyWords = text.HashSet("null none nil undefined")
)

// findFields lists the fields of records that are false or empty, with the words of their keys: "OutdoorSeating: false".
func (p *pass) findFields(doc *detectors.Document) {
	p.fields, p.parts = p.fields[:0], p.parts[:0]
	for i := range p.x.Evidence.Units {
		u := &p.x.Evidence.Units[i]
		if (u.Form == units.Record || u.Form == units.Row) && u.Source >= 0 {
			p.fieldsOf(p.x.Evidence.TermsOf(i), doc.Source(int(u.Source)))
		}
	}
}

// fieldsOf adds the fields of one record: a single word between keys that means false or empty.
func (p *pass) fieldsOf(terms []evidence.Term, source string) {
	for k := 1; k < len(terms) && len(p.fields) < maxFields; k++ {
		if terms[k].Has(evidence.Head) || !terms[k-1].Has(evidence.Head) || k+1 < len(terms) && !terms[k+1].Has(evidence.Head) {
			continue
		}
		if null := emptyWords.Has(terms[k].Word); null || falseWords.Has(terms[k].Word) {
			p.addField(terms[:k], source, null)
		}
	}
}

// addField adds the field whose key are the last terms: those after the last border.
func (p *pass) addField(terms []evidence.Term, source string, null bool) {
	first := len(terms) - 1
	for first > 0 && terms[first-1].Has(evidence.Head) && !terms[first].Has(evidence.Halt) {
		first--
	}
	f := field{first: int32(len(p.parts)), null: null}
	for _, t := range terms[first:] {
		p.splitKey(source[t.Start:t.End])
	}
	if f.last = int32(len(p.parts)); f.last > f.first && f.last-f.first <= maxParts {
		p.fields = append(p.fields, f)
	} else {
		p.parts = p.parts[:f.first]
	}
}

// splitKey adds the stems of the words that are joined in a key: "outdoorSeating" has two.
func (p *pass) splitKey(key string) {
	start := 0
	for i := 1; i <= len(key); i++ {
		if i < len(key) && (!text.IsUpper(key[i]) || text.IsUpper(key[i-1])) {
			continue
		}
		p.keyTokens = text.AppendTokens(p.keyTokens[:0], key[start:i])
		for _, t := range p.keyTokens {
			if !t.Stop() {
				p.parts = append(p.parts, t.Stem)
			}
		}
		start = i
	}
}

// fieldsSaid counts the false and the empty fields whose keys the claim names without a negation.
func (p *pass) fieldsSaid() {
	if len(p.fields) == 0 {
		return
	}
	for k := range p.terms {
		if cuesOf(&p.terms[k])&denies != 0 {
			return
		}
	}
	for _, f := range p.fields {
		if !p.saysKey(p.parts[f.first:f.last]) {
			continue
		}
		if f.null {
			p.v[fieldsNull]++
		} else {
			p.v[fieldsFalse]++
		}
	}
}

// saysKey reports a claim with all words of a key, side by side in one word or apart.
func (p *pass) saysKey(parts []uint64) bool {
	for _, part := range parts {
		if !hasKey(p.terms, part) {
			return false
		}
	}
	return true
}
