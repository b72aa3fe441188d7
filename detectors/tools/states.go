package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// checkStates accuses an answer that says yes to a question whether a thing is as one may wish, or that it is, where all that was
// looked up says the opposite. A yes to another question may tell of anything: "Is it closed?"
func checkStates(t *turn) {
	tokens := t.doc.Tokens()
	isYes := t.asks && hasAny(tokens[:min(1, len(tokens))], "yes")
	if t.tellsFailure() || !isYes && !hasAny(tokens, "well") {
		return
	}
	question := t.in.UserQuestion()
	told := t.goodWords(question, t.tokens(question))
	if isYes {
		told = append(told, t.goodWords(t.answer, tokens)...)
	}
	isTold := hasAny(tokens, "well") && !hasAny(tokens, "en condition")
	var bad *call
	says := ""
	for i := range t.calls {
		for _, v := range t.calls[i].result {
			if isGood, isBad := v.state(); isGood {
				return
			} else if isBad && (isTold && v.quoted || isYes && slices.ContainsFunc(told, func(w string) bool { return v.quoted || strings.HasSuffix(strings.ToLower(v.key), w) })) {
				bad, says = &t.calls[i], v.key+": "+v.text
			}
		}
	}
	if bad != nil {
		t.accuse(bad, says)
	}
}

// goodWords are the words of a text for things that are as one may wish; none where it negates, or has the opposite of one.
func (t *turn) goodWords(s string, tokens []text.Token) (all []string) {
	for i := range tokens {
		w := strings.ToLower(tokens[i].In(s))
		if hasNot(w) || badState.MatchString(w) || hasAny(tokens[i:i+1], "negation") {
			return nil
		} else if goodState.MatchString(w) {
			all = append(all, w)
		}
	}
	return all
}

// state reports a member that says that a thing is, or is not, as one may wish: {"available": 0}, {"status": "declined"}.
func (v *leaf) state() (isGood, isBad bool) {
	isNone := noValue.MatchString(v.text) || v.text == "OFF"
	switch {
	case v.kind != 0:
		return false, false
	case goodState.MatchString(v.key):
		return !isNone, isNone
	default:
		return v.quoted && goodState.MatchString(v.text), v.quoted && badState.MatchString(v.text)
	}
}
