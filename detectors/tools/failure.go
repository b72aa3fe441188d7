package tools

import (
	"bytes"
	"strings"

	"confab/internal/text"
	"confab/internal/text/jsonscan"
	"confab/schemas"
)

func hiddenError() Rule {
	return Rule{
		ID:     "error_hidden",
		Doc:    "a call that failed in all or in part and was not repeated with success, where the answer admits no failure",
		Weight: .8,
		Check:  checkErrors,
		Examples: []Example{
			{Calls: []schemas.ToolCall{{Name: "cancel_order", Result: `{"error": "already_shipped"}`}}, Answer: "Your order is cancelled.", Fires: `{"error": "already_shipped"}`},
			{Calls: []schemas.ToolCall{{Name: "set_alarm", Result: `{"ok": true, "failed": ["attic"]}`}}, Answer: "The alarm is on everywhere.", Fires: `{"ok": true, "failed": ["attic"]}`},
			{Calls: []schemas.ToolCall{{Name: "cancel_order", Result: `{"error": "already_shipped"}`}}, Answer: "Your order has left the warehouse, so I couldn't cancel it."},
			{Calls: []schemas.ToolCall{{Name: "pay", Error: "timeout"}, {Name: "pay", Result: `{"status": "paid"}`}}, Answer: "The invoice is paid."},
		},
	}
}

//nolint:gochecknoglobals // read-only tables
var (
	// failures are words with which an answer may admit that something did not work.
	failures = text.HashSet(`not no cannot unable fail fails failed failing failure error errors sorry unfortunately afraid however except problem issue trouble
declined rejected refused denied unavailable unreachable offline timeout timed taken bounced missing need needs forbidden impossible instead unsuccessful
nothing none neither nicht kein keine keinen leider fehlgeschlagen fehler abgelehnt allerdings jedoch gescheitert verweigert pas echoue echec erreur malheureusement
refuse desole impossible rien fallado fallo lamentablemente rechazado imposible nada non errore purtroppo fallito rifiutato impossibile nulla`)
	everyWord = text.HashSet(`all both every each everything alle beide beiden alles tous toutes tout todos todas todo ambos ambas tutti tutte tutto entrambi entrambe`)
)

// failureOf is the text of a call that failed in all or in part, "" if it did not.
func failureOf(c *schemas.ToolCall) string {
	if c.Error != "" {
		return c.Error
	}
	failed := false
	eachLeaf(c.Result, func(v *leaf) bool {
		failed = v.depth <= 2 && isFailure(v)
		return !failed
	})
	if failed || isErrorText(c.Result) {
		return c.Result
	}
	return ""
}

// isFailure reports a field that says that a call failed.
func isFailure(v *leaf) bool {
	is := func(words ...string) bool {
		for _, w := range words {
			if strings.EqualFold(v.text, w) {
				return true
			}
		}
		return false
	}
	empty := v.list && v.n == 0 || !v.list && is("", "null", "false", "0", "none")
	switch strings.ToLower(v.key) {
	case "error", "errors", "failed", "failures", "rejected", "not_found", "conflict":
		return !empty
	case "ok", "success", "succeeded", "healthy":
		return is("false")
	case "status", "state", "result", "outcome":
		return is("failed", "failure", "error", "rejected", "denied", "declined", "refused", "forbidden", "unauthorized", "timeout", "timed_out")
	}
	return false
}

// isErrorText reports a text that begins or ends as messages of errors do, or counts failures.
func isErrorText(s string) bool {
	s, _ = text.Cut(strings.TrimSpace(s), maxText)
	for _, prefix := range []string{"error", "fatal", "traceback", "exception", "failed"} {
		if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) && !isLetter(s[len(prefix)]) {
			return true
		}
	}
	if i := strings.Index(s, " failed"); i > 0 && isDigit(s[i-1]) && (s[i-1] != '0' || i > 1 && isDigit(s[i-2])) {
		return true
	}
	return strings.Contains(s, "FAIL") || strings.Contains(s, "exit status 1") || strings.Contains(s, "exit code 1")
}

func checkErrors(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		if t.failed[i] == "" || t.reads[i] {
			continue
		}
		retried, went := t.later(i)
		if retried || went && !t.covers(c) || t.admits(c, t.failed[i]) {
			continue
		}
		v := verdict{rule: t.rule, start: schemas.NoPlace, end: schemas.NoPlace, note: t.failed[i], call: c.ID}
		if len(t.claims) > 0 {
			v.start, v.end = t.claims[0].start, t.claims[0].end
		}
		t.found = append(t.found, v)
	}
}

// later reports whether the failed call was repeated with success, and whether another call that acts succeeded after it.
func (t *turn) later(i int) (retried, went bool) {
	c := &t.calls[i]
	for j := i + 1; j < len(t.calls); j++ {
		if d := &t.calls[j]; t.failed[j] == "" && !t.reads[j] {
			retried = retried || d.Name == c.Name && target(c) == target(d)
			went = true
		}
	}
	return retried, went
}

// target is the first argument of a call: mostly what it is about.
func target(c *schemas.ToolCall) (first string) {
	eachLeaf(c.Arguments, func(v *leaf) bool { first = v.text; return false })
	return first
}

// covers reports an answer that names what the call is about, or speaks of all.
func (t *turn) covers(c *schemas.ToolCall) bool {
	for i := range t.doc.Tokens() {
		if everyWord.Has(t.doc.Tokens()[i].Hash) {
			return true
		}
	}
	name := target(c)
	return name != "" && strings.Contains(strings.ToLower(t.answer), strings.ToLower(name))
}

// admits reports an answer that asks, has a word of failure, or a word of the message of the error.
func (t *turn) admits(c *schemas.ToolCall, message string) bool {
	if strings.Contains(t.answer, "?") {
		return true
	}
	t.known = append(t.known[:0], ' ')
	if jsonscan.Begins(message) {
		eachLeaf(message, func(v *leaf) bool { t.known = t.fold(t.known, v.text); return true })
	} else {
		t.known = t.fold(t.known, message)
	}
	t.folded = t.fold(t.fold(append(t.folded[:0], t.said...), c.Name), c.Arguments)
	var word []byte
	tokens := t.doc.Tokens()
	for i := range tokens {
		w := tokens[i].In(t.answer)
		if failures.Has(tokens[i].Hash) || hasNot(w) && !strings.EqualFold(w, "won't") {
			return true
		}
		if _, done := actions.forms[tokens[i].Hash]; done || len(w) < 4 {
			continue
		}
		word = append(text.AppendLetters(append(word[:0], ' '), w), ' ')
		if bytes.Contains(t.known, word) && !bytes.Contains(t.folded, word) {
			return true
		}
	}
	return false
}

// hasNot reports "don't" and the like.
func hasNot(w string) bool {
	return len(w) > 3 && (strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t"))
}
