package figures

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// Append appends the figures of s in order. tokens are all or some tokens of s. The figures in dst may be of other texts: they
// are not read and do not change.
func Append(dst []Figure, s string, tokens []text.Token) []Figure {
	p := scanner{s: s, tokens: tokens, dst: dst, first: len(dst)}
	for i := numberWords.FirstStart(tokens, 0); i < len(tokens); i = numberWords.FirstStart(tokens, i) {
		switch t := &tokens[i]; {
		case t.Kind == text.Gram:
			i = p.ideographs(i)
		case isDigit(s[t.Start]) || t.Kind == text.Number:
			i = p.digits(i)
		case t.Kind == text.Word:
			i = p.spelled(i, p.find(i))
		default:
			i++
		}
	}
	return p.dst
}

type scanner struct {
	s      string
	tokens []text.Token
	dst    []Figure
	first  int // figures of dst that are not of s
}

// previous is the last figure of the text so far, nil for none.
func (p *scanner) previous() *Figure {
	if len(p.dst) == p.first {
		return nil
	}
	return &p.dst[len(p.dst)-1]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// gap is the text between token i and the next, empty at the end.
func (p *scanner) gap(i int) string {
	if i < 0 || i+1 >= len(p.tokens) {
		return ""
	}
	return plainGap(text.Between(p.s, p.tokens[i].End, p.tokens[i+1].Start))
}

// plainGap is a gap without invisible characters, with one space for several, wide and narrow ones.
func plainGap(gap string) string {
	if len(gap) < 2 {
		return gap
	}
	if strings.IndexFunc(gap, isInvisible) >= 0 {
		gap = strings.Map(func(r rune) rune {
			if isInvisible(r) {
				return -1
			}
			return r
		}, gap)
	}
	if gap != "" && !IsGroupGap(gap) && strings.TrimFunc(gap, func(r rune) bool { return unicode.Is(unicode.Zs, r) }) == "" {
		return " "
	}
	return gap
}

func isInvisible(r rune) bool { return isWide(r) && unicode.Is(unicode.Cf, r) }

// after is the text after token i, at most n bytes.
func (p *scanner) after(i, n int) string {
	end := int(p.tokens[i].End)
	return p.s[end:min(len(p.s), end+n)]
}

// before is the byte before token i, 0 at the start.
func (p *scanner) before(i int) byte {
	if start := p.tokens[i].Start; start > 0 {
		return p.s[start-1]
	}
	return 0
}

func (p *scanner) word(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	w := p.tokens[i].In(p.s)
	if p.tokens[i].Kind == text.Number && strings.IndexFunc(w, isWide) >= 0 {
		return strings.Map(plainDigit, w)
	}
	return w
}

func isWide(r rune) bool { return r >= utf8.RuneSelf }

// plainDigit is a digit of any script in ASCII; -1 for invisible characters, which a number may hold.
func plainDigit(r rune) rune {
	if !isWide(r) {
		return r
	}
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return '0' + (r-rune(t.Lo))%10
		}
	}
	return -1
}

func (p *scanner) hash(i int) uint64 {
	if i < 0 || i >= len(p.tokens) {
		return 0
	}
	return p.tokens[i].Hash
}

// isWordGap reports a gap within one figure: a space, a hyphen, or nothing, also beside emphasis or code.
func isWordGap(gap string) bool {
	gap = strings.Trim(gap, "*_`")
	return gap == " " || gap == "-" || gap == "" || gap == "\u00A0" || gap == " -"
}

// emit appends a figure over the tokens first..last and returns the next token.
func (p *scanner) emit(f Figure, first, last int) int {
	f.Counts = p.gap(last-1) == " " && p.tokens[last].Kind == text.Word
	f.First, f.Last, f.Start, f.End = int32(first), int32(last), p.tokens[first].Start, p.tokens[last-1].End
	p.dst = append(p.dst, f)
	return last
}

// shortValue is the value of a token of one or two digits, -1 for another token.
func (p *scanner) shortValue(i int) int { return p.digitsValue(i, 2) }

// digitsValue is the value of a token of at most n digits, -1 for another token.
func (p *scanner) digitsValue(i, n int) int {
	w := p.word(i)
	if w == "" || len(w) > n {
		return -1
	}
	v := 0
	for k := range len(w) {
		if !isDigit(w[k]) {
			return -1
		}
		v = v*10 + int(w[k]-'0')
	}
	return v
}

// digits reads a figure that starts with digits at token i, and returns the next token.
func (p *scanner) digits(i int) int {
	if p.tokens[i].Has(text.Marker) {
		return i + 1
	}
	if !p.isPlain(i) {
		if next, ok := p.numericDate(i); ok {
			return next
		}
		if next, ok := p.identifier(i); ok {
			return next
		}
	}
	if next, ok := p.clock(i); ok {
		return next
	}
	if next, ok := p.dayFirst(i); ok {
		return next
	}
	return p.number(i)
}

// isPlain reports a number of up to four digits before a space or colon: neither a date in digits nor an identifier starts so.
func (p *scanner) isPlain(i int) bool {
	t, gap, before := &p.tokens[i], p.gap(i), p.before(i)
	return t.Kind == text.Number && t.End-t.Start <= 4 && p.s[t.Start] != '0' && (gap == " " || gap == ":") && before != '+' && before != '('
}

// scales applies "hundred", "million", "dozen" after a number.
func (p *scanner) scales(f *Figure, last int) int {
	if p.hash(last) == hashM && p.gap(last-1) == " " && p.word(last) == "M" {
		if _, ok := currencySign(p.after(last, len("€"))); ok { // 3,2 M€
			f.Value, f.Scaled = f.Value*1e6, true
			return last + 1
		}
	}
	for last < len(p.tokens) && isWordGap(p.gap(last-1)) {
		w := numberWords.Find(p.tokens[last].Hash)
		if w.Class != Scale && w.Class != Hundred && w.Class != Dozen {
			break
		}
		f.Value *= w.Value
		f.Scaled = true
		last++
	}
	return last
}

// isLabel reports a number that is not a fact: the number of a source, a word count of the answer, or part of an idiom or
// name such as "4 out of 5", "seven days a week", COVID-19, /orders/17.
func (p *scanner) isLabel(i, last int) bool {
	w, gap := p.word(i), p.gap(i-1)
	switch {
	case p.afterLabel(i), p.hash(i-1) == hashThe && p.digitsValue(i, 9) < 0, gap == "_" || gap == "/" && strings.HasSuffix(p.gap(i-2), "/") && p.tokens[i-1].Kind == text.Word && p.digitsValue(i, 9) >= 0:
		return true
	case p.hash(i-1) == hashOf && p.hash(i-2) == hashOut, (p.hash(i) == hashSeven || w == "7") && p.hash(last) == hashDays && p.hash(last+1) == hashA:
		return true
	case gap == "-" && isUpper(p.word(i-1)) && p.tokens[i-1].Kind == text.Word && !IsYear(w):
		return true
	case w == "24" && p.word(i+1) == "7", w == "7" && p.word(i-1) == "24":
		return p.gap(i) == "/" || gap == "/"
	}
	return last < len(p.tokens) && countedWords.Has(p.hash(last)) && isWordGap(p.gap(last-1))
}

// isNumbered reports the number of a page, step or source, unlike a price behind such a word: "a colour page 0.15 €".
func (p *scanner) isNumbered(f *Figure, i int) bool {
	return f.Kind == Count && f.Unit.Dimension == None && i > 0 && p.gap(i-1) == " " && labels.Has(p.hash(i-1))
}

// afterLabel reports the second number of "passages 2 and 3".
func (p *scanner) afterLabel(i int) bool {
	if f := p.previous(); f != nil && f.Kind == Label {
		gap := strings.TrimSpace(text.Between(p.s, f.End, p.tokens[i].Start))
		return gap == "," || gap == "and" || gap == "&" || gap == ", and" || gap == "-" || gap == "or"
	}
	return false
}

//nolint:gochecknoglobals // read-only
var (
	hashPercent, hashPer, hashCent = text.Hash("percent"), text.Hash("per"), text.Hash("cent")
	hashPercentage                 = text.Hash("percentage")
	hashThan, hashTo, hashUp       = text.Hash("than"), text.Hash("to"), text.Hash("up")
	hashSeven                      = text.Hash("seven")
	hashMore, hashLess             = text.Hash("more"), text.Hash("less")
	hashFewer, hashGreater         = text.Hash("fewer"), text.Hash("greater")
	hashA, hashAnd, hashOf         = text.Hash("a"), text.Hash("and"), text.Hash("of")
	hashOut, hashDays, hashOr      = text.Hash("out"), text.Hash("days"), text.Hash("or")
	hashOne, hashOClock            = text.Hash("one"), text.Hash("o'clock")
	hashThe, hashDe, hashAn        = text.Hash("the"), text.Hash("de"), text.Hash("an")
	hashY, hashEt                  = text.Hash("y"), text.Hash("et")
	hashSept                       = text.Hash("sept")
	hashNo, hashNot, hashMinus     = text.Hash("no"), text.Hash("not"), text.Hash("minus")
	hashHigher, hashLonger         = text.Hash("higher"), text.Hash("longer")
)
