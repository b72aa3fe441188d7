package tools

import (
	"bytes"
	"strings"

	"confab/schemas"
)

func otherIdentifier() Rule {
	return Rule{
		ID:     "identifier_changed",
		Doc:    "an order number, code or reference of the answer that differs in one character, or in the order of two, from one of the results or messages, and that nothing has",
		Weight: .9,
		Check:  checkIdentifiers,
		Examples: []Example{
			{Calls: []schemas.ToolCall{{Name: "create", Result: `{"ticket": "INC-20931"}`}}, Answer: "I created INC-20913.", Fires: "INC-20913"},
			{Calls: []schemas.ToolCall{{Name: "create", Result: `{"ticket": "INC-20931"}`}}, Answer: "I created inc 20931; INC-20931 is open."},
		},
	}
}

// checkIdentifiers looks for words of the answer that mix letters and digits, or have a #.
func checkIdentifiers(t *turn) {
	all := t.everything()
	loose := bytes.ReplaceAll(all, []byte(" "), nil)
	prose := t.doc.Prose()
	eachIdentifier(t.answer, func(start, end int) {
		if prose[start] == ' ' {
			return
		}
		t.folded = t.fold(t.folded[:0], t.answer[start:end])
		id := bytes.ReplaceAll(t.folded, []byte(" "), nil)
		if bytes.Contains(loose, id) {
			return
		}
		t.eachKnown(func(known string) bool {
			if !isNear(id, known) {
				return true
			}
			t.accuseWords(start, end, known)
			return false
		})
	})
}

// everything is the letters and digits of all texts: messages, arguments and results.
func (t *turn) everything() []byte {
	t.known = append(t.known[:0], t.said...)
	for i := range t.calls {
		c := &t.calls[i]
		t.known = t.fold(t.fold(t.fold(t.known, c.Arguments), c.Result), c.Error)
	}
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; isTool(m.Role) {
			t.known = t.fold(t.known, m.Content)
		}
	}
	return t.known
}

// eachKnown calls f with each identifier of messages, arguments and results until it returns false.
func (t *turn) eachKnown(f func(id string) bool) {
	more := true
	list := func(s string) {
		s = s[:min(len(s), maxText)]
		t.doc.Work().Spend(len(s) / foldBytes)
		eachIdentifier(s, func(start, end int) { more = more && f(s[start:end]) })
	}
	for i := range t.calls {
		list(t.calls[i].Result)
		list(t.calls[i].Arguments)
	}
	for i := range t.in.Messages {
		list(t.in.Messages[i].Content)
	}
}

const maxIdentifier = 40

// eachIdentifier calls f with each word of letters, digits and hyphens with a letter and two digits.
func eachIdentifier(s string, f func(start, end int)) {
	for i := 0; i < len(s); {
		if !isIDByte(s[i]) {
			i++
			continue
		}
		start := i
		digits, letters := 0, 0
		for i < len(s) && isIDByte(s[i]) {
			if isDigit(s[i]) {
				digits++
			} else if isLetter(s[i]) || s[i] == '#' {
				letters++
			}
			i++
		}
		w := strings.Trim(s[start:i], "-_")
		at := start + strings.Index(s[start:i], w)
		if letters > 0 && digits > 0 && len(w) >= 3 && len(w) <= maxIdentifier && (i == len(s) || s[i] < 0x80) {
			f(at, at+len(w))
		}
	}
}

func isIDByte(c byte) bool { return isDigit(c) || isLetter(c) || c == '-' || c == '_' || c == '#' }

// isNear reports an identifier that differs from the known one in the order of two characters, in one character of a longer one, or
// in a digit more at its end.
func isNear(id []byte, known string) bool {
	var buf [maxIdentifier]byte
	b := buf[:0]
	for i := range len(known) {
		if c := known[i]; isDigit(c) || isLetter(c) {
			b = append(b, c|0x20)
		}
	}
	i := 0
	for i < len(id) && i < len(b) && id[i] == b[i] {
		i++
	}
	switch {
	case len(id) == len(b)+1:
		return i == len(b) && len(b) >= minID+1 && isDigit(id[i]) && !isDigit(b[i-1])
	case len(id) != len(b) || i >= len(b)-0 || isDigit(id[i]) != isDigit(b[i]):
		return false
	case i+1 < len(b) && id[i] == b[i+1] && id[i+1] == b[i]:
		return bytes.Equal(id[i+2:], b[i+2:])
	}
	return len(b) > minID+1 && bytes.Equal(id[i+1:], b[i+1:]) && !isCounter(id[i:])
}

// isCounter reports a rest of one or two digits: identifiers of a series differ in them.
func isCounter(rest []byte) bool { return len(rest) <= 2 && isDigit(rest[0]) }
