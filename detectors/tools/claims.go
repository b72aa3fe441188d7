package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

func checkClaims(t *turn) {
	isUnrecorded := len(t.in.Calls) == 0 && slices.ContainsFunc(t.in.Messages, func(m schemas.Message) bool { return isResult(&m) })
	for i := range t.claims {
		c := &t.claims[i]
		if !t.doc.Work().Spend((len(t.known) + len(t.answer)) / bytesCompared) {
			return
		} else if isUnrecorded || t.isReport(c) || t.isTaken(c) {
			continue
		}
		if !t.isSupported(c) {
			t.accuseWords(c.start, c.end, t.answer[c.start:c.end], "")
		}
	}
}

// claim is an action that the answer says is done.
type claim struct {
	*family
	start, end int          // bytes of the answer
	tokens     []text.Token // of its sentence
	word       uint64       // the participle
	own        bool         // the assistant says that it did it
	now        bool         // the sentence says that it is just done
}

// readClaims finds the claims of the answer. Where the user wants a text written, what follows the first sentence is that text.
func (t *turn) readClaims() {
	t.asks = strings.Contains(t.in.UserQuestion(), "?")
	drafts := hasAny(t.tokens(t.in.UserQuestion()), "writing")
	all := t.doc.Tokens()
	quoted := quotation.FindAllStringIndex(t.doc.Answer(), -1)
	for i, s := range t.doc.Sentences() {
		r := t.doc.SentenceTokens(i)
		tokens := all[r.First:r.Last]
		isDraft := drafts && (i > 0 || hasAny(tokens, "greeting"))
		if isDraft || hasAny(tokens, "habit") || strings.HasSuffix(strings.TrimSpace(s.In(t.answer)), "?") {
			continue
		}
		t.readSentence(tokens, quoted)
	}
}

// readSentence finds the claims of a sentence outside of quotations and code.
func (t *turn) readSentence(tokens []text.Token, quoted [][]int) {
	prose := t.doc.Prose()
	for k := range tokens {
		at := int(tokens[k].Start)
		isQuoted := func(q []int) bool { return q[0] <= at && at < q[1] }
		f, ok := forms[tokens[k].Hash]
		ok = ok && (!f.accented || !isASCII(tokens[k].In(t.answer)))
		if ok && prose[at] != ' ' && t.doc.Work().Spend(len(tokens)+len(quoted)) && !slices.ContainsFunc(quoted, isQuoted) {
			t.readClaim(tokens, k, f)
		}
	}
}

// readClaim reads the words around a participle.
func (t *turn) readClaim(tokens []text.Token, k int, f form) {
	at, ok := t.subject(tokens, k, f.language)
	if !ok || !t.isStatement(tokens, k, f.language) || t.isNegated(tokens, max(at, 0), -1) {
		return
	}
	c := claim{family: f.family, tokens: tokens, word: tokens[k].Hash, start: int(tokens[k].Start), end: int(tokens[k].End), own: true, now: hasAny(tokens, "now")}
	if at >= 0 {
		c.start, c.own = int(tokens[at].Start), hasAny(tokens[at:at+1], f.language+" own")
	}
	t.writes = t.writes || c.own && c.isLoose() && textFollows.MatchString(t.answer[tokens[len(tokens)-1].End:])
	if t.counts(&c, at, k, f.language) {
		t.claims = append(t.claims, c)
	}
}

// counts reports a claim that is no mere description, with its verb at i.
func (t *turn) counts(c *claim, i, k int, language string) bool {
	if kind := c.support[0]; kind == "+" || kind == "#" {
		return c.own && (kind == "+" || noteLeft.MatchString(t.answer[c.start:c.tokens[len(c.tokens)-1].End]))
	}
	return c.own || c.now || i < 0 || !t.isGeneral(c.tokens, i, k, language)
}

// isStatement reports a participle without a condition before it, and with nothing around it that makes something else of it.
func (t *turn) isStatement(tokens []text.Token, k int, language string) bool {
	isByOther := k+1 < len(tokens) && tokens[k+1].In(t.answer) == "by"
	return !isByOther && !hasAny(tokens[max(0, k-1):k], language+" before") && !t.isNegated(tokens, k, 1) && !slices.ContainsFunc(tokens[:k], func(w text.Token) bool { // "sì" is no condition
		s := w.In(t.answer)
		return lists[language+" condition"].Has(w.Hash) && (len(s) < 3 || s[1] < 0x80)
	})
}

// isGeneral reports a participle that describes: behind a mark ("It is £20 a month, paid by card"), or in a sentence on what is always
// so: "The tax is paid once the invoice is there", "The rent is paid per month". The word at i is the verb.
func (t *turn) isGeneral(tokens []text.Token, i, k int, language string) bool {
	_, isForm := forms[tokens[k-1].Hash]
	isAside, end := i < k-1 && !isForm && t.endsClause(tokens, k-1), k+1
	for end < len(tokens) && (!t.endsClause(tokens, end-1) || language == "de" && hasAny(tokens[end:end+1], "de once")) {
		end++
	}
	return isAside || t.isOfMany(tokens, i) && end > k+2 || !hasAny(tokens[:k], "past") && (hasAny(tokens[k+1:end], language+" once") || hasAny(tokens[i:min(end, k+4)], language+" general"))
}

// isOfMany reports a subject that is a kind of things: "Cards are blocked after three errors".
func (t *turn) isOfMany(tokens []text.Token, verb int) bool {
	return (verb == 1 || verb == 2) && tokens[verb].In(t.answer) == "are" && !hasAny(tokens[:verb], "single")
}

// subject is the word before the participle that decides that the assistant did it, or that it is done; -1 if the sentence begins
// with the participle.
func (t *turn) subject(tokens []text.Token, k int, language string) (at int, ok bool) {
	const most = 14 // words between them
	for i := k - 1; i >= max(0, k-most); i-- {
		w, s := tokens[i:i+1], tokens[i].In(t.answer)
		switch {
		case i < k-1 && t.endsClause(tokens, i), hasNot(s), hasAny(w, language+" opposed"), strings.HasPrefix(s, "wür"): // lists have "wurde", which is the same to them
			return -1, false
		case hasAny(w, language+" own"), hasAny(w, language+" state") && !strings.EqualFold(s, "e"): // no "è"
			return i, true
		}
	}
	return -1, k == 0 && !t.describes(tokens, language)
}

// describes reports a participle that begins a sentence as part of its subject, "Frozen goods aren't carried", or asks:
// "Reset your password".
func (t *turn) describes(tokens []text.Token, language string) bool {
	const longest = 5                                                                          // words of a subject
	if hasAny(tokens[:1], "imperative") || language != "en" && hasAny(tokens[1:], "english") { // "create" is a participle in Italian
		return true
	}
	for i := 1; i < min(len(tokens), longest); i++ {
		if w := tokens[i : i+1]; hasAny(w, language+" before") || t.endsClause(tokens, i-1) {
			return false
		} else if hasNot(w[0].In(t.answer)) || hasAny(w, language+" state") || hasAny(w, language+" opposed") {
			return true
		}
	}
	return false
}

// isNegated reports a negation in the same clause, on that side of a word: "nothing was sent", "Reserviert habe ich noch nichts".
func (t *turn) isNegated(tokens []text.Token, k, step int) bool {
	for i := k + step; i >= 0 && i < len(tokens) && !t.endsClause(tokens, min(i, i-step)); i += step {
		if hasAny(tokens[i:i+1], "negation") || hasNot(tokens[i].In(t.answer)) {
			return true
		}
	}
	return false
}

// endsClause reports a mark after the word.
func (t *turn) endsClause(tokens []text.Token, i int) bool {
	return clauseEnd.MatchString(strings.ReplaceAll(text.Between(t.answer, tokens[i].End, tokens[i+1].Start), "()", ""))
}

// isReport reports what is done in general or by others: in the answer of a question, or in one that doubts, for which nothing was
// changed. An answer that says "I've added a column:" speaks of what it writes.
func (t *turn) isReport(c *claim) bool {
	return !t.acts && (!c.own && !c.now && (t.asks || strings.Contains(t.answer, "?") || t.tellsFailure()) || t.writes && c.own && c.isLoose())
}

// isSupported reports a claim with a call that does such a thing, or a text that says that it is done. Of what the assistant says
// that it did itself, only calls that change something and earlier answers are support; a call whose name tells no action may be any.
func (t *turn) isSupported(c *claim) bool {
	states := func(s string) bool {
		tokens := t.tokens(s)
		for k := range tokens { // not "can be changed"
			if (tokens[k].Hash == c.word || forms[tokens[k].Hash].family == c.family) && !hasAny(tokens[max(0, k-1):min(k+2, len(tokens))], "infinitive") {
				return true
			}
		}
		return false
	}
	isStated := slices.ContainsFunc(t.all, c.isDoneBy) || slices.ContainsFunc(t.calls, c.mayBe)
	t.eachText(func(s string) { isStated = isStated || !c.own && states(s) })
	isStated = isStated || !c.own && slices.ContainsFunc(t.calls, func(d call) bool { return states(d.Error) })
	return isStated || slices.ContainsFunc(t.in.Messages, func(m schemas.Message) bool { return strings.EqualFold(m.Role, "assistant") && states(m.Content) })
}

// isDoneBy reports a call that does such a thing, or whose arguments or result say so.
func (c *claim) isDoneBy(d call) bool {
	switch {
	case d.looks && c.own && !slices.Contains(c.support, "get"):
		return false
	case !d.looks && c.isLoose(), c.isNamed(d.Name) && !strings.Contains(strings.ToLower(d.Name), "draft"):
		return true
	}
	return slices.ContainsFunc(d.args, c.isSaidBy) || (!c.own || !d.looks) && slices.ContainsFunc(d.result, c.isSaidBy) || contains(d.Result, c.done)
}

// mayBe reports a call that succeeded, whose name tells no action that is known, and whose result has a state, a reference or one value
// alone, for what the assistant did.
func (c *claim) mayBe(d call) bool {
	tells := func(l leaf) bool {
		return stateField.MatchString(l.key) || okField.MatchString(l.key) || isReference.MatchString(l.key)
	}
	return c.own && !d.looks && d.failed == "" && (len(d.result) == 0 || slices.ContainsFunc(d.result, tells) || slices.ContainsFunc(d.result, func(l leaf) bool { return l.quoted && len(d.result) <= 2 })) && !actPart.MatchString(wordStart.ReplaceAllString(d.Name, "_$0"))
}

// isTaken reports a claim that a table or seat is booked, not that of the user, where a result says that there is none.
func (t *turn) isTaken(c *claim) bool {
	isNone := func(l leaf) bool { return l.kind == '[' && l.n == 0 || l.kind == 0 && takenText.MatchString(l.text) }
	return !c.own && c.isNamed("book") && !hasAny(c.tokens, "yours") && slices.ContainsFunc(t.calls, func(d call) bool { return slices.ContainsFunc(d.result, isNone) })
}

// isLoose reports an action that a tool of any name may do.
func (f *family) isLoose() bool { return f.support[0] == "*" || f.support[0] == "+" }

// contains reports a text with one of the parts.
func contains(s string, parts []string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// isNamed reports a name of a tool that has a part of the support.
func (f *family) isNamed(name string) bool { return contains(name, f.support) }

// isSaidBy reports a member whose name, or text of one word, supports: {"status": "closed"}.
func (f *family) isSaidBy(v leaf) bool {
	return !idName.MatchString(v.key) && f.isNamed(v.key) || v.quoted && !strings.Contains(v.text, " ") && (f.isNamed(v.text) || forms[text.Hash(v.text)].family == f)
}
