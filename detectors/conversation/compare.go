package conversation

import (
	"slices"
	"strings"
	"unicode"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/schemas"
)

// asked is what a question says.
type asked struct {
	words    []uint32
	names    []uint32 // names, dates and figures
	shifts   bool     // it asks for a change or supposes something
	elliptic bool     // "And on Sunday?"
}

const (
	maxElliptic = 8 // words
	maxBare     = 3 // words of a question without a beginning: "Next month?"
	minShared   = 2 // words that both statements have
	maxHour     = 24
	minDigits   = 3 // of a value that was copied wrongly
	minRestated = 3 // words of a subject
	compareCost = 8 // units of work of two facts
)

// readQuestion reads a question.
func (s *scratch) readQuestion(question string) (q asked) {
	r := &s.text
	r.prepare(s.doc, question)
	r.read()
	n := len(r.p.Tokens)
	if n == 0 {
		return q
	}
	for _, t := range r.p.Tokens {
		q.shifts = q.shifts || changes.Has(t.Hash) || supposes.Has(t.Hash)
	}
	for i := range n {
		q.readWord(r, int32(i))
	}
	q.elliptic = n <= maxBare && strings.HasSuffix(strings.TrimSpace(question), "?")
	for i := range min(n, 2) { // "and ...", "what about ..."
		q.elliptic = q.elliptic || n <= maxElliptic && ellipses.Has(r.p.Tokens[i].Hash)
	}
	return q
}

func (q *asked) readWord(r *reader, i int32) {
	t, k := &r.p.Tokens[i], r.key(i)
	if k == 0 || len(q.words) == maxWords || generic.Has(t.Hash) {
		return
	}
	q.words = append(q.words, k)
	if named := !r.german && text.IsUpper(t.In(r.p.Text)[0]) && !startsSentence(r.p.Text, t.Start); named || r.setsValue(i) {
		q.names = append(q.names, k)
	}
}

// setsValue reports a figure of a question on which the value may depend: not a date or what may be an hour.
func (r *reader) setsValue(i int32) bool {
	if r.figure[i] == 0 {
		return false
	}
	f := &r.p.Figures[r.figure[i]-1]
	bare := f.Kind == figures.Count && !r.measures(f) && f.Value <= maxHour
	return !bare && f.Kind != figures.Date && f.Kind != figures.Clock
}

// startsSentence reports a word at the start of a sentence.
func startsSentence(s string, at int32) bool {
	before := strings.TrimRight(s[:at], " \n\t")
	return before == "" || strings.IndexByte(".!?:", before[len(before)-1]) >= 0
}

// compareAll holds each fact of the answer against the earlier turns, and returns the score.
func (s *scratch) compareAll() (score float64) {
	s.found = s.found[:0]
	if slices.ContainsFunc(s.answer.p.Tokens, func(t text.Token) bool { return corrects.Has(t.Hash) }) {
		return 0 // it openly takes something back
	}
	sound := 1.0
	for i := range s.answer.facts {
		p := &s.answer.facts[i]
		turn, e := s.contradicted(p)
		if e == nil || len(s.found) == detectors.MaxEvidence {
			continue
		}
		row := detectors.Evidence{Start: int(p.start), End: int(p.end), Source: -1, Note: s.doc.Answer()[p.start:p.end], Rule: ruleFigure, Turn: turn.Number, TurnText: e.Text}
		weight := weightFigure
		switch p.Form {
		case formName:
			row.Rule, weight = ruleName, weightOther
		case formDecision:
			row.Rule, weight = ruleDecision, weightOther
		default:
			if f := s.figureOf(e); f != nil {
				row.Says = s.text.p.Text[f.Start:f.End]
			}
		}
		sound *= 1 - weight
		row.Similarity = 1 - weight
		s.found = append(s.found, row)
	}
	return 1 - sound
}

// isTwin reports a value with the digits of e, at least three, in another order, for a subject that has a word of e: it was copied wrongly.
func (s *scratch) isTwin(p *fact, e *schemas.EarlierFact, t *schemas.EarlierTurn) bool {
	x, said := digitsOf(s.answer.p.Text[p.start:p.end]), e.Text
	other := s.asked.elliptic
	if p.Form != formNumber {
		other = !within(p.lead, known(e, t)) || within(p.Subject[:p.Own], func(k uint32) bool { return !slices.Contains(e.Subject, k) })
	}
	if len(x) < minDigits || other {
		return false
	}
	if p.Form < formName {
		f := s.figureOf(e)
		if f == nil {
			return false
		}
		said = s.text.p.Text[f.Start:f.End]
	}
	y := digitsOf(said)
	same := slices.Equal(x, y)
	slices.Sort(x)
	slices.Sort(y)
	return !same && slices.Equal(x, y)
}

func digitsOf(s string) []rune {
	return slices.DeleteFunc([]rune(s), func(c rune) bool { return !unicode.IsDigit(c) })
}

// contradicted is the latest earlier fact with another value for the same subject, or else one that was copied wrongly; nil for none. A value
// that anything explains is no contradiction.
func (s *scratch) contradicted(p *fact) (turn *schemas.EarlierTurn, said *schemas.EarlierFact) {
	turn, said = s.latest(p)
	if said == nil || !p.reason && (s.isOtherSubject(p, said, turn) || s.isChanged(p, said, turn)) {
		turn, said = s.twin(p)
	}
	if said == nil || s.isExplained(p, said) {
		return nil, nil
	}
	return turn, said
}

// latest is the latest earlier fact with another value for the same subject; nil if p agrees with one, or for a subject with several values.
func (s *scratch) latest(p *fact) (turn *schemas.EarlierTurn, said *schemas.EarlierFact) {
	for i := range slices.Backward(s.earlier) {
		t := &s.earlier[i]
		s.doc.Work().Spend(compareCost * (1 + len(t.Facts)))
		for k := range t.Facts {
			e := &t.Facts[k]
			switch {
			case e.Form != p.Form || p.Form == formNumber || !s.isSameSubject(p, e, t):
			case s.agrees(p, e):
				return nil, nil
			case said == nil:
				turn, said = t, e
			case said.Value != e.Value:
				return nil, nil
			}
		}
	}
	return turn, said
}

// twin is the latest earlier fact of which p is a wrong copy.
func (s *scratch) twin(p *fact) (*schemas.EarlierTurn, *schemas.EarlierFact) {
	for i := range slices.Backward(s.earlier) {
		t := &s.earlier[i]
		for k := range t.Facts {
			if e := &t.Facts[k]; e.Form == p.Form && s.isTwin(p, e, t) {
				return t, e
			}
		}
	}
	return nil, nil
}

// isSameSubject reports whether the fact p of the answer is about what e of the turn t is about: they share words, p adds none, and what e
// adds is less than what they share. p may add words of the turn of e.
func (s *scratch) isSameSubject(p *fact, e *schemas.EarlierFact, t *schemas.EarlierTurn) bool {
	common, missing := 0, 0
	for i, k := range e.Subject {
		switch {
		case slices.Contains(e.Subject[:i], k):
		case slices.Contains(p.Subject, k):
			common++
		case i < e.Own:
			missing++
		}
	}
	return common >= minShared && missing <= common && within(p.lead, known(e, t))
}

// known reports words of a fact or its turn.
func known(e *schemas.EarlierFact, t *schemas.EarlierTurn) func(uint32) bool {
	return func(k uint32) bool { return slices.Contains(e.Subject, k) || slices.Contains(t.Words, k) }
}

func within(words []uint32, known func(uint32) bool) bool {
	return !slices.ContainsFunc(words, func(k uint32) bool { return !known(k) })
}

// agrees reports whether both facts may be true.
func (s *scratch) agrees(p *fact, e *schemas.EarlierFact) bool {
	if p.Value == e.Value || p.Form >= formName {
		return p.Value == e.Value
	}
	f := s.figureOf(e)
	if f == nil {
		return true // redacted: how exact it was is not known
	}
	return figurematch.Compare(&p.figure, f) > figurematch.SameValue || figurematch.Compare(f, &p.figure) > figurematch.SameValue
}

// figureOf reads the figure of an earlier fact; nil if its text was redacted there.
func (s *scratch) figureOf(e *schemas.EarlierFact) *figures.Figure {
	s.text.prepare(s.doc, e.Text)
	for i := range s.text.figures {
		if f := &s.text.figures[i]; valueOf(f) == e.Value && formOf(f) == e.Form {
			return f
		}
	}
	return nil
}

// isAsked reports whether the fact has a word of the question that is not known.
func (s *scratch) isAsked(p *fact, known func(uint32) bool) bool {
	return slices.ContainsFunc(s.asked.words, func(k uint32) bool { return slices.Contains(p.Subject[:p.Own], k) && !known(k) })
}

// isOtherSubject reports whether the question speaks of another thing than e: it asks for a change, has words of p that e and its turn t have
// not, or other words that count, which e has not.
func (s *scratch) isOtherSubject(p *fact, e *schemas.EarlierFact, t *schemas.EarlierTurn) bool {
	if p.Form != formName && (p.follows || s.isAsked(p, known(e, t))) {
		return true
	}
	return s.asked.shifts || !within(s.wordsFor(p, e), func(k uint32) bool { return slices.Contains(e.Subject, k) })
}

// wordsFor are the words of the question that count: names and amounts, all of an elliptic one, none where e is only said again.
func (s *scratch) wordsFor(p *fact, e *schemas.EarlierFact) []uint32 {
	if restates(p, e) && !p.replies {
		return nil
	}
	if s.asked.elliptic {
		return s.asked.words
	}
	return s.asked.names
}

// restates reports whether p has all words of e.
func restates(p *fact, e *schemas.EarlierFact) bool {
	return e.Own >= minRestated && within(e.Subject[:e.Own], func(k uint32) bool { return slices.Contains(p.Subject[:p.Own], k) })
}

// isChanged reports whether a question between asks for a change, or brings in a name that the turn has not, unless p has all words of e.
func (s *scratch) isChanged(p *fact, e *schemas.EarlierFact, turn *schemas.EarlierTurn) bool {
	restated := restates(p, e)
	return slices.ContainsFunc(s.earlier, func(t schemas.EarlierTurn) bool {
		return t.Number > turn.Number && (t.Shifts && slices.ContainsFunc(e.Subject, func(k uint32) bool { return slices.Contains(t.Words, k) }) || !restated && !within(t.Asked, func(k uint32) bool { return slices.Contains(turn.Words, k) }))
	})
}

// isExplained reports whether the value is one that the user, a source, a tool or another earlier answer gave, or whether the answer has
// the earlier value, too. What was left out of the sources may explain anything.
func (s *scratch) isExplained(p *fact, e *schemas.EarlierFact) bool {
	in, value := s.doc.Interaction(), uint32(p.Value)
	said := func(t schemas.EarlierTurn) bool { return slices.Contains(t.Words, value) }
	if s.doc.SourcesTruncated() || p.Form != formDecision &&
		(slices.Contains(s.answer.words, uint32(e.Value)) || slices.ContainsFunc(s.earlier, said)) {
		return true
	}
	for _, source := range s.doc.Texts().Sources {
		if s.text.p = source; s.holds(p) {
			return true
		}
	}
	return slices.ContainsFunc(in.Calls, func(c schemas.ToolCall) bool { return s.has(c.Result, p) || s.has(c.Arguments, p) || s.has(c.Error, p) }) ||
		slices.ContainsFunc(in.Messages, func(m schemas.Message) bool { return m.Role != "assistant" && s.has(m.Content, p) })
}

// has reports whether the text gives the value, or says the same of the subject of the decision.
func (s *scratch) has(given string, p *fact) bool {
	if given == "" {
		return false
	}
	s.text.prepare(s.doc, given)
	return s.holds(p)
}

// holds is has for the text that is prepared.
func (s *scratch) holds(p *fact) bool {
	r := &s.text
	if p.Form < formName {
		return slices.ContainsFunc(r.p.Figures, func(f figures.Figure) bool { return figurematch.Compare(&p.figure, &f) >= figurematch.SameValue })
	}
	if r.read(); p.Form != formDecision {
		return slices.Contains(r.words, uint32(p.Value))
	}
	return slices.ContainsFunc(r.facts, func(f fact) bool {
		return f.Form == p.Form && f.Value == p.Value && slices.ContainsFunc(f.Subject, func(k uint32) bool { return slices.Contains(p.Subject, k) })
	})
}
