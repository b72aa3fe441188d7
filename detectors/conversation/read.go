package conversation

import (
	"math"
	"slices"
	"strings"
	"unicode"

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
	maxText    = 160 // bytes around a value
	textBefore = 100 // bytes of them before the value, at most
)

// Forms of facts that are no figures.
const (
	formName     uint16 = 1<<15 + iota
	formDecision        // Value is 1 if it is negated
	formCode            // a word with digits
	formNumber          // INC-30771, 88-1402
)

// fact is a fact of the answer that is read, with its place.
type fact struct {
	schemas.EarlierFact
	figure     figures.Figure
	start, end int32    // of the value
	replies    bool     // it is in the first statement
	follows    bool     // it depends on what the user said
	reason     bool     // it is why something else is so: it held before
	lead       []uint32 // words that say what the value is of: another one of them is another subject
}

// reader reads a text into facts and words. Its storage is reused.
type reader struct {
	tokens    []text.Token
	sentences []text.Span
	ranges    []text.Range
	figures   []figures.Figure
	list      units.List

	p      evidence.Prepared
	facts  []fact
	words  []uint32
	figure []int32 // by token of the text: its figure plus one
	german bool    // nouns have capitals

	unit    *units.Unit // that is read
	opens   bool        // it is the first of the text
	at      []int32     // its tokens
	clauses []int32     // by token in at: its clause
	context []uint32    // words of the lead-in above the unit
	asked   []uint32    // words of the question that the next statement answers
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
	r.facts, r.words, r.german = r.facts[:0], r.words[:0], false
	r.figure = append(r.figure[:0], make([]int32, len(r.p.Tokens))...)
	for i := range r.p.Figures {
		f := &r.p.Figures[i]
		for t := f.First; t < f.Last && int(t) < len(r.figure); t++ {
			r.figure[t] = int32(i) + 1
		}
	}
	for i := range r.p.Tokens {
		r.german = r.german || german.Has(r.p.Tokens[i].Hash)
		if k := r.key(int32(i)); k != 0 {
			r.words = append(r.words, k)
		}
	}
	for i := range r.p.Units.Units {
		u := &r.p.Units.Units[i]
		r.opens = i == 0
		if u.Form <= units.Item && (u.Kind == units.Statement || u.Kind == units.Short) && r.openUnit(i, u) {
			r.readValues()
			r.readDecision()
		}
		r.asked = nil
	}
}

// key is the hash of a word or of the figure that begins at the token; 0 for words that say nothing.
func (r *reader) key(i int32) uint32 {
	t := &r.p.Tokens[i]
	switch f := r.figure[i]; {
	case f > 0 && r.p.Figures[f-1].First == i:
		return uint32(valueOf(&r.p.Figures[f-1]))
	case f > 0, t.Has(text.Marker), r.isNegation(i), titles.Has(t.Hash):
		return 0
	case !text.Foreign.IsContent(t) && !sums.Has(t.Hash):
		return 0
	}
	return uint32(text.Foreign.Key(t, r.p.Text)) | 1
}

func (r *reader) isNegation(i int32) bool {
	t := &r.p.Tokens[i]
	return t.Has(text.Negation|text.ForeignNegation) || negates.Has(t.Hash)
}

// valueOf is the hash of a figure, whatever its unit.
func valueOf(f *figures.Figure) uint64 {
	v := math.Float64bits(f.Value)
	switch {
	case f.Kind == figures.Date && f.Day+f.Month+f.Weekday > 0:
		v = uint64(f.Year)<<32 | uint64(f.Month)<<16 | uint64(f.Day)<<8 | uint64(f.Weekday) | 1<<62
	case f.Kind == figures.Clock:
		v = math.Float64bits(math.Mod(f.Value, 12*60)) ^ 1<<61
	}
	v = (v ^ v>>32) * 0x9E3779B97F4A7C15
	return v ^ v>>32
}

// formOf is the form of a figure, 0 for one that is no fact: a label, a weekday, a month, "one of them".
func formOf(f *figures.Figure) uint16 {
	d := f.Unit.Dimension
	form := uint16(f.Kind) + 1 | uint16(d)<<4
	switch {
	case f.Kind == figures.Label, f.Kind == figures.Count && f.Spelled && f.Value <= 1 && d == figures.None:
		return 0
	case f.Kind != figures.Date:
		return form
	case f.Day != 0:
		return form | 1<<11
	case f.Period != 0 || f.Decade || f.Month != 0 || f.Year == 0:
		return 0
	}
	return form
}

// openUnit reads the clauses of the i-th unit; false for one that supposes or compares something, or whose value may change.
func (r *reader) openUnit(i int, u *units.Unit) bool {
	r.unit, r.context = u, r.context[:0]
	for c := u.Context.First; c < u.Context.Last; c++ {
		if k := r.key(c); k != 0 && len(r.context) < maxSubject {
			r.context = append(r.context, k)
		}
	}
	return r.readClauses(i) && !r.any(supposes) && !r.any(moves)
}

// readClauses reads the clauses of the i-th unit; false for one with none.
func (r *reader) readClauses(i int) bool {
	clause := int32(0)
	r.at, r.clauses = r.at[:0], r.clauses[:0]
	for _, run := range r.p.Units.RunsOf(i) {
		for t := run.First; t < run.Last; t++ {
			w := &r.p.Tokens[t]
			if len(r.at) > 0 && (splits(text.Between(r.p.Text, r.p.Tokens[t-1].End, w.Start)) || r.joins(t)) {
				clause++
			}
			r.at, r.clauses = append(r.at, t), append(r.clauses, clause)
		}
	}
	return len(r.at) > 0
}

// splits reports punctuation between two tokens that ends a clause.
func splits(gap string) bool {
	return len(gap) > 1 && (strings.ContainsAny(gap, ",;:()|–") || strings.Contains(gap, " - "))
}

func (r *reader) joins(i int32) bool {
	t := &r.p.Tokens[i]
	switch w := t.In(r.p.Text); w {
	case "è":
		return false
	case "car", "da": // words of other languages, too
		return i > 0 && splits(text.Between(r.p.Text, r.p.Tokens[i-1].End, t.Start))
	}
	return joins.Has(t.Hash)
}

func (r *reader) any(set text.WordSet) bool {
	return slices.ContainsFunc(r.at, func(t int32) bool { return set.Has(r.p.Tokens[t].Hash) && r.figure[t] == 0 })
}

// readValues reads figures, codes such as B22, and persons: names behind a title, or before a comma.
func (r *reader) readValues() {
	for n, t := range r.at {
		switch g := r.figure[t]; {
		case r.numberEnd(n) > n:
			r.addWord(formNumber, n, r.numberEnd(n))
		case r.names(n):
			last := n
			for last+1 < len(r.at) && r.isCapital(last+1) {
				last++
			}
			r.addWord(formName, n, last)
		case g > 0 && r.p.Figures[g-1].First == t:
			f := &r.p.Figures[g-1]
			if form := formOf(f); form != 0 && !r.isTheme(n, f) {
				r.add(fact{EarlierFact: schemas.EarlierFact{Form: form, Value: valueOf(f)}, figure: *f, start: f.Start, end: f.End}, n, f.Last)
			}
		case r.isCode(t) && !r.isTheme(n, nil):
			r.addWord(formCode, n, n)
		}
	}
}

func (r *reader) names(n int) bool {
	if n == 0 { // "Petra Vance, the speaker"
		return len(r.at) > 2 && r.isCapital(0) && r.isCapital(1) && r.clauses[1] == r.clauses[0] && r.clauses[2] != r.clauses[0]
	}
	before := &r.p.Tokens[r.at[n-1]]
	return titles.Has(before.Hash) && text.IsUpper(r.p.Tokens[r.at[n]].In(r.p.Text)[0])
}

// numberEnd is the last token of a number of parts that begins at the n-th token, such as INC-30771; n for none.
func (r *reader) numberEnd(n int) int {
	joined := func(k int) bool {
		return text.Between(r.p.Text, r.p.Tokens[r.at[k-1]].End, r.p.Tokens[r.at[k]].Start) == "-"
	}
	last := n
	for last+1 < len(r.at) && joined(last+1) {
		last++
	}
	if n > 0 && joined(n) || strings.IndexFunc(r.p.Tokens[r.at[last]].In(r.p.Text), unicode.IsDigit) < 0 {
		return n
	}
	return last
}

func (r *reader) isCode(t int32) bool {
	return r.figure[t] == 0 && r.p.Tokens[t].Kind == text.Word && strings.ContainsAny(r.p.Tokens[t].In(r.p.Text), "0123456789")
}

// addWord adds the words from n to last, whose value is that of the last one.
func (r *reader) addWord(form uint16, n, last int) {
	a, b := r.at[n], r.at[last]
	r.add(fact{EarlierFact: schemas.EarlierFact{Form: form, Value: uint64(r.key(b))}, start: r.p.Tokens[a].Start, end: r.p.Tokens[b].End}, n, b+1)
}

func (r *reader) isCapital(n int) bool {
	t := &r.p.Tokens[r.at[n]]
	return r.figure[r.at[n]] == 0 && evidence.IsCapital(t.In(r.p.Text)) && text.Foreign.IsContent(t)
}

// isTheme reports a value that says what the statement is about: "at 9:40 there is a train", "room 214 has a balcony". With a unit it needs
// a word before it in the unit. Others need as many words before as behind them in their clause, and a number behind its noun two.
func (r *reader) isTheme(n int, f *figures.Figure) bool {
	last := r.at[n] + 1
	if f != nil {
		last = f.Last
	}
	all, before := r.count(n, r.at[0], r.at[n])
	_, behind := r.count(n, last, math.MaxInt32)
	if all == 0 {
		all, before = len(r.asked), len(r.asked)
	}
	if f != nil && f.Kind <= figures.Money && (f.Kind != figures.Count || r.measures(f)) {
		return all == 0
	}
	return before < behind || (f == nil || f.Kind == figures.Count) && all < minShared
}

// count counts the words of the unit among the tokens from first to last, and those in the clause of its n-th token.
func (r *reader) count(n int, first, last int32) (all, same int) {
	for k, t := range r.at {
		if t >= first && t < last && r.key(t) != 0 {
			if all++; r.clauses[k] == r.clauses[n] {
				same++
			}
		}
	}
	return all, same
}

// measures reports a number with a unit, or with a noun behind it.
func (r *reader) measures(f *figures.Figure) bool {
	return f.Unit.Dimension != figures.None || f.Counts && int(f.Last) < len(r.p.Tokens) && r.key(f.Last) != 0
}

// rivals are the other clauses with figures of the form.
func (r *reader) rivals(n int, form uint16) (others []int32) {
	for k, t := range r.at {
		if g := r.figure[t]; g != 0 && g != r.figure[r.at[n]] && formOf(&r.p.Figures[g-1]) == form {
			if r.clauses[k] != r.clauses[n] {
				others = append(others, r.clauses[k])
			}
		}
	}
	return others
}

// add adds the fact from the n-th token of the unit to the token last. Of several figures of a form each needs a clause of its own, whose
// words are its subject.
func (r *reader) add(f fact, n int, last int32) {
	others := r.rivals(n, f.Form)
	if len(r.facts) == maxFacts {
		return
	}
	r.addWords(&f, n, last, others)
	if f.Text = r.p.Text[f.start:f.end]; f.Form != formNumber {
		f.Text = r.excerpt(f.start, f.end)
	}
	r.facts = append(r.facts, f)
}

// excerpt is the unit around a place, at most maxText bytes. It is cut between two words of which not both have digits: half an address
// or half a number would not be redacted.
func (r *reader) excerpt(from, to int32) string {
	s := r.p.Text[r.unit.Start:max(r.unit.End, to)]
	first, last := int(from-r.unit.Start), int(to-r.unit.Start)
	isCut := func(k int) bool {
		return s[k] == ' ' && (k == 0 || k+1 == len(s) || !isDigit(s[k-1]) || !isDigit(s[k+1]))
	}
	start, end := max(0, first-textBefore), min(len(s), max(last, first-textBefore+maxText))
	for start > 0 && start < first && !isCut(start-1) {
		start++
	}
	for end < len(s) && end > last && !isCut(end) {
		end--
	}
	return s[start:end]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// addWords adds the words of the unit to the fact, but those of the clauses of others. The clause and those before it up to a word that
// joins say what the value is of.
func (r *reader) addWords(f *fact, n int, last int32, others []int32) {
	from := r.leadStart(n)
	f.replies, f.follows = r.opens, follows.Has(r.p.Tokens[r.at[0]].Hash)
	f.lead, f.reason = append(f.lead, r.context...), from > 0 && reasons.Has(r.p.Tokens[r.at[from]].Hash)
	for k, t := range r.at {
		key, leads := r.key(t), k >= from && r.clauses[k] <= r.clauses[n]
		if key == 0 || t >= r.at[n] && t < last || slices.Contains(others, r.clauses[k]) {
			continue
		}
		if f.Subject = append(f.Subject, key); leads && r.tells(f, t) {
			f.lead = append(f.lead, key)
		}
	}
	f.Subject = append(f.Subject, r.context...)
	f.Own = min(len(f.Subject), maxSubject)
	f.Subject = append(f.Subject, r.asked...)
	f.Subject = f.Subject[:min(len(f.Subject), maxSubject)]
}

func (r *reader) leadStart(n int) int {
	for n > 0 && (r.clauses[n] == r.clauses[n-1] || !r.joins(r.at[n])) {
		n--
	}
	return n
}

// tells reports a word that tells the subject of the fact from others. The time at which somebody does something does not.
func (r *reader) tells(f *fact, t int32) bool {
	clock := r.figure[t] > 0 && r.p.Figures[r.figure[t]-1].Kind == figures.Clock
	return !generic.Has(r.p.Tokens[t].Hash) && (f.Form != formName || !clock)
}

// readDecision reads a unit that says that something is or is not so.
func (r *reader) readDecision() {
	at := len(r.at) - 1
	for at >= 0 && !predicates.Has(r.p.Tokens[r.at[at]].Hash) {
		at--
	}
	if at < 0 {
		return
	}
	negations, k := 0, r.p.Tokens[r.at[at]]
	start, end := k.Start, k.End
	for n, t := range r.at {
		k := &r.p.Tokens[t]
		switch {
		case r.clauses[n] != r.clauses[at]:
		case limitsOf.Has(k.Hash):
			return
		case r.isNegation(t):
			negations++
			start, end = min(start, k.Start), max(end, k.End)
		}
	}
	if negations < 2 {
		r.add(fact{EarlierFact: schemas.EarlierFact{Form: formDecision, Value: uint64(negations)}, start: start, end: end}, at, r.at[at]+1)
	}
}
