package citation

import (
	"math"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/citations"
	"confab/internal/text/figures"
)

// index holds the terms of the claims of one answer, and where the sources have them.
type index struct {
	doc        *detectors.Document
	mode       text.MatchMode
	claims     []claim
	references []citations.Reference
	overflow   bool                 // references were left out
	rows       []detectors.Evidence // of the finding

	terms   []term
	byKey   map[uint64]int32
	filter  [64]uint64 // bits of the keys, so that most tokens of sources need no look-up
	at      []int32    // by token of the answer: its term, noTerm if it is none
	keyed   bool       // some term is a figure that several forms may write
	figures []figures.Figure
	hits    []hit

	pass   int32     // of comparing a claim
	chosen []int32   // its terms
	covers []float64 // by source: weight of its terms there
	pairs  []float64 // by sentence: weight of its terms there and in the next sentence; 0 between passes
}

// term is a word or figure of the claims.
type term struct {
	figure, name     bool
	weight           float64
	first, sentences int32 // its last hit in the order of reading, and how many sentences have it
	pass             int32 // the last one in which it was chosen
}

// hit is a sentence of the sources that has a term; next is the term's hit before it.
type hit struct{ sentence, next int32 }

const noTerm = -1

// Weights of terms: of rarity in the sources, of any word, and the factor of names and figures.
const (
	wordWeight   = 2.1
	namedFactor  = 1.3
	minTerms     = 3  // of a part; a shorter one is wrong only if its sentence is, too
	reach        = 40 // tokens on each side of such a part that count as its sentence
	filterShift  = 52
	figureMarker = 0x9E3779B97F4A7C15 // keys of figures differ from those of words
)

func (x *index) reset(doc *detectors.Document) {
	x.doc, x.mode, x.overflow, x.keyed, x.pass = doc, doc.MatchMode(), false, false, 0
	x.claims, x.references, x.terms, x.hits, x.at = x.claims[:0], x.references[:0], x.terms[:0], x.hits[:0], x.at[:0]
	x.filter = [64]uint64{}
	if x.byKey == nil {
		x.byKey = map[uint64]int32{}
	}
	clear(x.byKey)
	n := len(doc.AllSourceSentences())
	x.pairs = slices.Grow(x.pairs[:0], n)[:n]
	clear(x.pairs)
}

// readClaims makes the terms of the sentences with markers.
func (x *index) readClaims() {
	tokens, answer := x.doc.Tokens(), x.doc.Text()
	for len(x.at) < len(tokens) {
		x.at = append(x.at, noTerm)
	}
	read := int32(0)
	for i := range x.claims {
		s := x.claims[i].sentence
		if s.Last <= read {
			continue
		}
		read = s.Last
		x.doc.Work().Spend(s.Len())
		if s.Len() > 1 && isListNumber(&tokens[s.First], answer) {
			s.First++
		}
		for t := s.First; t < s.Last; t++ {
			if x.isContent(&tokens[t]) {
				first, _ := utf8.DecodeRuneInString(answer[tokens[t].Start:])
				x.at[t] = x.term(x.mode.Key(&tokens[t], answer), tokens[t].Kind == text.Number || unicode.IsDigit(first), unicode.IsUpper(first))
			}
		}
		x.figures = figures.Append(x.figures[:0], answer, tokens[s.First:s.Last])
		for k := range x.figures {
			f := &x.figures[k]
			key, ok := figureKey(f)
			if !ok || tokens[s.First+f.First].Has(text.Marker) {
				continue
			}
			for t := s.First + f.First; t < s.First+f.Last; t++ {
				x.at[t] = noTerm
			}
			x.at[s.First+f.First] = x.term(key, true, false)
			x.keyed = true
		}
	}
}

// isListNumber reports the number of a list item at the start of a sentence.
func isListNumber(t *text.Token, s string) bool {
	return t.Kind == text.Number && int(t.End) < len(s) && (s[t.End] == '.' || s[t.End] == ')')
}

// term is the term with this key.
func (x *index) term(key uint64, figure, name bool) int32 {
	t, ok := x.byKey[key]
	if !ok {
		t = int32(len(x.terms))
		x.byKey[key] = t
		x.terms = append(x.terms, term{first: noTerm})
		x.filter[key>>(64-6)] |= 1 << (key >> filterShift & 63)
	}
	x.terms[t].figure = x.terms[t].figure || figure
	x.terms[t].name = x.terms[t].name || name
	return t
}

// figureKey is the key of a figure that is written in several forms: a date, a time, a scaled or spelled number. ok is false
// for others: their tokens are their keys.
func figureKey(f *figures.Figure) (key uint64, ok bool) {
	var v uint64
	switch {
	case f.Kind == figures.Date && f.Month > 0 && f.Day > 0:
		v = 1<<32 | uint64(f.Month)<<8 | uint64(f.Day)
	case f.Kind == figures.Date && f.Month > 0:
		v = 2<<32 | uint64(f.Month)<<16 | uint64(f.Year)
	case f.Kind == figures.Clock:
		v = 3<<32 | uint64(f.Value)
	case f.Kind <= figures.Ordinal && f.Scaled:
		v = math.Float64bits(f.Value)
	default:
		return 0, false
	}
	hi, lo := bits.Mul64(v^figureMarker, figureMarker)
	return hi ^ lo, true
}

// readSources finds the terms in the sources, and weighs them.
func (x *index) readSources() {
	sentences, tokens := x.doc.AllSourceSentences(), x.doc.SourceTokens()
	for s := range sentences {
		body := x.doc.Source(int(sentences[s].Source))
		own := tokens[sentences[s].First:sentences[s].Last]
		if !x.doc.Work().Spend(1 + len(own)/detectors.ScanRows) {
			return
		}
		for i := range own {
			if x.mode.IsContent(&own[i]) {
				x.addHit(x.mode.Key(&own[i], body), int32(s))
			}
		}
		if !x.keyed {
			continue
		}
		x.figures = figures.Append(x.figures[:0], body, own)
		for i := range x.figures {
			if key, ok := figureKey(&x.figures[i]); ok {
				x.addHit(key, int32(s))
			}
		}
	}
	n := float64(len(sentences))
	for i := range x.terms {
		t := &x.terms[i]
		t.weight = wordWeight + math.Log(1+n/float64(max(1, t.sentences)))
		if t.figure || t.name {
			t.weight *= namedFactor
		}
	}
}

// addHit notes that the sentence has the term with this key, if there is one.
func (x *index) addHit(key uint64, sentence int32) {
	if x.filter[key>>(64-6)]>>(key>>filterShift&63)&1 == 0 {
		return
	}
	i, ok := x.byKey[key]
	if !ok {
		return
	}
	t := &x.terms[i]
	if t.first >= 0 && x.hits[t.first].sentence == sentence {
		return
	}
	x.hits = append(x.hits, hit{sentence: sentence, next: t.first})
	t.first = int32(len(x.hits) - 1)
	t.sentences++
}
