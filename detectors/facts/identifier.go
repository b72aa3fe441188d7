package facts

import (
	"slices"
	"strings"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

func nearIdentifier() Rule {
	return Rule{
		ID:     "identifier",
		Doc:    "an order number, code, e-mail address or telephone number that differs in one or two characters from the only similar one of the sources and the user",
		Needs:  "sources or the user's turns",
		Whole:  true,
		Values: true,
		Type:   schemas.Fabrication,
		Weight: .9,
		Check:  checkIdentifier,
		Examples: []Example{
			{User: "I ordered a desk, order 88412.", Answer: "You would like a new top for order 88421.", Fires: "88421"},
			{Source: "Write to help@orrin.example or call 555-0181.", Answer: "Write to help@orin.example.", Fires: "help@orin.example"},
			{Source: "Write to help@orrin.example or call 555-0181.", Answer: "Write to help@orrin.example."},
		},
	}
}

// Lengths of an identifier, in bytes.
const (
	minIdentifier = 5
	maxIdentifier = 64

	maxIdentifiers = 200 // of all sources and turns: with more, an answer is not compared
)

// checkIdentifier compares each identifier of the claim with those of sources and user.
func checkIdentifier(e *evidence, c *piece) (found []Verdict) {
	if !strings.ContainsAny(e.text[c.Start:c.End], "@0123456789") {
		return nil
	}
	eachIdentifier(e.text[c.Start:c.End], func(start, end int) {
		id := strings.ToLower(e.text[int(c.Start)+start : int(c.Start)+end])
		e.makeIdentifiers()
		near, values := -1, e.doc.OnlyToolRecords() // those of tools are often of a series: only exchanged characters count
		sorted := func(s string) string { b := []byte(s); slices.Sort(b); return string(b) }
		if len(e.ids) > maxIdentifiers {
			return
		}
		e.doc.Work().Spend(len(e.ids))
		for i := range e.ids {
			known := e.ids[i].text
			if known == id || strings.Contains(known, id) || strings.Contains(id, known) {
				return
			}
			if isNear(id, known) && (!values || sorted(id) == sorted(known)) {
				near = i
			}
		}
		if near < 0 || e.isExplained(c.Start+int32(start), id) {
			return
		}
		n := &e.ids[near]
		found = append(found, Verdict{Start: c.Start + int32(start), End: c.Start + int32(end), Source: n.source, SourceStart: n.start, SourceEnd: n.end, Says: n.written})
	})
	return found
}

// isExplained reports an identifier that the error of a call has, and digits that are rounded, follow from others, or are a bound.
func (e *evidence) isExplained(start int32, id string) bool {
	if slices.ContainsFunc(e.doc.Interaction().Calls, func(c schemas.ToolCall) bool { return strings.Contains(strings.ToLower(c.Error), id) }) {
		return true
	}
	for i := range e.answer.figures {
		if f := &e.answer.figures[i]; f.Start == start {
			return f.Kind <= figures.Money && (strings.HasSuffix(id, "000") || e.holds(int32(i)) != absent || e.answer.bound(&word{Figure: int32(i)}) != nil)
		}
	}
	return false
}

// identifier is one of a source or of the user (source -1).
type identifier struct {
	text, written      string // in lower case, and as it is written
	source, start, end int32
}

func (e *evidence) makeIdentifiers() {
	if e.idsMade {
		return
	}
	e.idsMade, e.ids = true, e.ids[:0]
	t := e.doc.Texts()
	for i := range t.Sources {
		s := t.Sources[i].Text
		e.doc.Work().Spend(len(s))
		eachIdentifier(s, func(start, end int) {
			e.ids = append(e.ids, identifier{strings.ToLower(s[start:end]), s[start:end], int32(i), int32(start), int32(end)})
		})
	}
	for _, s := range t.Turns {
		eachIdentifier(s, func(start, end int) {
			e.ids = append(e.ids, identifier{text: strings.ToLower(s[start:end]), written: s[start:end], source: -1})
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
		start, telling := i, false
		for ; i < len(s) && isIDByte(s[i]); i++ {
			telling = telling || isDigit(s[i]) || s[i] == '@'
		}
		if !telling {
			continue
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
	if strings.IndexByte(w, '/') >= 0 {
		return false // paths and dates
	}
	if at := strings.IndexByte(w, '@'); at > 0 {
		return strings.IndexByte(w[at:], '.') > 0
	}
	digits, marks := 0, strings.Count(w, "-")+strings.Count(w, "_")+strings.Count(w, ".")
	for i := range len(w) {
		if isDigit(w[i]) {
			digits++
		}
	}
	if digits+marks < len(w) { // with letters
		return digits >= 3 && text.IsUpper(w[0])
	}
	return strings.IndexByte(w, '.') < 0 && (marks == 0 || digits >= minPhone)
}

// minPhone is the least number of digits of a telephone number with hyphens.
const minPhone = 7

// isNear reports identifiers of one form that differ in one character or in the order of two, addresses also in one character more.
func isNear(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) > len(a)+1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(b) > len(a) {
		return strings.IndexByte(a, '@') > 0 && a[i:] == b[i+1:]
	}
	return i < len(a) && isDigit(a[i]) == isDigit(b[i]) && (a[i+1:] == b[i+1:] || isTurned(a[i:], b[i:]))
}

// isTurned reports texts that differ in the order of their first two bytes.
func isTurned(a, b string) bool {
	return len(a) >= 2 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
