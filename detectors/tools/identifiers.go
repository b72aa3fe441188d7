package tools

import (
	"bytes"

	"confab/internal/text"
	"confab/schemas"
)

func otherIdentifier() Rule {
	return Rule{
		ID:     "identifier_changed",
		Doc:    "a code or reference of the answer that differs in a letter, in the order of two characters or in a digit more from one of the messages, arguments or results, and that nothing has",
		Weight: .9,
		Check:  checkIdentifiers,
		Examples: []Example{
			{Calls: []schemas.ToolCall{{Name: "create", Result: `{"ticket": "INC-20931"}`}}, Answer: "I created INC-20913.", Fires: "INC-20913"},
			{Calls: []schemas.ToolCall{{Name: "create", Result: `{"ticket": "INC-20931"}`}}, Answer: "I created inc 20931; INC-20931 is open."},
		},
	}
}

func checkIdentifiers(t *turn) {
	if t.cut {
		return
	}
	all, prose := loose(t.known), t.doc.Prose()
	eachIdentifier(t.answer, func(start, end int) bool {
		id := loose(text.AppendLetters(nil, t.answer[start:end]))
		if prose[start] == ' ' || bytes.Contains(all, id) || bytes.HasPrefix(id, []byte("0")) {
			return true
		}
		for i := range t.all {
			for _, s := range [...]string{t.all[i].Result, t.all[i].Arguments} {
				if known := nearest(id, s); known != "" {
					t.accuseWords(start, end, known)
					return true
				}
			}
		}
		for i := range t.in.Messages {
			if known := nearest(id, t.in.Messages[i].Content); known != "" {
				t.accuseWords(start, end, known)
				break
			}
		}
		return t.doc.Work().Spend(len(t.known) / foldBytes)
	})
}

// nearest is an identifier of the text that the id nearly is, "" for none.
func nearest(id []byte, s string) (known string) {
	eachIdentifier(s, func(start, end int) bool {
		if isNear(id, loose(text.AppendLetters(nil, s[start:end]))) {
			known = s[start:end]
		}
		return known == ""
	})
	return known
}

const maxIdentifier = 40

// eachIdentifier calls f with each word of ASCII letters, digits and marks that has letters and digits, until it returns false.
func eachIdentifier(s string, f func(start, end int) bool) {
	isPart := func(c byte) bool { return isDigit(c) || isLetter(c) || c == '-' || c == '_' || c == '#' }
	for i := 0; i < len(s); i++ {
		start, digits, others := i, 0, 0
		for i < len(s) && isPart(s[i]) {
			if isDigit(s[i]) {
				digits++
			} else if s[i] != '-' && s[i] != '_' {
				others++
			}
			i++
		}
		if n := i - start; digits > 0 && others > 0 && n >= 3 && n <= maxIdentifier && (i == len(s) || s[i] < 0x80) && !f(start, i) {
			return
		}
	}
}

// isNear reports identifiers that differ in the order of two characters, in a letter of a longer one, or in a digit more at the end.
func isNear(id, known []byte) bool {
	i := 0
	for i < len(id) && i < len(known) && id[i] == known[i] {
		i++
	}
	switch {
	case len(id) == len(known)+1:
		return i == len(known) && i > minID && isDigit(id[i]) && !isDigit(known[i-1])
	case len(id) != len(known) || i == len(id) || isDigit(id[i]) != isDigit(known[i]):
		return false
	case i+1 < len(id) && id[i] == known[i+1] && id[i+1] == known[i]:
		return bytes.Equal(id[i+2:], known[i+2:])
	}
	return len(id) > minID+1 && !isDigit(id[i]) && bytes.Equal(id[i+1:], known[i+1:])
}
