package tools

import (
	"strings"

	"confab/internal/text"
)

const maxMessage = 4 << 10 // bytes of a result that is searched for a message of an error

// failure is the text that says that the call failed in all or in part, "" if it did not.
func (c *call) failure() string {
	for i := range c.result {
		if v := &c.result[i]; v.depth <= 2 && !v.listed && v.isFailure() {
			return c.Result
		}
	}
	if message, _ := text.Cut(c.Result, maxMessage); c.Error == "" && len(c.result) == 0 && errorText.MatchString(message) {
		return c.Result
	}
	return c.Error
}

// isFailure reports a field that says that a call failed.
func (v *leaf) isFailure() bool {
	isEmpty := v.kind != 0 && v.n == 0 || v.kind == 0 && noValue.MatchString(v.text)
	return !isEmpty && failField.MatchString(v.key) || v.text == "false" && okField.MatchString(v.key) || v.quoted && stateField.MatchString(v.key) && failState.MatchString(v.text)
}

func checkErrors(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		if c.failed == "" || c.looks {
			continue
		}
		retried, went := c.laterThan(t.calls[i+1:])
		if retried || went && !t.covers(c) || t.admits(c) {
			continue
		}
		if t.accuse(c, c.failed); len(t.claims) > 0 {
			v := &t.found[len(t.found)-1]
			v.start, v.end = t.claims[0].start, t.claims[0].end
		}
	}
}

// laterThan reports whether the failed call was repeated with success, and whether another call that acts succeeded after it.
func (c *call) laterThan(later []call) (retried, went bool) {
	for i := range later {
		if d := &later[i]; d.failed == "" && !d.looks {
			retried = retried || d.Name == c.Name && d.target() == c.target()
			went = true
		}
	}
	return retried, went
}

// target is the first argument: mostly what the call is about.
func (c *call) target() string {
	first, _, _ := strings.Cut(c.Arguments, ",")
	_, value, _ := strings.Cut(first, ":")
	return strings.ToLower(strings.Trim(value, ` "}`))
}

// covers reports an answer that names what the call is about, or speaks of all.
func (t *turn) covers(c *call) bool {
	return hasAny(t.doc.Tokens(), "every") || c.target() != "" && strings.Contains(strings.ToLower(t.answer), c.target())
}

// doubts reports an answer that asks, or has a word of failure.
func (t *turn) doubts() bool {
	if strings.Contains(t.answer, "?") || hasAny(t.doc.Tokens(), "failure") {
		return true
	}
	for _, w := range t.doc.Tokens() {
		if s := w.In(t.answer); hasNot(s) && !strings.EqualFold(s, "won't") {
			return true
		}
	}
	return false
}

// admits reports an answer that doubts, or has a word of the message of the error that it can only have from there.
func (t *turn) admits(c *call) bool {
	if t.doubts() {
		return true
	}
	message := c.Error
	for i := range c.result {
		message += " " + c.result[i].text
	}
	if len(c.result) == 0 {
		message += " " + c.Result
	}
	told := text.WordSet{}
	for _, w := range t.tokens(message) {
		if _, done := forms[w.Hash]; !done && w.End-w.Start >= minID {
			told[w.Hash] = struct{}{}
		}
	}
	for _, w := range t.tokens(t.known[:c.known] + " " + c.Name + " " + c.Arguments) {
		delete(told, w.Hash)
	}
	for _, w := range t.doc.Tokens() {
		if told.Has(w.Hash) {
			return true
		}
	}
	return false
}
