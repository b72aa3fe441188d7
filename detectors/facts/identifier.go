package facts

import (
	"strings"

	"confab/schemas"
)

var nearIdentifier = Rule{
	ID:     "identifier",
	Doc:    "an order number, code, e-mail address or telephone number that differs in one or two characters from the only similar one of the sources and the user",
	Needs:  "sources or the user's turns",
	Type:   schemas.Fabrication,
	Weight: .9,
	Check:  checkIdentifier,
	Examples: []Example{
		{User: "I ordered a desk, order 88412.", Answer: "You would like a new top for order 88421.", Fires: "88421"},
		{Source: "Write to help@orrin.example or call 555-0181.", Answer: "Write to help@orin.example.", Fires: "help@orin.example"},
		{Source: "Write to help@orrin.example or call 555-0181.", Answer: "Write to help@orrin.example."},
	},
}

// Lengths of an identifier, in bytes.
const (
	minIdentifier = 5
	maxIdentifier = 64
)

// checkIdentifier compares each identifier of the claim with those of sources and user.
func checkIdentifier(e *evidence, c *piece) (found []Verdict) {
	eachIdentifier(e.answer.texts[0][c.start:c.end], func(start, end int) {
		id := strings.ToLower(e.answer.texts[0][int(c.start)+start : int(c.start)+end])
		e.makeIdentifiers()
		near := -1
		for i := range e.ids {
			known := e.ids[i].text
			if known == id || strings.Contains(known, id) || strings.Contains(id, known) {
				return
			}
			if isNear(id, known) {
				near = i
			}
		}
		if near < 0 {
			return
		}
		n := &e.ids[near]
		found = append(found, Verdict{Start: c.start + int32(start), End: c.start + int32(end), Source: n.source, SourceStart: n.start, SourceEnd: n.end, Says: n.text})
	})
	return found
}

// identifier is one of a source or of the user (source -1).
type identifier struct {
	text               string
	source, start, end int32
}

func (e *evidence) makeIdentifiers() {
	if e.idsMade {
		return
	}
	e.idsMade, e.ids = true, e.ids[:0]
	for i, s := range e.sources.texts {
		eachIdentifier(s, func(start, end int) {
			e.ids = append(e.ids, identifier{strings.ToLower(s[start:end]), int32(i), int32(start), int32(end)})
		})
	}
	for _, s := range e.user.texts {
		eachIdentifier(s, func(start, end int) {
			e.ids = append(e.ids, identifier{text: strings.ToLower(s[start:end]), source: -1})
		})
	}
}

// eachIdentifier calls f with each word that mixes digits with letters or marks, has at least five digits in a row, or is an address.
func eachIdentifier(s string, f func(start, end int)) {
	for i := 0; i < len(s); {
		if !isIDByte(s[i]) {
			i++
			continue
		}
		start := i
		for i < len(s) && isIDByte(s[i]) {
			i++
		}
		end := start + len(strings.TrimRight(s[start:i], ".-/_:@"))
		if w := s[start:end]; len(w) >= minIdentifier && len(w) <= maxIdentifier && isIdentifier(w) {
			f(start, end)
		}
	}
}

func isIDByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_' || c == '.' || c == '@' || c == '/'
}

func isIdentifier(w string) bool {
	if strings.ContainsRune(w, '/') {
		return false // paths and dates
	}
	at := strings.IndexByte(w, '@')
	if at > 0 {
		return strings.IndexByte(w[at:], '.') > 0
	}
	digits, letters := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c != '-' && c != '_' && c != '.':
			letters++
		}
	}
	if letters == 0 {
		return digits >= minIdentifier && !strings.ContainsAny(w, ".") && (digits == len(w) || digits >= 7)
	}
	return digits >= 3 && letters >= 1 && w[0] >= 'A' && w[0] <= 'Z'
}

// isNear reports identifiers of one form that differ in one character or in the order of two.
func isNear(a, b string) bool {
	if len(a) == len(b) {
		n, first := 0, -1
		for i := range len(a) {
			if a[i] != b[i] {
				n++
				if first < 0 {
					first = i
				}
				if isDigit(a[i]) != isDigit(b[i]) {
					return false
				}
			}
		}
		return n == 1 || n == 2 && first+1 < len(a) && a[first] == b[first+1] && a[first+1] == b[first]
	}
	if strings.IndexByte(a, '@') < 0 {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return a[i:] == b[i+1:]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
