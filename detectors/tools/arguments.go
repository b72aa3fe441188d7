package tools

import (
	"strconv"
	"strings"
	"unicode"

	"confab/internal/text/figures"
	"confab/schemas"
)

func checkOffered(t *turn) {
	for i := range t.calls {
		if c := &t.calls[i]; len(t.in.Tools) > 0 && t.tool(c) == nil && !hostName.MatchString(baseName(c.Name)) {
			t.accuse(c, c.Name)
		}
	}
}

// tool is the offered tool that is called, nil for none.
func (t *turn) tool(c *call) *schemas.Tool {
	for i := range t.in.Tools {
		if strings.EqualFold(baseName(t.in.Tools[i].Name), baseName(c.Name)) {
			return &t.in.Tools[i]
		}
	}
	return nil
}

func checkSchemas(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		tool := t.tool(c)
		if tool == nil || tool.Schema == "" || !strings.HasPrefix(strings.TrimSpace(c.Arguments), "{") {
			continue
		}
		note, err := t.checker.Violation(t.doc, tool.Schema, nullMember.ReplaceAllString(c.Arguments, ""))
		if err == nil && note != "" && (!strings.Contains(note, "date-time") || !localTime.MatchString(c.Arguments)) {
			t.accuse(c, note)
		}
	}
}

func checkArguments(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		for k := range c.args {
			if v := &c.args[k]; !t.cut && len(t.in.Messages) > 0 && v.kind == 0 && t.isInvented(c, v) {
				t.accuse(c, v.text)
			}
		}
	}
}

const (
	maxValue  = 64 // bytes of a value that is compared
	phoneTail = 8  // digits of a telephone number without its country code
	minID     = 4  // letters and digits
	minDigits = 2
)

// isInvented reports a value that was not known before the call, of a kind that a model cannot derive.
func (t *turn) isInvented(c *call, v *leaf) bool {
	if tool := t.tool(c); v.text == "" || len(v.text) > maxValue || date.MatchString(v.text) || strings.ContainsAny(v.text, "=*()[]{}<>,;") ||
		strings.Count(v.text, " ") > minID || tool != nil && strings.Contains(tool.Schema, v.text) {
		return false
	}
	known := t.known[:c.known]
	switch {
	case v.quoted && strings.Contains(v.text, "@"):
		return strings.Contains(v.text, ".") && !strings.Contains(v.text, " ") && !strings.Contains(strings.ToLower(known), strings.ToLower(v.text))
	case phoneName.MatchString(v.key):
		digits := only(v.text, unicode.IsDigit)
		return len(digits) >= phoneTail && !strings.Contains(only(known, unicode.IsDigit), digits[len(digits)-phoneTail:])
	}
	return numberName.MatchString(v.key) && !ownName.MatchString(v.key) && isUnknownNumber(known, v)
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

// isUnknownNumber reports a value with digits that is not known, nor any number or longer word in it. A round number may be spelled.
func isUnknownNumber(known string, v *leaf) bool {
	id := only(v.text, isIDRune)
	if number, err := strconv.ParseFloat(v.text, 64); len(id) < minID || len(only(v.text, unicode.IsDigit)) < minDigits || !v.quoted && (err != nil || number == float64(int64(number)) && number < 1e4) {
		return false
	}
	for _, run := range digitRuns.FindAllString(v.text, -1) {
		if len(run) >= minDigits && (hasRun(known, run) || figures.IsYear(run)) {
			return false
		}
	}
	for w := range strings.FieldsSeq(v.text) {
		if len(w) >= minID && strings.Contains(known, w) {
			return false
		}
	}
	return !strings.Contains(only(known, isIDRune), id)
}

// hasRun reports digits that stand alone in a text.
func hasRun(s, digits string) bool {
	for {
		i := strings.Index(s, digits)
		if i < 0 {
			return false
		}
		end := i + len(digits)
		if (i == 0 || !isDigit(s[i-1])) && (end == len(s) || !isDigit(s[end])) {
			return true
		}
		s = s[end:]
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
