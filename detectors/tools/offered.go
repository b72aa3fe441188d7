package tools

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// form is the participle of an action. One that any tool may do, or that is in no list, is of an offered tool if that has the verb,
// and the sentence what it acts on: then only such a call supports it, or one that may do anything of the kind.
func (t *turn) form(tokens []text.Token, k int) (form, bool) {
	f, ok := forms[tokens[k].Hash]
	w := strings.ToLower(tokens[k].In(t.answer))
	if ok && !f.family.isLoose() || !strings.HasSuffix(w, "ed") || k+1 < len(tokens) && hasAny(tokens[k+1:k+2], "particle") {
		return f, ok
	}
	if own := t.offeredForm(tokens, w, ok && (f.family.support[0] == "*" || hasAny(tokens[k:k+1], "state of things")), ok); own != nil {
		return form{own, "en"}, true
	}
	return f, ok
}

const workOfName = 8 // of a tool whose name is compared

// offeredForm is the action of an offered tool that has the verb, nil for none. A common verb needs a word for what it acts on.
func (t *turn) offeredForm(tokens []text.Token, w string, isCommon, isListed bool) *family {
	for i := range t.names {
		if !t.doc.Work().Spend(workOfName) {
			return nil
		}
		verb, objects := t.names[i].verb, t.names[i].objects
		if !isPast(w, verb) || lookupName.MatchString(verb) {
			continue
		}
		objects = slices.DeleteFunc(slices.Clone(objects), func(o string) bool {
			return !slices.ContainsFunc(tokens, func(w text.Token) bool { return strings.HasPrefix(strings.ToLower(w.In(t.answer)), o) })
		})
		if isCommon && len(objects) == 0 {
			continue
		}
		likely := "add creat note record save insert "
		if !isListed {
			likely += "updat set chang edit modif run exec"
		}
		return &family{slices.Concat([]string{verb}, objects, strings.Fields(likely)), []string{w}}
	}
	return nil
}

// named are the parts of a tool's name.
type named struct {
	verb    string
	objects []string
}

// readNames reads the names of the offered tools.
func (t *turn) readNames() {
	for i := range t.in.Tools {
		if !t.doc.Work().Spend(len(t.in.Tools) * len(t.in.Tools[i].Name)) {
			break
		}
		verb, objects := t.parts(t.in.Tools[i].Name)
		t.names = append(t.names, named{verb, objects})
	}
}

// isLoose reports an action that a tool of any name may do.
func (f *family) isLoose() bool { return f.support[0] == "*" || f.support[0] == "+" }

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

// checkListed accuses an identifier that the claim lists or is about and that no call has, where calls did it with others of its form.
func (t *turn) checkListed(c *claim) {
	first, last, done := int(c.tokens[0].Start), int(c.tokens[len(c.tokens)-1].End), t.shapesDone(c)
	if len(done) == 0 || t.doubts() {
		return
	}
	called := only(t.known[t.all[0].known:], isIDRune)
	for i, at := range identifiersOf(t.answer[first:last], minID) {
		word, rest := t.answer[first+at[0]:first+at[1]], t.answer[first+at[1]:last]
		isListed := i == 0 || endsList.MatchString(t.answer[first:first+at[0]])
		isAsked := slices.Contains(done, shape(word)) && strings.Contains(t.known, word) && !strings.Contains(called, only(word, isIDRune))
		if isListed && isAsked && fewWords.MatchString(rest) {
			t.accuseWords(first+at[0], first+at[1], word, "")
			return
		}
	}
}

// shapesDone are the shapes of the identifiers in the arguments of calls that do such a thing.
func (t *turn) shapesDone(c *claim) (done []string) {
	for i := range t.all {
		if d := &t.all[i]; !d.looks && c.isDoneBy(*d) {
			for _, at := range identifiersOf(d.Arguments, minID) {
				done = append(done, shape(d.Arguments[at[0]:at[1]]))
			}
		}
	}
	return done
}

// shape is an identifier without the values of its digits.
func shape(id string) string {
	return digitRuns.ReplaceAllStringFunc(id, func(run string) string { return strings.Repeat("0", len(run)) })
}
