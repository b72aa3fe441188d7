package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
	"confab/internal/text/jsonscan"
	"confab/schemas"
)

func actionWithoutCall() Rule {
	return Rule{
		ID:     "action_without_call",
		Doc:    "an action that the answer says is done, without a call whose name or result supports it",
		Weight: .75,
		Check: func(t *turn) {
			if t.unrecorded() {
				return
			}
			for i := range t.claims {
				if c := &t.claims[i]; !t.isSupported(c) {
					t.accuseWords(c.start, c.end, "")
				}
			}
		},
		Examples: []Example{
			{
				User: "Which trains go to Ghent?", Tools: []schemas.Tool{{Name: "search_trains"}, {Name: "book_train"}},
				Calls: []schemas.ToolCall{{Name: "search_trains", Result: `[{"train": "IC 1513"}]`}}, Answer: "I've booked the IC 1513 for you.", Fires: "I've booked",
			},
			{
				User: "Geld zurück bitte", Calls: []schemas.ToolCall{{Name: "escalate", Result: `{"case": 7}`}},
				Answer: "Die 44 Euro wurden Ihnen soeben erstattet.", Fires: "wurden Ihnen soeben erstattet",
			},
			{User: "Which trains go to Ghent?", Tools: []schemas.Tool{{Name: "book_train"}}, Answer: "Only the IC 1513. I haven't booked it yet; it can be cancelled for free."},
			{User: "Ist mein Termin noch da?", Calls: []schemas.ToolCall{{Name: "get_appointment", Result: `{"status": "cancelled"}`}}, Answer: "Nein, er wurde abgesagt."},
		},
	}
}

// claim is an action that the answer says is done.
type claim struct {
	start, end int // bytes of the answer
	family     int16
	own        bool // the assistant says that it did it
}

// readClaims finds the claims of the answer.
func (t *turn) readClaims() {
	t.claims = t.claims[:0]
	all, prose := t.doc.Tokens(), t.doc.Prose()
	quoted, end := false, 0
	for i, s := range t.doc.Sentences() {
		r := t.doc.SentenceTokens(i)
		tokens := all[r.First:r.Last]
		isQuestion := strings.HasSuffix(strings.TrimSpace(t.answer[s.Start:s.End]), "?")
		for k := range tokens {
			w := &tokens[k]
			quoted = quotes(quoted, t.answer[end:w.Start])
			end = int(w.End)
			f, ok := actions.forms[w.Hash]
			if !ok || quoted || isQuestion || prose[w.Start] == ' ' {
				continue
			}
			if c, ok := t.readClaim(tokens, k, f); ok {
				t.claims = append(t.claims, c)
			}
		}
	}
}

// quotes reports whether a text after the gap is quoted.
func quotes(quoted bool, gap string) bool {
	for _, r := range gap {
		switch r {
		case '"':
			quoted = !quoted
		case '“', '„', '«':
			quoted = true
		case '”', '»', '\n':
			quoted = false
		}
	}
	return quoted
}

const claimReach = 14 // words between the subject and the participle

// readClaim reads the words before a participle. The nearest one that decides counts.
func (t *turn) readClaim(tokens []text.Token, k int, f form) (c claim, ok bool) {
	g := &grammars[f.language]
	c = claim{start: int(tokens[k].Start), end: int(tokens[k].End), family: f.family}
	if k > 0 && g.before.Has(tokens[k-1].Hash) || t.byOther(tokens, k, f.language) {
		return c, false
	}
	if t.isNegatedAfter(tokens, k) {
		return c, false
	}
	decided, negates := false, true // negates: a negation still belongs to the participle
	for i := k - 1; i >= 0; i-- {
		w := tokens[i].In(t.answer)
		h := tokens[i].Hash
		isBorder := isClauseEnd(t.answer[tokens[i].End:tokens[i+1].Start])
		switch {
		case g.if_.Has(h) && w != "Sì" && w != "sì":
			return c, false
		case decided:
			if negates = negates && !isBorder; negates && negations.Has(h) {
				return c, false
			}
			continue
		case isBorder && !isListed(tokens, i, k), k-i > claimReach:
			negates, decided = false, true
			c.own = false
			c.family = -1
			continue
		case hasNot(w) || g.opposed.Has(h) || f.language == german && strings.HasPrefix(w, "wür"):
			return c, false
		case g.own.Has(h) || g.state.Has(h) && (len(w) > 1 || w[0] != 'e'): // "e" is no "è"
			c.start, c.own, decided = int(tokens[i].Start), g.own.Has(h), true
		}
	}
	if !decided { // "Booked: ..."
		decided = k == 0 || k == 1 && fillers.Has(tokens[0].Hash)
		c.own = decided
	}
	return c, decided && c.family >= 0
}

// isNegatedAfter reports a negation behind the participle, in its clause: "Reserviert habe ich noch nichts".
func (t *turn) isNegatedAfter(tokens []text.Token, k int) bool {
	for ; k+1 < len(tokens) && !isClauseEnd(t.answer[tokens[k].End:tokens[k+1].Start]); k++ {
		if negations.Has(tokens[k+1].Hash) {
			return true
		}
	}
	return false
}

// isClauseEnd reports a gap between words at which a clause may end.
func isClauseEnd(gap string) bool { return strings.ContainsAny(gap, ",;:()–—\n") }

// isListed reports a participle right behind the border of its clause: one of a list that shares its subject.
func isListed(tokens []text.Token, border, k int) bool {
	return border == k-1 || border == k-2 && joins.Has(tokens[k-1].Hash)
}

//nolint:gochecknoglobals // read-only tables
var (
	fillers = text.HashSet("done ok okay great all now already just listo hecho fertig fatto voila perfecto")
	joins   = text.HashSet("and und et y e")
	// negations turn what is done into what is not.
	negations = text.HashSet(`not no never nothing none nobody neither nor nicht nichts kein keine keinen keiner nie niemand pas ne rien jamais aucun aucune
n'ai n'a n'est n'ont nada nunca ni non nulla niente mai`)
	means = text.HashSet("me us mail e email message text sms phone post card invoice paypal default mistake")
)

// byOther reports "cancelled by the airline".
func (t *turn) byOther(tokens []text.Token, k int, l language) bool {
	return l == english && k+2 < len(tokens) && strings.EqualFold(tokens[k+1].In(t.answer), "by") && !means.Has(tokens[k+2].Hash) &&
		!isDigit(t.answer[tokens[k+2].Start])
}

// unrecorded reports a record that has results of tools and no calls.
func (t *turn) unrecorded() bool {
	if len(t.in.Calls) > 0 {
		return false
	}
	for i := range t.in.Messages {
		if isTool(t.in.Messages[i].Role) {
			return true
		}
	}
	return false
}

// isSupported reports a claim with a call that does such a thing, or a text that says that it is done. Of what the assistant says
// that it did itself, only calls that change something and earlier answers are support.
func (t *turn) isSupported(c *claim) bool {
	f := &actions.families[c.family]
	for i := range t.in.Calls {
		call := &t.in.Calls[i]
		if isLookup(call.Name) && c.own && !f.lookup {
			continue
		}
		if f.any && !isLookup(call.Name) || f.isTool(call.Name) || f.isArgument(call.Arguments) || f.isDone(call.Result, c.own) {
			return true
		}
	}
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; !isTool(m.Role) && (!c.own || strings.EqualFold(m.Role, "assistant")) && t.states(m.Content, c.family) {
			return true
		}
	}
	return !c.own && t.sourced(c.family)
}

// isNamed reports a name of a tool that has a part of the support.
func (f *family) isNamed(name string) bool {
	name = strings.ToLower(name)
	for _, s := range f.support {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// isTool reports a tool that does such a thing; one for drafts does not.
func (f *family) isTool(name string) bool {
	return f.isNamed(name) && (f.any || !strings.Contains(strings.ToLower(name), "draft"))
}

// isArgument reports an argument of one word that supports, such as {"status": "closed"}, or the name of one.
func (f *family) isArgument(arguments string) (found bool) {
	eachLeaf(arguments, func(v *leaf) bool {
		found = !isID(v.key) && f.isNamed(v.key) || v.quoted && len(v.text) < 24 && !strings.Contains(v.text, " ") && f.isNamed(v.text)
		return !found
	})
	return found
}

// isID reports the name of a member that holds an identifier.
func isID(name string) bool {
	return strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// isDone reports a result that says that it is done: in a word, or unless the assistant did it itself, in the name of a field.
func (f *family) isDone(result string, own bool) (found bool) {
	result, _ = text.Cut(result, maxText)
	if jsonscan.Begins(result) && !own {
		eachLeaf(result, func(v *leaf) bool { found = !isID(v.key) && f.isNamed(v.key); return !found })
	}
	result = strings.ToLower(result)
	return found || slices.ContainsFunc(f.done, func(w string) bool { return strings.Contains(result, w) })
}

// states reports a text with a participle of the family.
func (t *turn) states(s string, family int16) bool {
	s, _ = text.Cut(s, maxText)
	t.tokens = t.doc.Tokenizer().Append(t.tokens[:0], s)
	t.doc.Work().Spend(len(s))
	for i := range t.tokens {
		if f, ok := actions.forms[t.tokens[i].Hash]; ok && f.family == family {
			return true
		}
	}
	return false
}

// sourced reports a source that says that such a thing is done.
func (t *turn) sourced(family int16) bool {
	for i := range t.in.Sources {
		if t.states(t.in.Sources[i].Text, family) {
			return true
		}
	}
	return false
}
