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
				if c := &t.claims[i]; !t.isReport(c) && !t.isSupported(c) {
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
	now        bool // the sentence says that it is just done
}

// readClaims finds the claims of the answer. Where the user wants a text written, what follows the first sentence is that text.
func (t *turn) readClaims() {
	t.claims = t.claims[:0]
	all, prose := t.doc.Tokens(), t.doc.Prose()
	question := t.in.UserQuestion()
	t.asks = strings.Contains(question, "?")
	t.tokens = t.doc.Tokenizer().Append(t.tokens[:0], question[:min(len(question), maxQuestion)])
	drafts := hasAny(t.tokens, writing)
	quoted, end := false, 0
	for i, s := range t.doc.Sentences() {
		r := t.doc.SentenceTokens(i)
		tokens := all[r.First:r.Last]
		isOther := strings.HasSuffix(strings.TrimSpace(t.answer[s.Start:s.End]), "?") || hasAny(tokens, habits) || drafts && (i > 0 || hasAny(tokens, greetings))
		for k := range tokens {
			w := &tokens[k]
			quoted = quotes(quoted, t.answer[end:w.Start])
			end = int(w.End)
			f, ok := actions.forms[w.Hash]
			if !ok || quoted || isOther || prose[w.Start] == ' ' || t.isBlockQuote(int(w.Start)) {
				continue
			}
			if c, ok := t.readClaim(tokens, k, f); ok {
				c.now = hasAny(tokens, justNow)
				t.claims = append(t.claims, c)
			}
		}
	}
}

const maxQuestion = 400 // bytes of a question that show what the user wants

func hasAny(tokens []text.Token, set text.WordSet) bool {
	return slices.ContainsFunc(tokens, func(w text.Token) bool { return set.Has(w.Hash) })
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

// isBlockQuote reports a place in a line that Markdown quotes.
func (t *turn) isBlockQuote(at int) bool {
	line := t.doc.Answer()[strings.LastIndexByte(t.doc.Answer()[:at], '\n')+1 : at]
	return strings.HasPrefix(strings.TrimSpace(line), ">")
}

const claimReach = 14 // words between the subject and the participle

// readClaim reads the words around a participle.
func (t *turn) readClaim(tokens []text.Token, k int, f form) (c claim, ok bool) {
	g := &grammars[f.language]
	c = claim{start: int(tokens[k].Start), end: int(tokens[k].End), family: f.family}
	if k > 0 && g.before.Has(tokens[k-1].Hash) || t.byOther(tokens, k, f.language) || t.isNegated(tokens, k, 1) {
		return c, false
	}
	at, ok := t.subject(tokens, k, f.language)
	if !ok || slices.ContainsFunc(tokens[:k], func(w text.Token) bool { return g.conditions.Has(w.Hash) && !isAccented(w.In(t.answer)) }) {
		return c, false
	}
	if c.own = at < 0 || g.own.Has(tokens[at].Hash); at >= 0 {
		c.start = int(tokens[at].Start)
		if t.isNegated(tokens, at, -1) || at == 0 && f.language <= german && !c.own && tokens[at].End-tokens[at].Start < 5 {
			return c, false // "Was it sent ..."
		}
	}
	return c, !actions.families[f.family].own || c.own && at >= 0
}

// subject is the word before the participle that decides: the assistant did it, or it is done; -1 if the sentence begins with
// the participle.
func (t *turn) subject(tokens []text.Token, k int, l language) (at int, ok bool) {
	g := &grammars[l]
	for i := k - 1; i >= 0 && k-i <= claimReach; i-- {
		w, h := tokens[i].In(t.answer), tokens[i].Hash
		switch {
		case isClauseEnd(t.answer[tokens[i].End:tokens[i+1].Start]) && i != k-1 && (i != k-2 || !joins.Has(tokens[k-1].Hash)):
			return -1, false
		case hasNot(w) || g.opposed.Has(h) || l == german && strings.HasPrefix(w, "wür"):
			return -1, false
		case g.own.Has(h) || g.state.Has(h) && w != "e" && w != "E": // no "è"
			return i, true
		}
	}
	return -1, k == 0 || k == 1 && fillers.Has(tokens[0].Hash)
}

// isNegated reports a negation in the same clause, on that side of a word: "nothing was sent", "Reserviert habe ich noch nichts".
func (t *turn) isNegated(tokens []text.Token, k, step int) bool {
	for i := k; i+step >= 0 && i+step < len(tokens); i += step {
		left := min(i, i+step)
		if isClauseEnd(t.answer[tokens[left].End:tokens[left+1].Start]) {
			return false
		}
		if negations.Has(tokens[i+step].Hash) || step < 0 && hasNot(tokens[i+step].In(t.answer)) {
			return true
		}
	}
	return false
}

// isAccented reports "sì" and "sí", which are no conditions.
func isAccented(w string) bool { return len(w) > 2 && w[1] >= 0x80 }

// isClauseEnd reports a gap between words at which a clause may end.
func isClauseEnd(gap string) bool { return strings.ContainsAny(gap, ",;:()–—\n") }

//nolint:gochecknoglobals // read-only tables
var (
	fillers = text.HashSet("done ok okay great all now already just listo hecho fertig fatto voila perfecto")
	joins   = text.HashSet("and und et y e")
	// negations turn what is done into what is not.
	negations = text.HashSet(`not no never nothing none nobody neither nor nicht nichts kein keine keinen keiner nie niemand pas ne rien jamais aucun aucune
n'ai n'a n'est n'ont nada nunca ni non nulla niente mai`)
	habits = text.HashSet(`automatically usually always normally typically generally often immer normalerweise automatisch üblicherweise stets toujours généralement
automatiquement normalement siempre normalmente automáticamente generalmente sempre solito automaticamente`)
	writing = text.HashSet(`write draft compose rephrase summarise summarize translate formulate schreib schreibe formuliere entwirf verfasse rédige écris reformule traduis escribe
redacta traduce scrivi traduci`)
	greetings = text.HashSet("dear hi hello hallo liebe lieber bonjour cher chère hola estimado estimada querido ciao gentile caro cara")
	justNow   = text.HashSet("now just hereby soeben gerade hiermit jetzt maintenant ahora acabo adesso appena ora")
	means     = text.HashSet("me us mail e email message text sms phone post card invoice paypal default mistake")
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

// isReport reports what is done in general or by others: where nothing was called for the answer of a question, or where the answer
// reports what a tool found out.
func (t *turn) isReport(c *claim) bool {
	if c.own || c.now {
		return false
	}
	acts := slices.Contains(t.reads, false)
	return t.asks && !acts || !acts && hasAny(t.doc.Tokens(), failures)
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
		eachLeaf(result, func(v *leaf) bool {
			found = !isID(v.key) && f.isNamed(v.key) || v.quoted && !strings.Contains(v.text, " ") && f.isNamed(v.text)
			return !found
		})
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
