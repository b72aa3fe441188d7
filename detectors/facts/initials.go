package facts

import (
	"strings"

	"confab/detectors"
	"confab/internal/text"
)

// abbreviated reports a name whose initials are in the sources, or initials whose name is.
func (x *Check) abbreviated(d *detectors.Document, first, last int32) bool {
	tokens := d.Tokens()
	x.work.Spend(len(regionTable)/2 + len(d.SourceTokens())/2)
	for i := range regionTable {
		r := &regionTable[i]
		switch d.Text()[tokens[first].Start:tokens[last-1].End] {
		case r.name:
			if x.anyToken(d, r.code) {
				return true
			}
		case r.letters:
			if x.holdsText(d, r.name) {
				return true
			}
		}
	}
	if last == first+1 {
		return x.spelledOut(d, tokens[first].In(d.Text()))
	}
	var buf [8]byte
	n := 0
	for t := first; t < last && n < len(buf); t++ {
		buf[n] = d.Text()[tokens[t].Start]
		n++
	}
	return x.anyText(d, buf[:n])
}

func (x *Check) anyToken(d *detectors.Document, hash uint64) bool {
	tokens := d.SourceTokens()
	x.work.Spend(len(tokens) / detectors.ScanRows)
	for i := range tokens {
		if tokens[i].Hash == hash {
			return true
		}
	}
	return false
}

func (x *Check) holdsText(d *detectors.Document, s string) bool {
	for i := range d.Sources() {
		x.work.Spend(1 + len(d.Source(i))/detectors.SearchBytes)
		if strings.Contains(d.Source(i), s) {
			return true
		}
	}
	return false
}

// anyText reports whether the letters are a word of a source.
func (x *Check) anyText(d *detectors.Document, letters []byte) bool {
	sentences, tokens := d.AllSourceSentences(), d.SourceTokens()
	for s := range sentences {
		sentence := &sentences[s]
		source := d.Source(int(sentence.Source))
		for k := sentence.First; k < sentence.Last; k++ {
			if w := tokens[k].In(source); len(w) == len(letters) && w == string(letters) {
				return true
			}
		}
	}
	return false
}

// spelledOut reports initials of consecutive words of a source: WHO or W.H.O. and World Health Organization.
func (x *Check) spelledOut(d *detectors.Document, initials string) bool {
	var buf [8]byte
	letters := buf[:0]
	for i := 0; i < len(initials) && len(letters) < len(buf); i++ {
		switch c := initials[i]; {
		case c == '.':
		case text.IsUpper(c):
			letters = append(letters, c)
		default:
			return false
		}
	}
	if len(letters) < 2 || len(letters) == len(buf) {
		return false
	}
	sentences := d.AllSourceSentences()
	for s := range sentences {
		if holdsInitials(d, &sentences[s], letters) {
			return true
		}
	}
	return false
}

// holdsInitials reports consecutive words that start with the letters, ignoring stop words.
func holdsInitials(d *detectors.Document, sentence *detectors.SourceSentence, letters []byte) bool {
	source, n := d.Source(int(sentence.Source)), 0
	tokens := d.SourceTokens()
	for k := sentence.First; k < sentence.Last; k++ {
		w := &tokens[k]
		switch {
		case source[w.Start] == letters[n]:
			n++
		case !w.Stop():
			n = 0
		}
		if n == len(letters) {
			return true
		}
	}
	return false
}
