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
		if c := &t.claims[i]; !isUnrecorded && !t.isReport(c) && !t.isSupported(c) {
			t.accuseWords(c.start, c.end, "")
		}
	}
}

// claim is an action that the answer says is done.
type claim struct {
	start, end int // bytes of the answer
	family     int
	own        bool // the assistant says that it did it
	now        bool // the sentence says that it is just done
}

const maxQuestion = 400 // bytes of a question that show what the user wants

// readClaims finds the claims of the answer. Where the user wants a text written, what follows the first sentence is that text.
func (t *turn) readClaims() {
	question, _ := text.Cut(t.in.UserQuestion(), maxQuestion)
	t.asks = strings.Contains(question, "?")
	drafts := hasAny(t.tokens(question), "writing")
	all, prose := t.doc.Tokens(), t.doc.Prose()
	quoted, end := false, 0
	for i, s := range t.doc.Sentences() {
		r := t.doc.SentenceTokens(i)
		tokens := all[r.First:r.Last]
		isOther := strings.HasSuffix(strings.TrimSpace(s.In(t.answer)), "?") || hasAny(tokens, "habit") || drafts && (i > 0 || hasAny(tokens, "greeting"))
		for k := range tokens {
			w := &tokens[k]
			quoted = quotes(quoted, t.answer[end:w.Start])
			end = int(w.End)
			if f, ok := forms[w.Hash]; ok && !quoted && !isOther && prose[w.Start] != ' ' && !t.isBlockQuote(end) {
				t.readClaim(tokens, k, f)
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

// isBlockQuote reports a place in a line that Markdown quotes.
func (t *turn) isBlockQuote(at int) bool {
	before := t.doc.Answer()[:at]
	return strings.HasPrefix(strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]), ">")
}

// readClaim reads the words around a participle.
func (t *turn) readClaim(tokens []text.Token, k int, f form) {
	at, ok := t.subject(tokens, k, f.language)
	if !ok || k > 0 && lists[f.language+" before"].Has(tokens[k-1].Hash) || t.byOther(tokens, k, f.language) || t.isNegated(tokens, k, 1) ||
		slices.ContainsFunc(tokens[:k], func(w text.Token) bool {
			return lists[f.language+" condition"].Has(w.Hash) && !isAccented(w.In(t.answer))
		}) {
		return
	}
	c := claim{start: int(tokens[k].Start), end: int(tokens[k].End), family: f.family, own: at < 0 || lists[f.language+" own"].Has(tokens[at].Hash), now: hasAny(tokens, "now")}
	if at >= 0 {
		c.start = int(tokens[at].Start)
		if isInverted := at == 0 && (f.language == "en" || f.language == "de") && !c.own && strings.IndexByte(tokens[at].In(t.answer), '\'') < 0; isInverted || t.isNegated(tokens, at, -1) {
			return // "Was it sent ..."
		}
	}
	if !families[f.family].own || c.own && at >= 0 {
		t.claims = append(t.claims, c)
	}
}

const claimReach = 14 // words between the subject and the participle

// subject is the word before the participle that decides that the assistant did it, or that it is done; -1 if the sentence begins
// with the participle.
func (t *turn) subject(tokens []text.Token, k int, l string) (at int, ok bool) {
	for i := k - 1; i >= 0 && k-i <= claimReach; i-- {
		w, h := tokens[i].In(t.answer), tokens[i].Hash
		isJoined := i == k-1 || i == k-2 && lists["join"].Has(tokens[k-1].Hash)
		switch {
		case isClauseEnd(t.answer[tokens[i].End:tokens[i+1].Start]) && !isJoined, hasNot(w), lists[l+" opposed"].Has(h), l == "de" && strings.HasPrefix(w, "wür"):
			return -1, false
		case lists[l+" own"].Has(h) || lists[l+" state"].Has(h) && !strings.EqualFold(w, "e"): // no "è"
			return i, true
		}
	}
	return -1, k == 0 || k == 1 && lists["filler"].Has(tokens[0].Hash)
}

// isNegated reports a negation in the same clause, on that side of a word: "nothing was sent", "Reserviert habe ich noch nichts".
func (t *turn) isNegated(tokens []text.Token, k, step int) bool {
	for i := k; i+step >= 0 && i+step < len(tokens); i += step {
		left, w := min(i, i+step), &tokens[i+step]
		if isClauseEnd(t.answer[tokens[left].End:tokens[left+1].Start]) {
			return false
		}
		if lists["negation"].Has(w.Hash) || step < 0 && hasNot(w.In(t.answer)) {
			return true
		}
	}
	return false
}

// byOther reports "cancelled by the airline".
func (t *turn) byOther(tokens []text.Token, k int, l string) bool {
	return l == "en" && k+2 < len(tokens) && strings.EqualFold(tokens[k+1].In(t.answer), "by") && !lists["means"].Has(tokens[k+2].Hash) &&
		!isDigit(t.answer[tokens[k+2].Start])
}

// isAccented reports "sì" and "sí", which are no conditions.
func isAccented(w string) bool { return len(w) > 2 && w[1] >= 0x80 }

// isClauseEnd reports a gap between words at which a clause may end.
func isClauseEnd(gap string) bool { return strings.ContainsAny(gap, ",;:()–—\n") }

// isReport reports what is done in general or by others: in the answer of a question, or in one that doubts, for which nothing was
// changed.
func (t *turn) isReport(c *claim) bool {
	return !c.own && !c.now && !t.acts && (t.asks || t.doubts())
}

// isSupported reports a claim with a call that does such a thing, or a text that says that it is done. Of what the assistant says
// that it did itself, only calls that change something and earlier answers are support.
func (t *turn) isSupported(c *claim) bool {
	f := &families[c.family]
	for i := range t.all {
		d := &t.all[i]
		if d.looks && c.own && !f.lookup {
			continue
		}
		isTool := f.isNamed(d.Name) && !strings.Contains(strings.ToLower(d.Name), "draft")
		if f.any && !d.looks || isTool || slices.ContainsFunc(d.args, f.isSaidBy) || f.isDone(d, c.own) {
			return true
		}
	}
	isStated := false
	t.eachText(func(s string) { isStated = isStated || !c.own && t.states(s, c.family) })
	return isStated || slices.ContainsFunc(t.in.Messages, func(m schemas.Message) bool {
		return strings.EqualFold(m.Role, "assistant") && t.states(m.Content, c.family)
	})
}

// isNamed reports a name of a tool that has a part of the support.
func (f *family) isNamed(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(f.support, func(s string) bool { return strings.Contains(name, s) })
}

// isSaidBy reports a member whose name, or text of one word, supports: {"status": "closed"}.
func (f *family) isSaidBy(v leaf) bool {
	const maxWord = 24
	isID := strings.HasSuffix(v.key, "_id") || strings.HasSuffix(v.key, "Id") || strings.HasSuffix(v.key, "ID")
	return !isID && f.isNamed(v.key) || v.quoted && len(v.text) < maxWord && !strings.Contains(v.text, " ") && f.isNamed(v.text)
}

// isDone reports a result that says in a word that it is done, or unless the assistant says that it did it itself, in a member.
func (f *family) isDone(d *call, own bool) bool {
	if !own && slices.ContainsFunc(d.result, f.isSaidBy) {
		return true
	}
	result, _ := text.Cut(d.Result, maxText)
	result = strings.ToLower(result)
	return slices.ContainsFunc(f.done, func(w string) bool { return strings.Contains(result, w) })
}

// states reports a text with a participle of the family.
func (t *turn) states(s string, family int) bool {
	return slices.ContainsFunc(t.tokens(s), func(w text.Token) bool {
		f, ok := forms[w.Hash]
		return ok && f.family == family
	})
}
