package tools

// checkStates accuses an answer that says yes to a question, or that a thing is as one may wish, where all that was looked up says the
// opposite.
func checkStates(t *turn) {
	tokens := t.doc.Tokens()
	isYes := t.asks && hasAny(tokens[:min(1, len(tokens))], "yes")
	if t.tellsFailure() || !isYes && !hasAny(tokens, "well") {
		return
	}
	var bad *call
	says := ""
	for i := range t.calls {
		for _, v := range t.calls[i].result {
			if isGood, isBad := v.state(); isGood {
				return
			} else if isBad && (isYes || v.quoted) {
				bad, says = &t.calls[i], v.key+": "+v.text
			}
		}
	}
	if bad != nil {
		t.accuse(bad, says)
	}
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
