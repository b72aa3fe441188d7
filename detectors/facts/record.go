package facts

import (
	"slices"

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
		for i < len(words) && words[i].head {
			i++
		}
		mid := i
		for i < len(words) && !words[i].head {
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
	if e.sources.records == 0 || e.sources.records > maxRecords {
		return nil
	}
	if e.namedOf != c.first+1 {
		e.namedOf, e.namedPiece = c.first+1, e.findNamed(c)
	}
	return e.namedPiece
}

func (e *evidence) findNamed(c *piece) (found *piece) {
	words := e.answer.of(c)
	var only *piece
	records := 0
	for i := range e.sources.pieces {
		p := &e.sources.pieces[i]
		if p.form != units.Row && p.form != units.Record {
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
		if isYesNo(value) || len(value) == 1 && value[0].figure >= 0 && value[0].end-value[0].start < 3 {
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
		if !list[i].content() {
			continue
		}
		if !hasWord(words, list[i].stem) {
			return false
		}
		found = true
	}
	return found
}

// checkFigureField accuses a figure beside the name of the field.
func (e *evidence) checkFigureField(c, _ *piece, i int) (at, says *word) {
	v := e.fieldList[i].figure()
	if v == nil || i == 0 || e.usesAlso(c, &e.sources.figures[v.figure]) {
		return nil, nil
	}
	words := e.answer.of(c)
	for k := range words {
		w := &words[k]
		if w.figure >= 0 && !w.head && areComparable(&e.answer.figures[w.figure], &e.sources.figures[v.figure]) && namesField(words, k, e.fieldList[i].head) && !e.isLabel(words, k) && e.isWrong(w, words) {
			return w, v
		}
	}
	return nil, nil
}

// isLabel reports a number that names a thing: "stand 2".
func (e *evidence) isLabel(words []word, k int) bool {
	return k > 0 && isCounted(&e.answer.figures[words[k].figure]) && words[k-1].content() && text.Between(e.answer.texts[0], words[k-1].end, words[k].start) == " "
}

// isWrong reports a figure that is neither the user's, nor another field's, nor computed.
func (e *evidence) isWrong(w *word, words []word) bool {
	f := &e.answer.figures[w.figure]
	computed := e.holds(w.figure) == derived && (f.Value <= 1 || hasAny(words, changes))
	return !computed && !isAmong(f, e.user.figures) && !e.inRecord(f, words)
}

// figure is the only figure of the field's value, nil for another value.
func (d *field) figure() (v *word) {
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
		if q == p || q.form != p.form || q.source != p.source {
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
		n := slices.IndexFunc(words, func(w word) bool { return w.content() && hasWord(o.value, w.stem) && !e.asked[w.stem] })
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
	return slices.ContainsFunc(list, func(w word) bool { return w.stem == stem })
}

// usesFigure reports whether the claim has the field's figure in another form.
func (e *evidence) usesFigure(c *piece, d *field) bool {
	v := d.figure()
	return v != nil && e.usesAlso(c, &e.sources.figures[v.figure])
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
		if w.figure < 0 && w.content() || w.figure >= 0 && (w.end-w.start > 2 || e.sources.figures[w.figure].Unit.Dimension != figures.None) {
			return true
		}
	}
	return false
}

func sameStems(a, b []word) bool {
	return slices.EqualFunc(a, b, func(x, y word) bool { return x.stem == y.stem })
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
	return len(value) == 1 && (yes.Has(value[0].hash) || no.Has(value[0].hash))
}

// checkFlag accuses a yes or no that the claim turns.
func (e *evidence) checkFlag(c, _ *piece, i int) (at, says *word) {
	d := &e.fieldList[i]
	if !isYesNo(d.value) || c.led {
		return nil, nil
	}
	words := e.answer.of(c)
	last := lastName(words, d.head)
	if last < 0 {
		return nil, nil
	}
	near, far := e.denials(words, last)
	if yes.Has(d.value[0].hash) && near || no.Has(d.value[0].hash) && !far {
		return &words[last], &d.value[0]
	}
	return nil, nil
}

// denials reports whether a negation stands closely before the word, and whether there is any doubt in the claim.
func (e *evidence) denials(words []word, at int) (near, far bool) {
	for k := range words {
		w := &words[k]
		denies := w.flags&(text.Negation|text.ForeignNegation) != 0 || w.hash == hashNon
		near = near || denies && k < at && k >= at-nameReach
		far = far || denies || doubts.Has(w.hash)
	}
	return near, far
}

// lastName is the last word of the claim that names the field, -1 if one of its words is missing.
func lastName(words, head []word) int {
	last := -1
	for k := range head {
		if fillers.Has(head[k].hash) {
			continue
		}
		n := slices.IndexFunc(words, func(w word) bool { return w.stem == head[k].stem && !w.head })
		if n < 0 {
			return -1
		}
		last = max(last, n)
	}
	return last
}
