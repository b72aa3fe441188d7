package tools

import (
	"slices"
	"strings"
	"unicode"

	"confab/internal/text/figures"
	"confab/schemas"
)

func checkOffered(t *turn) {
	for i := range t.calls {
		if c := &t.calls[i]; len(t.in.Tools) > 0 && c.tool == nil && !hostName.MatchString(baseName(c.Name)) {
			t.accuse(c, c.Name)
		}
	}
}

// tool is the offered tool that is called: by its name, or without namespaces if only one has that name; nil for none.
func (t *turn) tool(name string) (found *schemas.Tool) {
	for i := range t.in.Tools {
		tool := &t.in.Tools[i]
		if strings.EqualFold(tool.Name, name) {
			return tool
		} else if strings.EqualFold(baseName(tool.Name), baseName(name)) {
			if found != nil {
				tool = &schemas.Tool{Name: name} // any of them
			}
			found = tool
		}
	}
	return found
}

func checkSchemas(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		if c.tool == nil || c.tool.Schema == "" || len(c.args) == 0 {
			continue
		}
		for _, e := range t.violations(c.tool.Schema, nullMember.ReplaceAllString(c.Arguments, "")) {
			if !strings.Contains(e.Note, "date-time") || !localTime.MatchString(c.Arguments) {
				t.accuse(c, e.Note)
				break
			}
		}
	}
}

func checkArguments(t *turn) {
	if len(t.in.Messages) == 0 || t.isDictated() {
		return // what the user gave is not known
	}
	named := len(t.known) + 1 // bytes with the first id; before it one is that of the meter, contract or room of who is logged in
	if at := anyID.FindStringIndex(t.known); at != nil {
		named = at[1]
	}
	for i := range t.calls {
		c := &t.calls[i]
		for k := 0; (c.known >= named || c.Result+c.Error == "") && k < len(c.args) && t.doc.Work().Spend(c.known/bytesSearched); k++ {
			t.checkArgument(c, &c.args[k])
		}
	}
}

func (t *turn) checkArgument(c *call, v *leaf) {
	if c.confirms(v) {
		return
	} else if t.isInvented(c, v) {
		t.accuse(c, v.key+" "+v.text)
	} else if code := noCode.ReplaceAllString(codeWord.FindString(formula.ReplaceAllString(v.text, "")), ""); code != "" && !c.looks && t.doc.Work().Spend(c.known*workOfByte) && isUnknown(t.known[:c.known], code) {
		t.accuse(c, v.key+" "+code)
	}
}

// isDictated reports three spelled digits in a row: "one, nine, seven".
func (t *turn) isDictated() bool {
	n, last := 0, int32(-1)
	for _, f := range figures.Append(nil, t.in.UserQuestion(), t.tokens(t.in.UserQuestion())) {
		switch {
		case !f.Spelled || f.Value > 9:
			n = 0
		case f.First == last:
			n++
		default:
			n = 1
		}
		if last = f.Last; n > 2 {
			return true
		}
	}
	return false
}

// confirms reports a call whose tool knew the value: a look-up that found something, a result that has the value, or whose account it is.
// The application may have given it: the customer who is logged in. A colour or postcode may be guessed.
func (c *call) confirms(v *leaf) bool {
	return guessName.MatchString(v.key+" "+v.text) || c.failed == "" && c.Result != "" && (c.looks || ownerName.MatchString(v.key) || strings.Contains(c.Result, v.text))
}

const (
	maxValue  = 64 // bytes of a value that is compared
	phoneTail = 8  // digits of a telephone number without its country code
	minID     = 4  // letters and digits
	minDigits = 2

	bytesCompared = 8  // of calls with a claim or figure in one unit of work
	bytesSearched = 64 // for a text in one unit of work
)

// isInvented reports a value that was not known before the call, of a kind that a model cannot derive.
func (t *turn) isInvented(c *call, v *leaf) bool {
	known := t.known[:c.known]
	if !v.isShort() || strings.Contains(known, v.text) || c.tool != nil && strings.Contains(c.tool.Schema, v.text) {
		return false
	}
	digits := only(v.text, unicode.IsDigit)
	switch {
	case strings.Contains(v.text, "@"):
		return isUnknownAddress(known, v.text)
	case phoneName.MatchString(v.key):
		return !hasPhone(known, digits)
	case len(digits) < minDigits, !v.quoted && len(digits) <= minID, !numberName.MatchString(v.key), ownName.MatchString(v.key):
		return false
	}
	return t.doc.Work().Spend(len(known)*workOfByte) && isUnknown(known, v.text)
}

// hasPhone reports that the last digits of a telephone number are known, or that it has too few to tell.
func hasPhone(known, digits string) bool {
	return len(digits) < phoneTail || strings.Contains(only(known, unicode.IsDigit), digits[len(digits)-phoneTail:])
}

// isUnknownAddress reports an address that is known in no form.
func isUnknownAddress(known, address string) bool {
	return strings.Contains(address, ".") && !strings.Contains(address, " ") && !isLogin(known, address) && !isSpelled(strings.ToLower(known), strings.ToLower(address))
}

// isSpelled reports an address whose host and all longer parts of its name are known: "first.last at acme.example".
func isSpelled(known, address string) bool {
	known = atSign.ReplaceAllString(dotSign.ReplaceAllString(known, "."), "@")
	name, host, _ := strings.Cut(address, "@")
	return strings.Contains(known, address) || strings.Contains(known, "@"+host) && !slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }), func(part string) bool {
		return len(part) >= minID-1 && !strings.Contains(known, part)
	})
}

// isLogin reports an address whose name is known as it is written: "bwallace" of a colleague, unlike a name, which has capital letters.
func isLogin(known, address string) bool {
	name, _, _ := strings.Cut(address, "@")
	i := strings.Index(known, name)
	return len(name) > minID && i > 0 && known[i-1] == ' ' && !strings.HasPrefix(known[i+len(name):], "@")
}

// isShort reports a value that is no date, text or formula.
func (v *leaf) isShort() bool {
	return len(v.text) >= minID && len(v.text) <= maxValue && strings.Count(v.text, " ") <= minID && !date.MatchString(v.text) && !strings.ContainsAny(v.text, "=*()[]{}<>,;")
}

// isUnknown reports a value of which neither a number nor a longer word is known.
func isUnknown(known, value string) bool {
	runs := digitRuns.FindAllString(known, -1)
	for _, run := range digitRuns.FindAllString(value, -1) {
		if len(run) >= minDigits && slices.ContainsFunc(runs, func(k string) bool { return strings.TrimLeft(k, "0") == strings.TrimLeft(run, "0") }) || figures.IsYear(run) {
			return false
		}
	}
	known = strings.ToLower(known)
	for w := range strings.FieldsFuncSeq(strings.ToLower(value), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) >= minID && strings.Contains(known, w) {
			return false
		}
	}
	return !strings.Contains(only(known, isIDRune), only(value, isIDRune))
}

// only is a text of the characters that are such, in lower case.
func only(s string, is func(r rune) bool) string {
	return strings.Map(func(r rune) rune {
		if is(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func isIDRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
