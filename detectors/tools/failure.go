package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// failure is the text that says that the call failed in all or in part, "" if it did not.
func (c *call) failure() string {
	for i := range c.result {
		if v := &c.result[i]; (v.depth <= 2 || !c.looks && v.key == "error" || !c.looks && v.quoted) && v.isFailure() {
			return c.Result
		}
	}
	const most = 4 << 10 // bytes that are searched
	if c.isError() || c.Error == "" && len(c.result) == 0 && errorText.MatchString(c.Result[:min(len(c.Result), most)]) {
		return c.Result
	}
	return c.Error
}

// isError reports a result that is nothing but an error, without a field of that name: {"code": 504, "message": "Gateway Timeout"}.
func (c *call) isError() bool {
	code, told := "", ""
	for i := range c.result {
		switch v := &c.result[i]; {
		case v.depth != 1, v.n == 0 && noValue.MatchString(v.text), errorPart.MatchString(v.key):
			told += " " + v.text
		case strings.EqualFold(v.key, "code"):
			code = v.text
		case strings.EqualFold(v.key, "fault") && !contains(c.Name, []string{"fault"}):
			code = "error"
		default:
			return false
		}
	}
	return failCode.MatchString(code) || httpError.MatchString(code+told)
}

// isFailure reports a field that says that a call failed.
func (v *leaf) isFailure() bool {
	isEmpty := v.kind != 0 && v.n == 0 || v.kind == 0 && noValue.MatchString(v.text)
	return !isEmpty && failField.MatchString(v.key) || v.text == "false" && okField.MatchString(v.key) || stateField.MatchString(v.key) && failState.MatchString(v.text)
}

// isIn reports a state of failure that a text in lower case has.
func (v *leaf) isIn(s string) bool {
	return v.isFailure() && len(v.text) >= minID && strings.Contains(s, strings.ToLower(v.text))
}

func checkErrors(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		if c.failed != "" && !t.doc.Work().Spend(len(t.answer)+len(t.calls)) {
			return
		}
		if c.failed == "" || c.looks || t.isMended(c, t.calls[i+1:]) || t.tellsFailure() || t.admits(c) {
			continue
		}
		if t.accuse(c, c.failed); len(t.claims) > 0 {
			v := &t.found[len(t.found)-1]
			v.Start, v.End = t.claims[0].start, t.claims[0].end
		}
	}
}

// isMended reports a failed call that was repeated with success, or after which another one succeeded, where the answer neither
// names what the failed one is about nor speaks of all.
func (t *turn) isMended(c *call, later []call) bool {
	isNamed := c.target() != "" && strings.Contains(strings.ToLower(t.answer), c.target()) || hasAny(t.doc.Tokens(), "every")
	for i := range later {
		if d := &later[i]; d.failed == "" && !d.looks && (!isNamed || d.Name == c.Name && d.target() == c.target()) {
			return true
		}
	}
	return false
}

// target is the first argument: mostly what the call is about.
func (c *call) target() string {
	first, _, _ := strings.Cut(c.Arguments, ",")
	_, value, _ := strings.Cut(first, ":")
	return strings.ToLower(strings.Trim(value, ` "}`))
}

// tellsFailure reports an answer with a word of failure.
func (t *turn) tellsFailure() bool {
	isNot := func(w text.Token) bool { return hasNot(w.In(t.answer)) && !strings.EqualFold(w.In(t.answer), "won't") }
	return hasAny(t.doc.Tokens(), "failure") || slices.ContainsFunc(t.doc.Tokens(), isNot)
}

// admits reports an answer with a word of the message of the error that it can only have from there, or with the state that the call
// ended in. A single word may be chance where the answer says that it is done.
func (t *turn) admits(c *call) bool {
	answer, message := strings.ToLower(t.answer), c.Error
	if len(c.result) == 0 {
		message += c.Result
	}
	if slices.ContainsFunc(c.result, func(v leaf) bool {
		message += " " + v.text
		return v.isIn(answer)
	}) {
		return true
	}
	told := map[uint64]struct{}{}
	for _, w := range t.tokens(message) {
		if w.End-w.Start >= minID {
			told[w.Hash] = struct{}{}
		}
	}
	for _, w := range t.tokens(t.known[:c.known] + " " + c.Name + " " + c.Arguments) {
		delete(told, w.Hash)
	}
	before := len(told)
	for _, w := range t.doc.Tokens() {
		delete(told, w.Hash)
	}
	isChance := len(told) == before-1 && slices.ContainsFunc(t.claims, func(d claim) bool { return d.isNamed(c.Name) })
	return len(told) < before && !isChance
}
