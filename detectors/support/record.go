package support

import (
	"strings"

	"confab/detectors"
	"confab/internal/text"
)

// wordingWeight is the factor for ordinary words if the sources are records. Sentences about a record use words that are in
// no record ("is located in", "offers"), so figures and names count more.
const wordingWeight = 0.3

// onlyRecords reports whether every source is a JSON object or a list of them.
func onlyRecords(d *detectors.Document) bool {
	for i := range d.Sources() {
		s := strings.TrimLeft(d.Source(i), " \t\r\n")
		if list, ok := strings.CutPrefix(s, "["); ok {
			s = strings.TrimLeft(list, " \t\r\n")
		}
		if !strings.HasPrefix(s, "{") {
			return false
		}
	}
	return d.Sources() > 0
}

// addKeyParts adds the words of a key like OutdoorSeating.
func (x *Index) addKeyParts(name string, sentence int32) {
	first := 0
	for i := 1; i < len(name); i++ {
		if text.IsUpper(name[i]) && !text.IsUpper(name[i-1]) {
			x.addKeyPart(name[first:i], sentence)
			first = i
		}
	}
	if first > 0 {
		x.addKeyPart(name[first:], sentence)
	}
}

func (x *Index) addKeyPart(part string, sentence int32) {
	x.parts = x.tokenizer.Append(x.parts[:0], part)
	for t := range x.parts {
		x.addHit(x.key(&x.parts[t], part), sentence)
	}
}

// discountWording lowers the weight of the answer's words that are neither figures nor names: words in lower case or at
// the start of a sentence.
func (x *Index) discountWording(d *detectors.Document) {
	tokens, answer := d.Tokens(), d.Text()
	for t := range tokens {
		if id := x.ids[t]; id >= 0 {
			s, start := &x.stems[id], tokens[t].Start
			s.isName = s.isName || s.isFigure || text.IsUpper(answer[start]) && !BeginsSentence(answer[:start])
		}
	}
	for i := range x.stems {
		if s := &x.stems[i]; !s.isName {
			s.weight *= wordingWeight
		}
	}
}

// BeginsSentence reports whether the word after this text starts a sentence.
func BeginsSentence(before string) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ' ', '\t', '"', '\'', '(', '*', '_', '#':
		case '.', '!', '?', ':', '\n', '-':
			return true
		default:
			return false
		}
	}
	return true
}
