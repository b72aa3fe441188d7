package figureindex

import (
	"math"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/numerals"
)

// maxForms bounds the forms of the answer, and of the sources.
const maxForms = 256

// formBytes are bytes of text that are searched for forms, per unit of [detectors.Work].
const formBytes = 4

// Form is a number in a form that other languages than English have: "31 400", "九千", "3.14万", "9点35分".
type Form struct {
	Value       float64 // in minutes for a time
	Clock       bool
	First, Last int32 // tokens, half open
	Sentence    int32 // of a source
}

// Forms are the numbers in such forms of an answer and of its sources. They support figures and are no facts themselves.
type Forms struct{ Answer, Sources []Form }

// FormsOf returns the forms of the document: spaced digits in other languages in Latin script, characters in Chinese.
func FormsOf(d *detectors.Document) *Forms {
	x, fresh := detectors.Scratch[Forms](d)
	if !fresh {
		return x
	}
	x.Answer, x.Sources = x.Answer[:0], x.Sources[:0]
	chinese := d.Language() == text.LanguageOf(text.Ideographic, nil)
	if d.MatchMode() != text.Foreign && !chinese {
		return x
	}
	if !d.Work().Spend(len(d.Text()) / formBytes) {
		return x
	}
	x.Answer = appendForms(x.Answer, d.Text(), d.Tokens(), chinese)
	sentences, tokens := d.AllSourceSentences(), d.SourceTokens()
	for i := range sentences {
		s := &sentences[i]
		if !d.Work().Spend(1 + int(s.End-s.Start)/formBytes) {
			return x
		}
		first := len(x.Sources)
		x.Sources = appendForms(x.Sources, d.Source(int(s.Source)), tokens[s.First:s.Last], chinese)
		for k := first; k < len(x.Sources); k++ {
			x.Sources[k].Sentence = int32(i)
		}
	}
	return x
}

func appendForms(dst []Form, s string, tokens []text.Token, chinese bool) []Form {
	if chinese {
		return appendWritten(dst, s, tokens)
	}
	for i := 0; i+1 < len(tokens) && len(dst) < maxForms; i++ {
		one, next := &tokens[i], &tokens[i+1]
		if one.Kind != text.Number || next.Kind != text.Number || !numerals.IsSpacedGroup(one.In(s), text.Between(s, one.End, next.Start), next.In(s)) {
			continue
		}
		f := Form{Value: numerals.ParseDigits(one.In(s))*1e3 + numerals.ParseDigits(next.In(s)), First: int32(i)}
		for i++; i+1 < len(tokens) && numerals.IsSpacedGroup("1", text.Between(s, tokens[i].End, tokens[i+1].Start), tokens[i+1].In(s)); i++ {
			f.Value = f.Value*1e3 + numerals.ParseDigits(tokens[i+1].In(s))
		}
		f.Last = int32(i) + 1
		dst = append(dst, f)
	}
	return dst
}

// appendWritten appends numbers of characters. The characters of the tokens overlap.
func appendWritten(dst []Form, s string, tokens []text.Token) []Form {
	if len(tokens) == 0 {
		return dst
	}
	from := 0
	for at, end := int(tokens[0].Start), int(tokens[len(tokens)-1].End); at < end && len(dst) < maxForms; {
		w, ok := numerals.ReadChinese(s, at)
		if !ok {
			at += skipNumber(s[at:])
			continue
		}
		for from < len(tokens) && int(tokens[from].End) <= at {
			from++
		}
		f := Form{Value: w.Value, Clock: w.Clock, First: int32(from), Last: int32(from)}
		for int(f.Last) < len(tokens) && int(tokens[f.Last].Start) < w.End {
			f.Last++
		}
		dst = append(dst, f)
		at = w.End
	}
	return dst
}

// skipNumber is the length of the digits at the start of s, or of one character.
func skipNumber(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	if n > 0 {
		return n
	}
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// Sentence returns the source sentence with the value of the answer's form, -1 for none.
func (x *Forms) Sentence(index *Index, f *Form) int32 {
	if s := x.sentenceOf(f.Value, f.Clock); s >= 0 {
		return s
	}
	for i := range index.Sources {
		g := &index.Sources[i]
		if (g.Kind == figures.Clock) == f.Clock && (isAmount(&g.Figure) || f.Clock) && sameNumber(g.Value, f.Value) {
			return g.Sentence
		}
	}
	return -1
}

// FigureSentence returns the source sentence with the answer's figure in another form, -1 for none.
func (x *Forms) FigureSentence(index *Index, f *figures.Figure) int32 {
	if len(x.Answer)+len(x.Sources) == 0 {
		return -1
	}
	for i := range x.Answer {
		if g := &x.Answer[i]; f.First >= g.First && f.Last <= g.Last {
			return x.Sentence(index, g)
		}
	}
	if !isAmount(f) && f.Kind != figures.Clock {
		return -1
	}
	return x.sentenceOf(f.Value, f.Kind == figures.Clock)
}

func (x *Forms) sentenceOf(value float64, clock bool) int32 {
	for i := range x.Sources {
		if f := &x.Sources[i]; f.Clock == clock && sameNumber(f.Value, value) {
			return f.Sentence
		}
	}
	return -1
}

func sameNumber(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) }
