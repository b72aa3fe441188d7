package facts

import (
	"slices"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
	"confab/schemas"
)

const depots = "| Depot | Vans | Drivers | Team | Heated |\n|---|---|---|---|---|\n| Norrby | 14 | 22 | red | yes |\n| Eastfield | 9 | 15 | blue | no |\n| Quay | 11 | 17 | green | yes |"

func recordField() Rule {
	return Rule{
		ID:     "record_field",
		Doc:    "another figure for a field of the record or table row that the statement names",
		Needs:  "sources with records or tables",
		Type:   schemas.Factual,
		Weight: .85,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkFields(c, (*evidence).checkFigureField) },
		Examples: []Example{
			{Source: depots, Answer: "Eastfield has 18 drivers.", Fires: "18"},
			{Source: depots, Answer: "Eastfield has 15 drivers and 9 vans."},
		},
	}
}

func recordSwap() Rule {
	return Rule{
		ID:     "record_value",
		Doc:    "a value of another record for the record or table row that the statement names",
		Needs:  "sources with several records or a table",
		Type:   schemas.Factual,
		Weight: .85,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkFields(c, (*evidence).checkSwap) },
		Examples: []Example{
			{Source: depots, Answer: "Eastfield is served by the green team.", Fires: "green"},
			{Source: depots, Answer: "Eastfield is served by the blue team, with 9 vans."},
		},
	}
}

func recordFlag() Rule {
	return Rule{
		ID:     "record_flag",
		Doc:    "the opposite of a yes or no in the record or table row that the statement names",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources with records or tables",
		Type:   schemas.Factual,
		Weight: .8,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkFields(c, (*evidence).checkFlag) },
		Examples: []Example{
			{Source: depots, Answer: "The depot Eastfield is heated.", Fires: "heated"},
			{Source: depots, Answer: "The depot Eastfield is not heated."},
		},
	}
}

// field is one field of a record.
type field struct{ head, value []word }

// fields appends the fields of a record or row.
func (s *side) fields(dst []field, p *piece) []field {
	words := s.of(p)
	for i := 0; i < len(words); {
		from := i
		for i < len(words) && words[i].Has(index.Head) {
			i++
		}
		mid := i
		for i < len(words) && !words[i].Has(index.Head) {
			i++
		}
		if i > mid {
			dst = append(dst, field{words[from:mid], words[mid:i]})
		}
	}
	return dst
}

// checkFields checks the fields of the one record that the claim names.
func (e *evidence) checkFields(c *piece, check func(e *evidence, c, p *piece, i int) (at, says *word)) (found []Verdict) {
	p := e.named(c)
	if p == nil || hasAny(e.answer.of(c), suppositions) {
		return nil
	}
	e.fieldList = e.sources.fields(e.fieldList[:0], p)
	for i := range e.fieldList {
		if at, says := check(e, c, p, i); at != nil {
			found = append(found, e.one(c, at, p, says)...)
		}
	}
	return found
}

// named is the record that the claim names, or the only one there is; nil for none or several.
func (e *evidence) named(c *piece) (found *piece) {
	if e.x.Records == 0 || e.x.Records > maxRecords {
		return nil
	}
	if e.namedOf != c.Terms.First+1 {
		e.namedOf, e.namedPiece = c.Terms.First+1, e.findNamed(c)
	}
	return e.namedPiece
}

func (e *evidence) findNamed(c *piece) (found *piece) {
	words := e.answer.of(c)
	var only *piece
	records := 0
	for i := range e.sources.pieces {
		p := &e.sources.pieces[i]
		if p.Form != units.Row && p.Form != units.Record {
			continue
		}
		records++
		only = p
		e.fieldList = e.sources.fields(e.fieldList[:0], p)
		if !e.isNamed(words) {
			continue
		}
		if found != nil {
			return nil
		}
		found = p
	}
	if records == 1 {
		return only
	}
	return found
}

// keyFields is how many of the first fields may name a record.
const keyFields = 2

// isNamed reports whether the words have all of the value of a field that names the record.
func (e *evidence) isNamed(words []word) bool {
	for i := range e.fieldList[:min(keyFields, len(e.fieldList))] {
		value := e.fieldList[i].value
		if isYesNo(value) || len(value) == 1 && value[0].Figure >= 0 && value[0].End-value[0].Start < 3 {
			continue
		}
		if hasAll(words, value) {
			return true
		}
	}
	return false
}

// hasAll reports whether the words have each content word of the list.
func hasAll(words, list []word) bool {
	found := false
	for i := range list {
		if !content(&list[i]) {
			continue
		}
		if !hasWord(words, list[i].Key) {
			return false
		}
		found = true
	}
	return found
}

// checkFigureField accuses a figure beside the name of the field.
func (e *evidence) checkFigureField(c, _ *piece, i int) (at, says *word) {
	v := e.fieldList[i].figure()
	if v == nil || i == 0 || e.usesAlso(c, e.sources.figure(v)) {
		return nil, nil
	}
	words := e.answer.of(c)
	for k := range words {
		w := &words[k]
		if w.Figure >= 0 && !w.Has(index.Head) && areComparable(e.answer.figure(w), e.sources.figure(v)) && namesField(words, k, e.fieldList[i].head) && !e.isLabel(words, k) && e.isWrong(w, words) {
			return w, v
		}
	}
	return nil, nil
}

// isLabel reports a number that names a thing: "stand 2".
func (e *evidence) isLabel(words []word, k int) bool {
	return k > 0 && isCounted(e.answer.figure(&words[k])) && content(&words[k-1]) && text.Between(e.text, words[k-1].End, words[k].Start) == " "
}

// isWrong reports a figure that is neither the user's, nor another field's, nor computed.
func (e *evidence) isWrong(w *word, words []word) bool {
	f := e.answer.figure(w)
	computed := e.holds(w.Figure) == derived && (f.Value <= 1 || hasAny(words, changes))
	return !computed && !isAmong(f, e.user.figures) && !e.inRecord(f, words)
}

// figure is the only figure of the field's value, nil for another value.
func (d *field) figure() (v *word) {
	for i := range d.value {
		if d.value[i].Figure >= 0 {
			if v != nil {
				return nil
			}
			v = &d.value[i]
		}
	}
	return v
}

// areComparable reports figures of which one may stand for the other.
func areComparable(f, g *figures.Figure) bool {
	switch {
	case f.Kind >= figures.Date || g.Kind >= figures.Date:
		return f.Kind != figures.Code && sameForm(f, g)
	case f.Kind == figures.Money && g.Kind == figures.Count && isCounted(g): // "each of the 4 instalments is €114"
		return false
	}
	return (f.Kind == figures.Percent) == (g.Kind == figures.Percent) && (f.Unit.Dimension == g.Unit.Dimension || f.Unit.Dimension == figures.None || g.Unit.Dimension == figures.None)
}

// inRecord reports a figure that is a value of another field that the claim names.
func (e *evidence) inRecord(f *figures.Figure, words []word) bool {
	for k := range e.fieldList {
		d := &e.fieldList[k]
		for _, v := range d.value {
			if v.Figure >= 0 && isAmong(f, e.sources.figures[v.Figure:v.Figure+1]) && (f.Scaled || len(d.head) == 0 || sharesHead(words, d.head)) {
				return true
			}
		}
	}
	return false
}

func sharesHead(words, head []word) bool {
	for i := range head {
		if content(&head[i]) && hasStem(words, head[i].Key) {
			return true
		}
	}
	return false
}

// nameReach is how many words from a figure the name of its field stands.
const nameReach = 3

// namesField reports whether the words beside the figure are those of the field's name.
func namesField(words []word, i int, head []word) bool {
	return hasAll(words[max(0, i-nameReach):min(len(words), i+nameReach+1)], head)
}

// checkSwap accuses a value that the same field of another record has.
func (e *evidence) checkSwap(c, p *piece, i int) (at, says *word) {
	words, d := e.answer.of(c), &e.fieldList[i]
	if len(d.head) == 0 || isYesNo(d.value) || hasAll(words, d.value) || e.usesFigure(c, d) {
		return nil, nil
	}
	for k := range e.sources.pieces {
		q := &e.sources.pieces[k]
		if q == p || q.Form != p.Form || q.Source != p.Source {
			continue
		}
		if at = e.valueOf(q, d.head, words); at != nil {
			return at, &d.value[0]
		}
	}
	return nil, nil
}

// valueOf is the word of the claim that begins the value of another record's field of the name, nil for none.
func (e *evidence) valueOf(q *piece, head, words []word) *word {
	e.otherList = e.sources.fields(e.otherList[:0], q)
	for _, o := range e.otherList {
		if !sameStems(o.head, head) || !e.isOther(words, o.value) {
			continue
		}
		n := slices.IndexFunc(words, func(w word) bool { return content(&w) && hasWord(o.value, w.Key) && !e.asked(&w) })
		if n >= 0 {
			return &words[n]
		}
	}
	return nil
}

// isOther reports a value of another record that the words have, and that is no value of the one that they name.
func (e *evidence) isOther(words, value []word) bool {
	return hasAll(words, value) && e.distinctive(value) && !e.hasValue(value)
}

// hasWord is hasStem for words and figures.
func hasWord(list []word, stem uint64) bool {
	return slices.ContainsFunc(list, func(w word) bool { return w.Key == stem })
}

// usesFigure reports whether the claim has the field's figure in another form.
func (e *evidence) usesFigure(c *piece, d *field) bool {
	v := d.figure()
	return v != nil && e.usesAlso(c, e.sources.figure(v))
}

// hasValue reports whether a field of the record has all the words.
func (e *evidence) hasValue(list []word) bool {
	for i := range e.fieldList {
		if hasAll(e.fieldList[i].value, list) || hasAll(e.fieldList[i].head, list) {
			return true
		}
	}
	return false
}

// distinctive reports a value that does not stand in a claim by chance: words, or a figure with a unit or three digits.
func (e *evidence) distinctive(value []word) bool {
	for i := range value {
		w := &value[i]
		if isYesNo(value) {
			return false
		}
		if w.Figure < 0 && content(w) || w.Figure >= 0 && (w.End-w.Start > 2 || e.sources.figure(w).Unit.Dimension != figures.None) {
			return true
		}
	}
	return false
}

func sameStems(a, b []word) bool {
	return slices.EqualFunc(a, b, func(x, y word) bool { return x.Key == y.Key })
}

//nolint:gochecknoglobals // read-only tables, not only English
var (
	yes          = text.HashSet("true yes y ja oui si wahr")
	no           = text.HashSet("false no n nein non falsch")
	doubts       = text.HashSet("unless without lacks except missing fail failed refused declined yet if whether neither nor not-yet ohne sauf sans sin unable instead only")
	changes      = text.HashSet("more less than total together difference average per increase decrease rise fell rose gap longer shorter remaining left over under up down each back combined from additional extra plus minus mehr weniger insgesamt durchschnitt moins mas menos")
	suppositions = text.HashSet("would could if wouldn't couldn't if wurde ware falls serait aurait si seria")
	fillers      = text.HashSet("allowed required included enabled available possible is has can ordered supported in out of the a to")
)

func isYesNo(value []word) bool {
	return len(value) == 1 && (yes.Has(value[0].Word) || no.Has(value[0].Word))
}

// checkFlag accuses a yes or no that the claim turns.
func (e *evidence) checkFlag(c, _ *piece, i int) (at, says *word) {
	d := &e.fieldList[i]
	if !isYesNo(d.value) || led(c) {
		return nil, nil
	}
	words := e.answer.of(c)
	last := lastName(words, d.head)
	if last < 0 {
		return nil, nil
	}
	near, far := e.denials(words, last)
	if yes.Has(d.value[0].Word) && near || no.Has(d.value[0].Word) && !far {
		return &words[last], &d.value[0]
	}
	return nil, nil
}

// denials reports whether a negation stands closely before the word, and whether there is any doubt in the claim.
func (e *evidence) denials(words []word, at int) (near, far bool) {
	for k := range words {
		w := &words[k]
		denies := w.Has(index.Negates) || w.Word == hashNon
		near = near || denies && k < at && k >= at-nameReach
		far = far || denies || doubts.Has(w.Word)
	}
	return near, far
}

// lastName is the last word of the claim that names the field, -1 if one of its words is missing.
func lastName(words, head []word) int {
	last := -1
	for k := range head {
		if fillers.Has(head[k].Word) {
			continue
		}
		n := slices.IndexFunc(words, func(w word) bool { return w.Key == head[k].Key && !w.Has(index.Head) })
		if n < 0 {
			return -1
		}
		last = max(last, n)
	}
	return last
}
