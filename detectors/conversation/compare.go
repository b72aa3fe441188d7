package conversation

import (
	"slices"
	"strings"

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
	narrows  []uint32 // words behind a preposition: "in summer"
	value    bool     // it asks how much, when, which
	amount   bool     // it asks for a price
	time     bool     // it asks for a time
	ends     bool     // it ends as a question
	elliptic bool     // "And on Sunday?"
}

const (
	maxElliptic = 8 // words
	maxBare     = 3 // words of a question without a beginning: "Next month?"
	minShared   = 2 // words that both statements have
	compareCost = 8 // units of work of two facts
)

// readQuestion reads a question.
func (s *scratch) readQuestion(question string) (q asked) {
	if question == "" {
		return q
	}
	r := &s.text
	r.prepare(s.doc, question)
	r.read()
	for i := range r.p.Tokens {
		t := &r.p.Tokens[i]
		k := r.key(int32(i))
		if k != 0 && !generic.Has(t.Hash) && len(q.words) < maxWords {
			q.words = append(q.words, k)
		}
		q.amount, q.time = q.amount || asksAmount.Has(t.Hash), q.time || asksTime.Has(t.Hash)
		q.value = q.value || asksValue.Has(t.Hash)
		q.shifts = q.shifts || changes.Has(t.Hash) || supposes.Has(t.Hash) || moves.Has(t.Hash)
		named := i > 0 && !r.german && r.figure[i] == 0 && text.IsUpper(t.In(r.p.Text)[0]) && !startsSentence(r.p.Text, t.Start)
		if k != 0 && r.follows(i, prepositions) {
			q.narrows = append(q.narrows, k)
		}
		if k != 0 && (r.figure[i] > 0 || named || r.isMonth(t)) && len(q.names) < maxAsked {
			q.names = append(q.names, k)
		}
	}
	q.ends = strings.HasSuffix(strings.TrimSpace(question), "?")
	if n := len(r.p.Tokens); n > 1 && n <= maxElliptic { // "and ...", "what about ..."
		q.elliptic = ellipses.Has(r.p.Tokens[0].Hash) || ellipses.Has(r.p.Tokens[1].Hash)
	}
	q.elliptic = q.elliptic || q.ends && len(r.p.Tokens) <= maxBare
	return q
}

// follows reports a word right behind one of the set, or with one other between them.
func (r *reader) follows(i int, set text.WordSet) bool {
	return i > 0 && set.Has(r.p.Tokens[i-1].Hash) || i > 1 && r.key(int32(i-1)) == 0 && set.Has(r.p.Tokens[i-2].Hash)
}

// startsSentence reports a word at the start of a sentence.
func startsSentence(s string, at int32) bool {
	before := strings.TrimRight(s[:at], " \n\t")
	return before == "" || strings.HasSuffix(before, ".") || strings.HasSuffix(before, "!") || strings.HasSuffix(before, "?") || strings.HasSuffix(before, ":")
}

// compareAll holds each fact of the answer against the earlier turns, and returns the score.
func (s *scratch) compareAll() (score float64) {
	s.found = s.found[:0]
	if s.corrects() {
		return 0
	}
	sound := 1.0
	for i := range s.answer.facts {
		p := &s.answer.facts[i]
		turn, e := s.contradicted(p)
		if e == nil || len(s.found) == detectors.MaxEvidence {
			continue
		}
		rule, weight := ruleOf(p.Form)
		sound *= 1 - weight
		s.found = append(s.found, detectors.Evidence{
			Start: int(p.start), End: int(p.end), Source: -1, Similarity: 1 - weight, Note: s.doc.Answer()[p.start:p.end],
			Says: s.says(e), Rule: rule, Turn: turn.Number, TurnText: e.Text,
		})
	}
	return 1 - sound
}

func ruleOf(form uint16) (id string, weight float64) {
	switch form {
	case formName:
		return ruleName, weightName
	case formDecision:
		return ruleDecision, weightDecision
	}
	return ruleFigure, weightFigure
}

// corrects reports an answer that openly takes something back.
func (s *scratch) corrects() bool {
	return slices.ContainsFunc(s.answer.p.Tokens, func(t text.Token) bool { return corrects.Has(t.Hash) })
}

// contradicted is the latest earlier fact with another value for the same subject; nil for none. A subject with several values, or a
// value that anything explains, is no contradiction.
func (s *scratch) contradicted(p *fact) (turn *schemas.EarlierTurn, said *schemas.EarlierFact) {
	for i := range slices.Backward(s.earlier) {
		t := &s.earlier[i]
		s.doc.Work().Spend(compareCost * (1 + len(t.Facts)))
		for k := range t.Facts {
			e := &t.Facts[k]
			if e.Form != p.Form || !s.isSameSubject(p, e, t) {
				continue
			}
			switch {
			case s.agrees(p, e):
				return nil, nil
			case said == nil:
				turn, said = t, e
			case said.Value != e.Value:
				return nil, nil
			}
		}
	}
	if said == nil || s.isOtherSubject(p, said, turn) || s.isExplained(p, said) {
		return nil, nil
	}
	return turn, said
}

// isSameSubject reports whether the fact p of the answer is about what e of the turn t is about: they share words, p adds none that the turn
// does not know, and what e adds is less than what they share.
func (s *scratch) isSameSubject(p *fact, e *schemas.EarlierFact, t *schemas.EarlierTurn) bool {
	common := shared(e.Subject, p.Subject)
	if common < minShared {
		return false
	}
	whole := shared(e.Subject, p.Subject) == shared(e.Subject, e.Subject)
	for _, k := range p.lead {
		if !slices.Contains(e.Subject, k) && (!whole || !slices.Contains(t.Words, k)) {
			return false
		}
	}
	missing := 0
	for _, k := range e.Subject {
		if !slices.Contains(p.Subject, k) && !slices.Contains(s.asked.words, k) && !slices.Contains(s.answer.words, k) {
			missing++
		}
	}
	return missing <= common
}

// shared is how many words both lists have.
func shared(a, b []uint32) (n int) {
	for i, k := range a {
		if !slices.Contains(a[:i], k) && slices.Contains(b, k) {
			n++
		}
	}
	return n
}

// agrees reports whether both facts may be true.
func (s *scratch) agrees(p *fact, e *schemas.EarlierFact) bool {
	if p.Value == e.Value {
		return true
	}
	if p.Form >= formName {
		return false
	}
	f := s.figureOf(e)
	if f == nil {
		return p.figure.Kind != figures.Code // redacted: how exact it was is not known
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

// says is the value of an earlier fact in its words.
func (s *scratch) says(e *schemas.EarlierFact) string {
	if e.Form < formName {
		if f := s.figureOf(e); f != nil {
			return s.text.p.Text[f.Start:f.End]
		}
	}
	return ""
}

// isOtherSubject reports whether a question since the turn speaks of another thing: a name, date or figure that the turn does not
// know, or a change.
func (s *scratch) isOtherSubject(p *fact, e *schemas.EarlierFact, turn *schemas.EarlierTurn) bool {
	if s.asked.shifts {
		return true
	}
	for _, k := range s.asked.names {
		if !slices.Contains(e.Subject, k) && !s.isAnsweredElsewhere(p, k) {
			return true
		}
	}
	var narrows []uint32
	switch {
	case s.asked.elliptic, s.asked.ends && (s.asked.amount && p.figure.Kind == figures.Money || s.asked.time && p.figure.Kind >= figures.Date):
		narrows = s.asked.words
	case s.asked.value, s.asked.ends && p.Form == formDecision:
		narrows = s.asked.narrows
	}
	for _, k := range narrows {
		if !slices.Contains(e.Subject, k) && !s.isAnsweredElsewhere(p, k) {
			return true
		}
	}
	named := slices.ContainsFunc(p.named, func(k uint32) bool { return slices.Contains(e.Subject, k) })
	for i := range s.earlier {
		t := &s.earlier[i]
		if t.Number <= turn.Number {
			continue
		}
		if t.Shifts || !named && slices.ContainsFunc(t.Asked, func(k uint32) bool { return !slices.Contains(turn.Words, k) }) {
			return true
		}
	}
	return false
}

// isAnsweredElsewhere reports a word of the question in another part of the answer than the fact.
func (s *scratch) isAnsweredElsewhere(p *fact, k uint32) bool {
	return slices.Contains(s.answer.words, k) && !slices.Contains(p.Subject, k)
}

// isExplained reports whether the value is one that the user, a source, a tool or another earlier answer gave, that follows from
// such values, or whether the answer has the earlier value, too.
func (s *scratch) isExplained(p *fact, e *schemas.EarlierFact) bool {
	value := uint32(p.Value)
	if p.Form != formDecision {
		if slices.Contains(s.asked.words, value) || slices.ContainsFunc(s.earlier, func(t schemas.EarlierTurn) bool { return slices.Contains(t.Words, value) }) {
			return true
		}
		if slices.Contains(s.answer.words, uint32(e.Value)) {
			return true
		}
	}
	in := s.doc.Interaction()
	if s.doc.SourcesTruncated() {
		return true
	}
	for _, source := range s.doc.Texts().Sources {
		if s.text.p = source; s.holds(p) {
			return true
		}
	}
	for i := range in.Calls {
		c := &in.Calls[i]
		if s.has(c.Result, p) || s.has(c.Arguments, p) || s.has(c.Error, p) {
			return true
		}
	}
	return slices.ContainsFunc(in.Messages, func(m schemas.Message) bool { return m.Role != "assistant" && s.has(m.Content, p) }) ||
		p.Form < formName && s.isDerived(p, e)
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
	r.read()
	if p.Form != formDecision {
		return slices.Contains(r.words, uint32(p.Value))
	}
	return slices.ContainsFunc(r.facts, func(f fact) bool {
		return f.Form == p.Form && f.Value == p.Value && shared(f.Subject, p.Subject) >= minShared
	})
}

// isDerived reports a value that follows from the earlier one and another figure of the answer or the question.
func (s *scratch) isDerived(p *fact, e *schemas.EarlierFact) bool {
	f := s.figureOf(e)
	if f == nil || p.figure.Kind > figures.Money {
		return false
	}
	old, a := *f, p.figure.Value
	s.text.prepare(s.doc, s.doc.Interaction().UserQuestion())
	for _, list := range [...][]figures.Figure{s.answer.p.Figures, s.text.figures} {
		for i := range list {
			g := &list[i]
			if g.Start == p.start && g.End == p.end || g.Kind > figures.Ordinal || g.Value == 0 {
				continue
			}
			for _, b := range [...]float64{old.Value * g.Value, old.Value / g.Value, old.Value + g.Value, old.Value - g.Value, old.Value * (1 - g.Value/100), old.Value * (1 + g.Value/100)} {
				if figurematch.SameNumber(a, b) {
					return true
				}
			}
		}
	}
	return false
}
