package conversation

import (
	"math"
	"strings"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/markup"
	"confab/internal/text/units"
	"confab/schemas"
)

// Limits of what is read of a turn and kept of it.
const (
	maxGiven   = 64_000 // bytes of a message or result
	maxFacts   = 12
	maxWords   = 48 // of question and answer together
	maxSubject = 16
	maxAsked   = 12
	maxTexts   = 160 // characters around a value
	textBefore = 100 // bytes of them before the value, at most
	maxPerson  = 3   // words between a person and what it may do
)

// Forms of facts that are no figures.
const (
	formName     uint16 = 1<<15 + iota
	formDecision        // Value is 1 if it is negated
	formCode            // a word with digits
)

// fact is a fact of the answer that is read, with its place.
type fact struct {
	schemas.EarlierFact
	figure     figures.Figure
	start, end int32    // of the value
	lead       []uint32 // words that say what the value is of: another one of them is another subject
	named      []uint32 // names among the words of the subject
}

// reader reads a text into facts and words. Its storage is reused.
type reader struct {
	tokens    []text.Token
	sentences []text.Span
	ranges    []text.Range
	figures   []figures.Figure
	list      units.List

	p       evidence.Prepared
	facts   []fact
	words   []uint32
	at      []int32 // tokens of the unit that is read
	figure  []int32 // by token of the text: its figure plus one
	clauses []int32 // by token in at: its clause
	keys    []uint32
	german  bool // nouns have capitals
}

// prepare reads a text that the document has not read.
func (r *reader) prepare(doc *detectors.Document, s string) {
	s, _ = text.Cut(s, maxGiven)
	s = markup.Blank(strings.ToValidUTF8(s, " "))
	doc.Work().Spend(len(s))
	r.sentences = text.AppendSentences(r.sentences[:0], s)
	r.tokens = doc.Tokenizer().Append(r.tokens[:0], s)
	r.ranges = text.AppendTokenRanges(r.ranges[:0], r.sentences, r.tokens)
	r.list.Reset()
	r.list.Answer(s, r.sentences, r.ranges, r.tokens)
	r.figures = figures.Append(r.figures[:0], s, r.tokens)
	r.p = evidence.Prepared{Text: s, Tokens: r.tokens, Units: &r.list, Figures: r.figures}
}

// read reads the facts and words of the prepared text.
func (r *reader) read() {
	r.facts, r.words = r.facts[:0], r.words[:0]
	r.figure = append(r.figure[:0], make([]int32, len(r.p.Tokens))...)
	for i := range r.p.Figures {
		f := &r.p.Figures[i]
		for t := f.First; t < f.Last && int(t) < len(r.figure); t++ {
			r.figure[t] = int32(i) + 1
		}
	}
	r.german = false
	for i := range r.p.Tokens {
		r.german = r.german || german.Has(r.p.Tokens[i].Hash)
		if k := r.key(int32(i)); k != 0 {
			r.words = append(r.words, k)
		}
	}
	for i := range r.p.Units.Units {
		u := &r.p.Units.Units[i]
		if u.Form <= units.Item && (u.Kind == units.Statement || u.Kind == units.Short) && len(r.facts) < maxFacts {
			r.readUnit(i, u)
		}
	}
}

// key is the hash of a word or of the figure that begins at the token; 0 for words that say nothing.
func (r *reader) key(i int32) uint32 {
	t := &r.p.Tokens[i]
	if f := r.figure[i]; f > 0 {
		if g := &r.p.Figures[f-1]; g.First == i {
			return uint32(valueOf(g))
		}
		return 0
	}
	switch {
	case t.Has(text.Marker), r.isNegation(i):
		return 0
	case !text.Foreign.IsContent(t) && !r.isMonth(t) && !sums.Has(t.Hash):
		return 0
	}
	return uint32(text.Foreign.Key(t, r.p.Text)) | 1
}

func (r *reader) isMonth(t *text.Token) bool {
	return months.Has(t.Hash) && (t.In(r.p.Text) != "may" && t.In(r.p.Text) != "mars")
}

func (r *reader) isNegation(i int32) bool {
	t := &r.p.Tokens[i]
	return t.Has(text.Negation|text.ForeignNegation) || negates.Has(t.Hash)
}

// valueOf is the hash of a figure, whatever its unit.
func valueOf(f *figures.Figure) uint64 {
	v := math.Float64bits(f.Value)
	if f.Kind == figures.Date && f.Day+f.Month+f.Weekday > 0 {
		v = uint64(f.Year)<<32 | uint64(f.Month)<<16 | uint64(f.Day)<<8 | uint64(f.Weekday) | 1<<62
	}
	if f.Kind == figures.Clock {
		v = math.Float64bits(math.Mod(f.Value, 12*60)) ^ 1<<61
	}
	v = (v ^ v>>32) * 0x9E3779B97F4A7C15
	return v ^ v>>32
}

// formOf is the form of a figure, 0 for one that is no fact.
func formOf(f *figures.Figure) uint16 {
	d := f.Unit.Dimension
	if d == figures.Calendar {
		d = figures.Duration
	}
	form := uint16(f.Kind) + 1 | uint16(d)<<4
	switch f.Kind {
	case figures.Label:
		return 0
	case figures.Date:
		if f.Period != 0 || f.Decade || f.Day == 0 && f.Month != 0 || f.Day == 0 && f.Year == 0 {
			return 0
		}
		if f.Day != 0 {
			form |= 1 << 11
		}
	case figures.Count:
		if f.Spelled && f.Value <= 1 && d == figures.None {
			return 0
		}
	}
	return form
}

// readUnit reads the facts of a unit.
func (r *reader) readUnit(i int, u *units.Unit) {
	r.at, r.clauses = r.at[:0], r.clauses[:0]
	clause := int32(0)
	for _, run := range r.p.Units.RunsOf(i) {
		for t := run.First; t < run.Last; t++ {
			if len(r.at) > 0 && (splits(text.Between(r.p.Text, r.p.Tokens[t-1].End, r.p.Tokens[t].Start)) || r.joins(t)) {
				clause++
			}
			r.at, r.clauses = append(r.at, t), append(r.clauses, clause)
		}
	}
	if len(r.at) == 0 || r.any(supposes) || r.any(moves) || r.isConditional() {
		return
	}
	r.keys = r.keys[:0]
	for c := u.Context.First; c < u.Context.Last; c++ {
		r.addKey(r.key(c))
	}
	context := len(r.keys)
	for _, t := range r.at {
		r.addKey(r.key(t))
	}
	r.readFigures(u, context)
	r.readDecision(u, context)
	r.readName(u, context)
	r.readCodes(u, context)
}

func (r *reader) addKey(k uint32) {
	if k != 0 && len(r.keys) < 2*maxSubject {
		r.keys = append(r.keys, k)
	}
}

// splits reports punctuation between two tokens that ends a clause.
func splits(gap string) bool {
	return len(gap) > 1 && (strings.ContainsAny(gap, ",;:()|") || strings.Contains(gap, "–") || strings.Contains(gap, " - "))
}

func (r *reader) joins(i int32) bool {
	t := &r.p.Tokens[i]
	return joins.Has(t.Hash) && t.In(r.p.Text) != "è"
}

func (r *reader) any(set text.WordSet) bool {
	for _, t := range r.at {
		if set.Has(r.p.Tokens[t].Hash) && r.figure[t] == 0 {
			return true
		}
	}
	return false
}

// isConditional reports a clause that begins with "si" or "se", which have other meanings within one.
func (r *reader) isConditional() bool {
	for n, t := range r.at {
		if n == 0 || r.clauses[n] != r.clauses[n-1] {
			if w := r.p.Tokens[t].In(r.p.Text); strings.EqualFold(w, "si") || strings.EqualFold(w, "se") || strings.EqualFold(w, "s'il") {
				return true
			}
		}
	}
	return false
}

// readFigures reads the figures of the unit. Of several of a form each needs a clause of its own.
func (r *reader) readFigures(u *units.Unit, context int) {
	for n, t := range r.at {
		g := r.figure[t] - 1
		if g < 0 || r.p.Figures[g].First != t {
			continue
		}
		f := &r.p.Figures[g]
		form := formOf(f)
		rivals, near := r.rivals(n, form)
		if near || form == 0 || f.Kind <= figures.Money && r.any(remains) || r.isTheme(n, f.Last, f) {
			continue
		}
		r.addFact(u, fact{EarlierFact: schemas.EarlierFact{Form: form, Value: valueOf(f)}, figure: *f, start: f.Start, end: f.End}, n, context, rivals)
	}
}

// isTheme reports a value that says what the statement is about: "at 9:40 there is a train", "room 214 has a balcony". With a unit it needs
// a word before it in the unit. Others need more words before than behind them in their clause, and a number behind its noun two.
func (r *reader) isTheme(n int, last int32, f *figures.Figure) bool {
	words, before, behind := 0, 0, 0
	for k, t := range r.at {
		switch {
		case r.key(t) == 0 || t >= r.at[n] && t < last:
		case k < n:
			words++
			if r.clauses[k] == r.clauses[n] {
				before++
			}
		case r.clauses[k] == r.clauses[n]:
			behind++
		}
	}
	counts := f != nil && (f.Unit.Dimension != figures.None || f.Counts && int(last) < len(r.p.Tokens) && r.key(last) != 0)
	if words == 0 || f != nil && f.Kind <= figures.Money && (f.Kind != figures.Count || counts) {
		return words == 0
	}
	return before < behind || (f == nil || f.Kind == figures.Count) && before < minShared
}

// rivals reports the clauses of other figures of the form: whether there are any, and whether one is in the clause.
func (r *reader) rivals(n int, form uint16) (others map[int32]bool, near bool) {
	own := r.figure[r.at[n]]
	for k, t := range r.at {
		g := r.figure[t]
		if g == 0 || g == own || formOf(&r.p.Figures[g-1]) != form {
			continue
		}
		if others == nil {
			others = map[int32]bool{}
		}
		others[r.clauses[k]] = true
		near = near || r.clauses[k] == r.clauses[n]
	}
	return others, near
}

// addFact adds the fact at the n-th token of the unit.
func (r *reader) addFact(u *units.Unit, f fact, n, context int, rivals map[int32]bool) {
	if len(r.facts) == maxFacts {
		return
	}
	clause, from := r.clauses[n], int32(0)
	for k := n; k > 0; k-- {
		if r.clauses[k] != r.clauses[k-1] && r.joins(r.at[k]) {
			from = r.clauses[k]
			break
		}
	}
	f.lead = append(f.lead, r.keys[:context]...)
	for k, t := range r.at {
		c, key := r.clauses[k], r.key(t)
		if key == 0 || t >= r.firstOf(n) && r.p.Tokens[t].Start < f.end || rivals[c] {
			continue
		}
		if c >= from && c <= clause && !generic.Has(r.p.Tokens[t].Hash) {
			f.lead = append(f.lead, key)
		}
		if !r.german && r.isCapital(k) && (k > 0 || k+1 < len(r.at) && r.isCapital(k+1)) {
			f.named = append(f.named, key)
		}
		if len(rivals) == 0 || c >= from && c <= clause {
			f.Subject = append(f.Subject, key)
		}
	}
	f.Subject = append(f.Subject, r.keys[:context]...)
	f.Subject = f.Subject[:min(len(f.Subject), maxSubject)]
	f.Text = around(r.p.Text, u, f.start, f.end)
	r.facts = append(r.facts, f)
}

// firstOf is the first token of the figure at the n-th token of the unit, or that token.
func (r *reader) firstOf(n int) int32 {
	if g := r.figure[r.at[n]]; g > 0 {
		return r.p.Figures[g-1].First
	}
	return r.at[n]
}

// around is the part of the unit around a value.
func around(s string, u *units.Unit, start, end int32) string {
	from := max(u.Start, start-textBefore)
	for from > u.Start && !utf8.RuneStart(s[from]) {
		from--
	}
	return Shorten(s[from:max(u.End, end)])
}

// readDecision reads a unit that says that something is or is not so.
func (r *reader) readDecision(u *units.Unit, context int) {
	at := -1
	for n, t := range r.at {
		if predicates.Has(r.p.Tokens[t].Hash) {
			at = n
		}
	}
	if at < 0 {
		return
	}
	negations, start, end := 0, r.p.Tokens[r.at[at]].Start, r.p.Tokens[r.at[at]].End
	for n, t := range r.at {
		k := &r.p.Tokens[t]
		switch {
		case r.clauses[n] != r.clauses[at]:
			continue
		case limitsOf.Has(k.Hash), persons.Has(k.Hash) && n < at && n >= at-maxPerson:
			return
		case !r.isNegation(t), n == 0 && splits(r.after(t)), r.isPas(n):
			continue
		}
		negations++
		start, end = min(start, k.Start), max(end, k.End)
	}
	if negations < 2 {
		r.addFact(u, fact{EarlierFact: schemas.EarlierFact{Form: formDecision, Value: uint64(negations)}, start: start, end: end}, at, context, nil)
	}
}

// isPas reports the second word of a French negation.
func (r *reader) isPas(n int) bool {
	for k := max(0, n-4); k < n; k++ {
		if w := r.p.Tokens[r.at[k]].In(r.p.Text); strings.EqualFold(w, "ne") || strings.HasPrefix(w, "n'") || strings.HasPrefix(w, "n’") {
			return r.p.Tokens[r.at[n]].In(r.p.Text) == "pas"
		}
	}
	return false
}

func (r *reader) after(t int32) string {
	if int(t)+1 == len(r.p.Tokens) {
		return ""
	}
	return text.Between(r.p.Text, r.p.Tokens[t].End, r.p.Tokens[t+1].Start) + " "
}

// readName reads the only person of a unit: words with capitals behind a title, "is" or "by".
func (r *reader) readName(u *units.Unit, context int) {
	first, last, found := -1, -1, false
	for n := 0; n < len(r.at); n++ {
		k := n
		for k < len(r.at) && r.isCapital(k) && (k == n || isSpace(text.Between(r.p.Text, r.p.Tokens[r.at[k-1]].End, r.p.Tokens[r.at[k]].Start))) {
			k++
		}
		named := n > 0 && (titles.Has(r.p.Tokens[r.at[n-1]].Hash) || naming.Has(r.p.Tokens[r.at[n-1]].Hash))
		if k > n && named {
			if found {
				return
			}
			first, last, found = n, k-1, true
		}
		n = max(n, k)
	}
	if !found {
		return
	}
	a, b := &r.p.Tokens[r.at[first]], &r.p.Tokens[r.at[last]]
	r.addFact(u, fact{EarlierFact: schemas.EarlierFact{Form: formName, Value: uint64(r.key(r.at[last]))}, start: a.Start, end: b.End}, first, context, nil)
}

// readCodes reads words with digits: B22, LMK42P.
func (r *reader) readCodes(u *units.Unit, context int) {
	for n, t := range r.at {
		if w := r.p.Tokens[t].In(r.p.Text); r.figure[t] == 0 && len(w) > 1 && r.p.Tokens[t].Kind == text.Word && strings.ContainsAny(w, "0123456789") && !r.isTheme(n, t+1, nil) {
			k := &r.p.Tokens[t]
			r.addFact(u, fact{EarlierFact: schemas.EarlierFact{Form: formCode, Value: uint64(r.key(t))}, start: k.Start, end: k.End}, n, context, nil)
		}
	}
}

func isSpace(gap string) bool { return gap == " " || gap == ". " }

func (r *reader) isCapital(n int) bool {
	t := &r.p.Tokens[r.at[n]]
	return r.figure[r.at[n]] == 0 && evidence.IsCapital(t.In(r.p.Text)) && text.Foreign.IsContent(t)
}
