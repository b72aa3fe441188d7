package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// form is the participle of an action. One that any tool may do, or that is in no list, is of an offered tool if that has the verb,
// and the sentence what it acts on: then only such a call supports it.
func (t *turn) form(tokens []text.Token, k int) (form, bool) {
	f, ok := forms[tokens[k].Hash]
	w := strings.ToLower(tokens[k].In(t.answer))
	if ok && f.family.support[0] != "*" && f.family.support[0] != "+" || !strings.HasSuffix(w, "ed") || k+1 < len(tokens) && hasAny(tokens[k+1:k+2], "particle") {
		return f, ok
	}
	for i := range t.in.Tools {
		verb, objects := t.parts(t.in.Tools[i].Name)
		if !isPast(w, verb) || lookupName.MatchString(verb) {
			continue
		}
		own := form{&family{support: []string{verb}, done: []string{w}}, "en"}
		for _, o := range objects {
			if slices.ContainsFunc(tokens, func(w text.Token) bool { return strings.HasPrefix(strings.ToLower(w.In(t.answer)), o) }) {
				own.family.support = append(own.family.support, o)
			}
		}
		if !ok || len(own.family.support) > 1 || f.family.support[0] == "+" && !hasAny(tokens[k:k+1], "state of things") {
			return own, true
		}
	}
	return f, ok
}

// parts are the verb of a tool's name and the beginnings of its other words, without those of most tools.
func (t *turn) parts(name string) (verb string, objects []string) {
	base := baseName(name)
	for _, w := range nameWords.FindAllString(base+" "+strings.TrimSuffix(name, base), -1) {
		w, n := strings.ToLower(w), 0
		for i := range t.in.Tools {
			if strings.HasPrefix(strings.ToLower(t.in.Tools[i].Name), w) {
				n++
			}
		}
		if n > 1 && 2*n > len(t.in.Tools) || len(w) < minID-1 {
			continue
		} else if verb == "" {
			verb = w
		} else {
			objects = append(objects, w[:min(len(w), minID+1)])
		}
	}
	return verb, objects
}

// isPast reports the regular participle of an English verb.
func isPast(w, verb string) bool {
	return verb != "" && slices.Contains([]string{verb, strings.TrimSuffix(verb, "e"), verb + verb[len(verb)-1:], strings.TrimSuffix(verb, "y") + "i"}, strings.TrimSuffix(w, "ed"))
}

// leftOut is the place of an identifier that the claim is about and that no call has, where calls did it with others of its form.
func (t *turn) leftOut(c *claim) []int {
	called, done, isOfAny := "", []string{}, false
	for i := range t.all {
		d := &t.all[i]
		called += d.Arguments + d.Result + d.Error + " "
		if !d.looks && c.isDoneBy(*d) {
			ids := identifiersOf(d.Arguments, minID)
			for _, at := range ids {
				done = append(done, shape(d.Arguments[at[0]:at[1]]))
			}
			isOfAny = isOfAny || len(ids) == 0
		}
	}
	if isOfAny || t.doubts() || len(c.tokens) == 0 {
		return nil
	}
	first, last := int(c.tokens[0].Start), int(c.tokens[len(c.tokens)-1].End)
	list := identifiersOf(t.answer[first:last], minID)
	for i, at := range list {
		word := t.answer[first+at[0] : first+at[1]]
		isNext := len(list) == 1 || i > 0 && joinOfIDs.MatchString(t.answer[first+list[i-1][1]:first+at[0]])
		if isNext && slices.Contains(done, shape(word)) && strings.Contains(t.known, word) && !strings.Contains(only(called, isIDRune), only(word, isIDRune)) {
			return []int{first + at[0], first + at[1]}
		}
	}
	return nil
}

// shape is an identifier without the values of its digits.
func shape(id string) string {
	return digitRuns.ReplaceAllStringFunc(id, func(run string) string { return strings.Repeat("0", len(run)) })
}
