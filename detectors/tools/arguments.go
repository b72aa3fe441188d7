package tools

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

func inventedArgument() Rule {
	return Rule{
		ID:     "argument_invented",
		Doc:    "a number, e-mail address, telephone number, street or amount in the arguments that no message and no earlier result has, and that does not follow from them",
		Weight: .8,
		Check:  checkArguments,
		Examples: []Example{
			{User: "Close INC-771.", Calls: []schemas.ToolCall{{Name: "close", Arguments: `{"ticket_id": "INC-717"}`}}, Answer: "Done.", Fires: "INC-717"},
			{User: "Write to Oskar.", Calls: []schemas.ToolCall{{Name: "send", Arguments: `{"to": "oskar@polar.example"}`}}, Answer: "Done.", Fires: "oskar@polar.example"},
			{User: "My number is 0171 5550134, order 88 again.", Calls: []schemas.ToolCall{{Name: "order", Arguments: `{"phone": "+491715550134", "order_id": 88}`}}, Answer: "Done."},
			{User: "Two at 85.50 each, please.", Calls: []schemas.ToolCall{{Name: "refund", Arguments: `{"amount": 171.0}`}}, Answer: "Done."},
		},
	}
}

func checkArguments(t *turn) {
	if t.cut || len(t.in.Messages) == 0 {
		return
	}
	for i := range t.calls {
		c := &t.calls[i]
		for k := range c.args {
			if v := &c.args[k]; v.kind == 0 && t.isInvented(c, v) {
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
	if tool := t.tool(c.Name); v.text == "" || len(v.text) > maxValue || isDate(v.text) || strings.ContainsAny(v.text, "=*()[]{}<>,;") ||
		strings.Count(v.text, " ") > minID || tool != nil && strings.Contains(tool.Schema, v.text) {
		return false
	}
	known := t.known[:c.known]
	t.folded = append(text.AppendLetters(t.folded[:0], v.text), ' ')
	value := bytes.TrimSpace(t.folded)
	name := words(v.key)
	is := func(list string) bool { return slices.ContainsFunc(name, func(w string) bool { return isIn(w, list) }) }
	switch {
	case v.quoted && strings.Contains(v.text, "@"):
		return strings.Contains(v.text, ".") && !strings.Contains(v.text, " ") && !bytes.Contains(known, value)
	case is("phone name"):
		digits := only(value, isDigit)
		return len(digits) >= phoneTail && !bytes.Contains(only(known, isDigit), digits[len(digits)-phoneTail:])
	case is("street name"):
		return isUnknownStreet(known, value)
	case is("money name"):
		return !v.quoted && strings.Contains(v.text, ".") && t.isUnknownNumber(c, v.text)
	case is("number name") && !is("own name"):
		return isUnknownID(known, value) && (v.quoted || t.isUnknownNumber(c, v.text))
	}
	return false
}

// only are the bytes that are such.
func only(s []byte, keep func(c byte) bool) (out []byte) {
	for _, c := range s {
		if keep(c) {
			out = append(out, c)
		}
	}
	return out
}

// isUnknownStreet reports a text with a number, none of whose longer words is known.
func isUnknownStreet(known, value []byte) bool {
	hasNumber, hasWord := false, false
	for w := range bytes.FieldsSeq(value) {
		switch {
		case isDigit(w[0]):
			hasNumber = true
		case len(w) < 4:
		case bytes.Contains(known, w):
			return false
		default:
			hasWord = true
		}
	}
	return hasNumber && hasWord
}

// isUnknownNumber reports a number that is neither known before the call nor follows from known ones.
func (t *turn) isUnknownNumber(c *call, number string) bool {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v == 0 {
		return false
	}
	t.readFigures()
	f := figures.Figure{Value: v, Decimals: 2}
	return !isStated(&f, t.figures[:c.figures]) && c.operands <= evidence.MaxOperands && !evidence.Derivable(&f, t.operands[:c.operands])
}

// isUnknownID reports a value with digits that is not known, nor any number in it.
func isUnknownID(known, value []byte) bool {
	if len(only(value, isDigit)) < minDigits || len(value)-bytes.Count(value, []byte(" ")) < minID {
		return false
	}
	for i := 0; i < len(value); i++ {
		start := i
		for i < len(value) && isDigit(value[i]) {
			i++
		}
		if run := value[start:i]; len(run) >= minDigits && (hasRun(known, run) || figures.IsYear(string(run))) {
			return false
		}
	}
	return !bytes.Contains(loose(known), loose(value))
}

// hasRun reports digits that stand alone in a text.
func hasRun(s, digits []byte) bool {
	for from := 1; ; from++ {
		i := bytes.Index(s[min(from, len(s)):], digits)
		if i < 0 {
			return false
		}
		from += i
		if end := from + len(digits); !isDigit(s[from-1]) && (end == len(s) || !isDigit(s[end])) {
			return true
		}
	}
}

// loose is a text without its spaces.
func loose(s []byte) []byte { return bytes.ReplaceAll(s, []byte(" "), nil) }
