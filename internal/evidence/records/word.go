package records

import (
	"slices"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
)

// checkState holds the claim against a field that is true, false or empty.
func (r *Reading) checkState(f *field) {
	last, ok := r.labelled(f.label)
	if !ok || !r.inScope(f, last) {
		return
	}
	if slices.ContainsFunc(r.idsOf(f.label), func(id int32) bool { return r.parts[id].text == "non" }) {
		r.skipped = last - 1
	}
	denied, doubted := r.denials(last)
	r.skipped = -1
	switch {
	case f.state == isNull && !doubted:
		r.find(Null, f.label.Len() > 1 && r.isPlain(f, last), last, last, f)
	case f.state == isTrue && denied, f.state == isFalse && !doubted:
		r.find(Flag, r.isPlain(f, last) && r.statesFlag(f, last), last, last, f)
	case f.state != isNull:
		r.Agreed[r.unit]++
	}
}

// statesFlag reports a unit that says what the field's name says: "VAT is paid later" is not "vat_included", nor is a price a thing.
func (r *Reading) statesFlag(f *field, last int32) bool {
	says := slices.ContainsFunc(r.x.Answer.Terms[r.first:r.last], func(t evidence.Term) bool { return flagVerbs.Has(t.Word) }) || r.told(f.key, f.label) > 0
	isCost := last+1 < r.last && costs.Has(r.term(last+1).Word)
	return !isCost && !r.isEither(f, last) && !r.isOnCase(last) && (says || !slices.ContainsFunc(r.idsOf(f.key), func(id int32) bool { return flagWords.Has(text.Hash(r.parts[id].text)) }))
}

// isOnCase reports a flag in a clause on a case: "once it is paid", "after the inspection".
func (r *Reading) isOnCase(last int32) bool {
	for i := r.first; i < r.last; i++ {
		if r.clause[i-r.first] == r.clause[last-r.first] && cases.Has(r.term(i).Word) {
			return true
		}
	}
	return false
}

// isEither reports a flag of a record that the unit does not name, where another record has it the other way.
func (r *Reading) isEither(f *field, last int32) bool {
	return !r.names(r.scopeOf[r.clause[last-r.first]]) && r.told(r.records[f.record].names, text.Range{}) == 0 && slices.ContainsFunc(r.fields, func(d field) bool {
		return d.state != f.state && (d.state == isTrue || d.state == isFalse) && d.record != f.record && slices.Equal(r.idsOf(d.label), r.idsOf(f.label))
	})
}

// maxFlags is how many flags a group may have whose name the unit need not say.
const maxFlags = 4

// isPlain reports a claim that has the words of the label themselves.
func (r *Reading) isPlain(f *field, last int32) bool {
	rec := &r.records[f.record]
	if !r.isExplicit(f, last) || rec.fields.Len() > maxFlags && r.isGroup(rec) && r.told(rec.names, text.Range{}) == 0 {
		return false
	}
	exact, all := r.forms(f.label, last), f.label.Len()
	return !r.isOfKind(f, last) && (exact == all || all > 1 && exact > 0) && isOrdinary(r.term(last))
}

// isOfKind reports a word of the sources before those of the label, which say another thing with it: "SIM card slot".
func (r *Reading) isOfKind(f *field, last int32) bool {
	first := last
	for first > r.first && slices.ContainsFunc(r.idsOf(f.label), func(id int32) bool { return slices.Contains(r.here(id), first-1) }) {
		first--
	}
	if f.label.Len() < 2 || first == r.first || r.clause[first-1-r.first] != r.clause[last-r.first] {
		return false
	}
	t := r.term(first - 1)
	return t.ID >= 0 && !t.Has(evidence.Stop|evidence.Head|evidence.Numeric) && r.x.Entries[t.ID].Level > 0
}

// isOrdinary reports a word of four letters or more in lower case, or a short one in capitals.
func isOrdinary(t *evidence.Term) bool {
	n := t.End - t.Start
	if t.Has(evidence.Capital) && !t.Has(evidence.First) {
		return n <= 4
	}
	return n >= 4
}

// forms counts the words of the label that stand shortly before the term, or at it, as they are written.
func (r *Reading) forms(label text.Range, last int32) (n int) {
	for _, id := range r.idsOf(label) {
		if slices.ContainsFunc(r.here(id), func(t int32) bool { return last-t < 6 && r.isForm(id, t) }) {
			n++
		}
	}
	return n
}

// isGroup reports a record that has only flags.
func (r *Reading) isGroup(rec *record) bool {
	return !slices.ContainsFunc(r.fields[rec.fields.First:rec.fields.Last], func(f field) bool { return f.state == plain })
}

// isForm reports a term that begins with the part, or with it up to "able".
func (r *Reading) isForm(id, term int32) bool {
	if r.isExact(id, term) {
		return true
	}
	p := strings.TrimSuffix(r.parts[id].text, "able")
	return r.anyWord(term, func(w *word) bool {
		return len(p) >= minPrefix && strings.HasPrefix(w.text, p) || len(p) < minPrefix && isAbbreviation(p, w.text)
	})
}

// denials reports whether a negation stands closely before the term, and whether there is any doubt in its part of the unit.
func (r *Reading) denials(at int32) (near, doubt bool) {
	for i := r.first; i < r.last; i++ {
		t := r.term(i)
		negates := (t.Has(evidence.Negates) || t.Word == hashNon) && i != r.skipped
		near = near || negates && i < at && i >= at-3 && r.part[i-r.first] == r.part[at-r.first]
		doubt = doubt || (negates || doubts.Has(t.Word) && i != at) && r.part[i-r.first] == r.part[at-r.first]
	}
	return near, doubt
}

var hashNon, hashOf = text.Hash("non"), text.Hash("of") //nolint:gochecknoglobals // read-only

// checkWords holds the claim against a field of words.
func (r *Reading) checkWords(f *field) {
	if f.value.Len() == 0 {
		return
	}
	if r.records[f.record].single {
		r.checkLabel(f)
		return
	}
	if r.told(f.value, text.Range{}) < f.value.Len() {
		return
	}
	for _, id := range r.idsOf(f.value) {
		if n := slices.IndexFunc(r.here(id), func(t int32) bool { return !r.term(t).Has(evidence.Stop) }); n >= 0 {
			r.checkSwap(f, r.here(id)[n])
			return
		}
	}
}

// checkSwap accuses the value, told at the term, where the record that the clause names has another one.
func (r *Reading) checkSwap(f *field, t int32) {
	if r.inScope(f, t) {
		r.Agreed[r.unit]++
		return
	}
	if id := r.term(t).ID; id >= 0 && r.x.Entries[id].Asked {
		return
	}
	if own := r.ownOf(f, t); own != nil {
		_, doubted := r.denials(t)
		r.setVague(t)
		r.find(Swap, !doubted && !r.compared && len(r.scopeAt(t)) == 1 && r.isExplicit(own, t), t, t, own)
	}
}

// ownOf is the field like f of the records that the clause of the term speaks of, nil if one has the value of f or says nothing.
func (r *Reading) ownOf(f *field, t int32) (own *field) {
	for _, rec := range r.scopeAt(t) {
		if r.records[rec].table != r.records[f.record].table {
			continue
		}
		d := r.sameField(rec, f)
		if d == nil || d.state != plain || d.value.Len() == 0 || r.told(d.value, f.value) > 0 || r.isValueOf(rec, f) {
			return nil
		}
		own = d
	}
	return own
}

// fieldsOf are the fields of a record.
func (r *Reading) fieldsOf(rec int32) []field {
	return r.fields[r.records[rec].fields.First:r.records[rec].fields.Last]
}

// sameField is the field of the record with the name of f.
func (r *Reading) sameField(rec int32, f *field) *field {
	list := r.fieldsOf(rec)
	n := slices.IndexFunc(list, func(d field) bool { return slices.Equal(r.idsOf(d.key), r.idsOf(f.key)) })
	if n < 0 {
		return nil
	}
	return &list[n]
}

// isValueOf reports a value of f that some field of the record has, or is named by.
func (r *Reading) isValueOf(rec int32, f *field) bool {
	return slices.ContainsFunc(r.fieldsOf(rec), func(d field) bool { return r.holds(d.value, f.value) || r.holds(d.key, f.value) })
}

// holds reports a range of parts that has all of the other.
func (r *Reading) holds(in, parts text.Range) bool {
	return !slices.ContainsFunc(r.idsOf(parts), func(id int32) bool { return !slices.Contains(r.idsOf(in), id) })
}

// checkLabel accuses words beside the label of a field whose value they are not.
func (r *Reading) checkLabel(f *field) {
	last, ok := r.labelled(f.label)
	if !ok || r.records[f.record].fields.First == r.indexOf(f) || r.forms(f.label, last) == 0 {
		return
	}
	if r.told(f.value, text.Range{}) > 0 {
		r.Agreed[r.unit]++
		return
	}
	if _, doubted := r.denials(last); doubted {
		return
	}
	for i := max(r.first, last-4); i < min(r.last, last+5); i++ {
		if r.isNew(i) && r.clause[i-r.first] == r.clause[last-r.first] {
			r.find(Other, i-last <= 2 && last-i <= 2 && r.replaces(r.term(i), f), i, i, f)
			return
		}
	}
}

// replaces reports a name where the field has another one.
func (r *Reading) replaces(t *evidence.Term, f *field) bool {
	return t.Has(evidence.Capital) && !t.Has(evidence.First) && r.parts[r.partIDs[f.value.First]].capital && f.value.Len() <= 2
}

// isNew reports a content word that no source has.
func (r *Reading) isNew(i int32) bool {
	t := r.term(i)
	return t.ID >= 0 && !t.Has(evidence.Stop|evidence.Head|evidence.Numeric) && r.x.Entries[t.ID].Level == 0
}
