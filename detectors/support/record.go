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
	for i := 1; i <= len(name); i++ {
		joint := i < len(name) && text.IsUpper(name[i]) && !text.IsUpper(name[i-1])
		if !joint && (i < len(name) || first == 0) {
			continue
		}
		x.parts = x.tokenizer.Append(x.parts[:0], name[first:i])
		for t := range x.parts {
			x.addHit(x.matchMode.Key(&x.parts[t], name[first:i]), sentence)
		}
		first = i
	}
}

// discountWording lowers the weight of the answer's words that are neither figures nor names: words in lower case or at
// the start of a sentence.
func (x *Index) discountWording(d *detectors.Document) {
	tokens, answer := d.Tokens(), d.Text()
	x.isName = resizeSlice(x.isName, len(x.weights))
	clear(x.isName)
	for t := range tokens {
		if id := x.ids[t]; id >= 0 {
			start := tokens[t].Start
			x.isName[id] = x.isName[id] || x.isFigure[id] || text.IsUpper(answer[start]) && !BeginsSentence(answer[:start])
		}
	}
	for id, name := range x.isName {
		if !name {
			x.weights[id] *= wordingWeight
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
