package tools

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"confab/internal/evidence"
	"confab/internal/text/figures"
)

func checkIdentifiers(t *turn) {
	own := slices.DeleteFunc(identifiersOf(t.answer, minID), func(at []int) bool {
		return strings.Contains(t.known, t.answer[at[0]:at[1]]) || t.doc.Prose()[at[0]] == ' '
	})
	if len(own) == 0 || !t.doc.Work().Spend(len(t.known)*workOfByte) {
		return
	}
	given, squeezed := identifiersOf(t.known, minID-1), only(t.known, isIDRune)
	for _, at := range own {
		word := t.answer[at[0]:at[1]]
		id := only(word, isIDRune)
		if strings.Contains(squeezed, id) {
			continue
		}
		if !t.doc.Work().Spend(len(given)) {
			return
		}
		for _, k := range given {
			if known := t.known[k[0]:k[1]]; isNear(id, only(known, isIDRune)) {
				t.accuseWords(at[0], at[1], word, known)
				break
			}
		}
	}
}

// identifiersOf are the places of the words with digits that are no amounts: with letters, or so many digits alone.
func identifiersOf(s string, least int) [][]int {
	return slices.DeleteFunc(identifier.FindAllStringIndex(s, -1), func(at []int) bool {
		w := s[at[0]:at[1]]
		isAmount := len(w) < least || strings.HasSuffix(w, "00") || at[0] > 0 && strings.ContainsRune(".,:/", rune(s[at[0]-1])) || at[1]+1 < len(s) && strings.ContainsRune(".,:/", rune(s[at[1]])) && isDigit(s[at[1]+1]) || figures.IsYear(w)
		return !strings.ContainsAny(w, "0123456789") || isAmount && strings.Trim(w, "0123456789-_") == ""
	})
}

// checkFigures compares amounts by their digits. Among many that are known it cannot be told what follows from them.
func checkFigures(t *turn) {
	own := t.doc.Texts().Answer.Figures
	known := slices.DeleteFunc(figures.Append(nil, t.known, t.tokens(t.known)), func(f figures.Figure) bool { return f.Kind > figures.Money })
	if len(known) > evidence.MaxOperands || !t.doc.Work().Spend((1+len(own))*evidence.DerivationWork(len(known))) {
		return
	}
	for i := range own {
		f := &own[i]
		if f.Kind > figures.Money || hasValue(known, f.Value) || evidence.Derivable(f, known) {
			continue
		}
		if !t.doc.Work().Spend(len(t.known) / bytesCompared) {
			return
		}
		if said := t.misreadOf(f.Value, own); said != "" {
			t.accuseWords(int(f.Start), int(f.End), t.answer[f.Start:f.End], said)
		}
	}
}

// misreadOf is an amount of a result that was misread as the value and that the answer does not have; "" for none.
func (t *turn) misreadOf(value float64, own []figures.Figure) string {
	for k := range t.calls {
		for _, v := range t.calls[k].result {
			if of, err := strconv.ParseFloat(v.text, 64); err == nil && isMisread(digits(value), digits(of)) && !hasValue(own, of) {
				return v.text
			}
		}
	}
	return ""
}

func hasValue(list []figures.Figure, value float64) bool {
	return slices.ContainsFunc(list, func(f figures.Figure) bool { return math.Abs(f.Value-value) < .005 }) // half a cent
}

// digits are those of a number, without zeros at the end: a rounded one has fewer.
func digits(v float64) string {
	return strings.TrimRight(only(strconv.FormatFloat(math.Abs(v), 'f', -1, 64), unicode.IsDigit), "0")
}

// isMisread reports digits with two exchanged, or another one among many.
func isMisread(a, b string) bool {
	const many = 6
	i := sharedLen(a, b)
	return len(a) == len(b) && len(a) >= minID-1 && i < len(a) && (isTurned(a[i:], b[i:]) || len(a) >= many && a[i+1:] == b[i+1:])
}

const workOfByte = 8 // of text that is searched for identifiers like one of the answer

// isNear reports identifiers that differ in the order of two characters, or in a letter of a longer one.
func isNear(id, known string) bool {
	i := sharedLen(id, known)
	if len(id) != len(known) || i == len(id) || isDigit(id[i]) != isDigit(known[i]) {
		return false
	}
	return isTurned(id[i:], known[i:]) || len(id) > minID+1 && !isDigit(id[i]) && id[i+1:] == known[i+1:]
}

func sharedLen(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// isTurned reports texts that differ in the order of their first two bytes.
func isTurned(a, b string) bool { return len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:] }
