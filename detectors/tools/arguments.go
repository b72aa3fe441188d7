package tools

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"confab/internal/evidence"
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

// checkArguments compares the arguments of each call with what was known before it.
func checkArguments(t *turn) {
	t.known = append(t.known[:0], t.said...)
	for i := range t.calls {
		c := &t.calls[i]
		eachLeaf(c.Arguments, func(v *leaf) bool {
			if !v.list && t.isInvented(c, v) {
				t.accuse(c, v.text)
			}
			return true
		})
		t.known = t.fold(t.fold(t.known, c.Result), c.Error)
	}
}

// Names of arguments whose values cannot be guessed.
const (
	idNames     = " id ids number no ref reference code pin iban account phone tel mobile policy order ticket invoice booking card claim sku serial tracking dosage dose patient customer postcode zip "
	phoneNames  = " phone tel telephone mobile fax "
	streetNames = " street address "
	moneyNames  = " amount price total sum fee "
)

const (
	maxValue   = 64 // bytes of a value that is compared
	minPhone   = 8  // digits of a number that its country code aside must be known
	minID      = 4  // letters and digits
	minIDDigit = 2
)

// isInvented reports a value that is not known, of a kind that a model cannot derive.
func (t *turn) isInvented(c *schemas.ToolCall, v *leaf) bool {
	if len(v.text) > maxValue || strings.Count(v.text, " ") > 4 || t.isFixed(c, v.text) {
		return false
	}
	t.folded = t.fold(t.folded[:0], v.text)
	value := bytes.TrimSpace(t.folded)
	switch {
	case v.quoted && strings.Contains(v.text, "@") && strings.Contains(v.text, ".") && !strings.Contains(v.text, " "):
		return !bytes.Contains(t.known, value)
	case isNamedBy(v.key, phoneNames):
		digits := digitsOf(nil, value)
		return len(digits) >= minPhone && !bytes.Contains(digitsOf(nil, t.known), digits[len(digits)-minPhone:])
	case isNamedBy(v.key, streetNames) && !isDate(v.text):
		return v.quoted && t.isUnknownStreet(value)
	case isNamedBy(v.key, moneyNames):
		return !v.quoted && strings.Contains(v.text, ".") && t.isUnknownAmount(v.text)
	case isNamedBy(v.key, idNames) && !isDate(v.text):
		return t.isUnknownID(value)
	}
	return false
}

// isNamedBy reports a name with one of the words.
func isNamedBy(name, list string) bool {
	return words(name, func(w string) bool { return strings.Contains(list, " "+w+" ") })
}

// isFixed reports a value that the schema of the tool has.
func (t *turn) isFixed(c *schemas.ToolCall, value string) bool {
	tool := t.tool(c.Name)
	return tool != nil && value != "" && strings.Contains(tool.Schema, value)
}

// isDate reports a date, a time or a period.
func isDate(s string) bool {
	return len(s) >= 5 && isDigit(s[0]) && isDigit(s[1]) && (s[2] == ':' || s[2] == '/' || s[2] == '.' || isDigit(s[2]) && isDigit(s[3]) && s[4] == '-')
}

func digitsOf(dst, s []byte) []byte {
	for _, c := range s {
		if isDigit(c) {
			dst = append(dst, c)
		}
	}
	return dst
}

// isUnknownStreet reports a text with a number, none of whose longer words is known.
func (t *turn) isUnknownStreet(value []byte) bool {
	hasDigit, longer := false, false
	for w := range bytes.FieldsSeq(value) {
		hasDigit = hasDigit || isDigit(w[0])
		if len(w) < 4 || isDigit(w[0]) {
			continue
		}
		longer = true
		if bytes.Contains(t.known, w) {
			return false
		}
	}
	return hasDigit && longer
}

// isUnknownAmount reports an amount that is neither known nor follows from known ones.
func (t *turn) isUnknownAmount(number string) bool {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v == math.Trunc(v) {
		return false
	}
	f := figures.Figure{Value: v, Decimals: 2}
	t.readFigures()
	return !t.isStated(&f) && !evidence.Derivable(&f, t.operands)
}

// isUnknownID reports a value with digits that is not known, nor any number in it.
func (t *turn) isUnknownID(value []byte) bool {
	digits, size := 0, 0
	for _, c := range value {
		if c != ' ' {
			size++
		}
		if isDigit(c) {
			digits++
		}
	}
	if digits < minIDDigit || size < minID {
		return false
	}
	for i := 0; i < len(value); {
		start := i
		for i < len(value) && isDigit(value[i]) {
			i++
		}
		if i-start >= minIDDigit && hasRun(t.known, value[start:i]) {
			return false
		}
		i = max(i, start+1)
	}
	return !containsLoose(t.known, value)
}

// hasRun reports digits that stand alone in a text.
func hasRun(s, digits []byte) bool {
	for from := 0; ; {
		i := bytes.Index(s[from:], digits)
		if i < 0 {
			return false
		}
		i += from
		if end := i + len(digits); !isDigit(s[i-1]) && (end == len(s) || !isDigit(s[end])) {
			return true
		}
		from = i + 1
	}
}

// containsLoose reports a text that has the value, spaces aside.
func containsLoose(s, value []byte) bool {
	return bytes.Contains(s, value) || bytes.Contains(bytes.ReplaceAll(s, []byte(" "), nil), bytes.ReplaceAll(value, []byte(" "), nil))
}
