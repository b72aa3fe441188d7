package evidence

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// Flags are roles of a term.
type Flags uint16

// The flags of a term.
const (
	Stop    Flags = 1 << iota // too common to compare
	Capital                   // begins with a capital letter, or is a word with digits
	First                     // the first word of a sentence
	Head                      // context: a header, a key, the path of a record
	Pause                     // a comma, colon, dash, bracket or conjunction stands before it: a new clause
	Halt                      // a semicolon, bar or border of a cell stands before it
	Negates                   // "not" and the like
	Numeric                   // a figure or a number
)

// Term is a word or a figure of a text.
type Term struct {
	Key        uint64 // of the stem, or of the value of a figure
	Word       uint64 // of the word as it is written, in lower case
	Start, End int32  // bytes of the text
	Figure     int32  // index among the figures of its side, -1 for none
	ID         int16  // number of Key among the terms of the answer, -1 for none
	Flags      Flags
}

// Has reports whether the term has any of the flags.
func (t *Term) Has(f Flags) bool { return t.Flags&f != 0 }

// Figure is a figure of a unit.
type Figure struct {
	figures.Figure
	Term int32 // index of its term
	Unit int32 // index of its unit
}

// Unit is a unit of the answer or of the evidence.
type Unit struct {
	Start, End int32      // bytes of its text
	Source     int32      // index of the source, -1 for a turn of the user
	Terms      text.Range // into Side.Terms
	Figures    text.Range // into Side.Figures
	Context    text.Range // of the answer: terms of the lead-in above, into Side.Terms
	Form       units.Form
	Kind       units.Kind
}

// Side is the answer, or all evidence, in units.
type Side struct {
	Units   []Unit
	Terms   []Term
	Figures []Figure
}

// TermsOf returns the terms of the i-th unit.
func (s *Side) TermsOf(i int) []Term { r := s.Units[i].Terms; return s.Terms[r.First:r.Last] }

// FiguresOf returns the figures of the i-th unit.
func (s *Side) FiguresOf(i int) []Figure { r := s.Units[i].Figures; return s.Figures[r.First:r.Last] }

func (s *Side) reset() { s.Units, s.Terms, s.Figures = s.Units[:0], s.Terms[:0], s.Figures[:0] }

// reader turns the tokens of texts into terms.
type reader struct {
	mode      text.MatchMode
	figureOf  []int32  // by token: its figure plus one
	turn      Prepared // of the user, with what it is made of
	list      units.List
	sentences []text.Span
	ranges    []text.Range
}

// read appends the units of one text.
func (r *reader) read(side *Side, p *Prepared, source int32) {
	r.readFigures(p)
	for i := range p.Units.Units {
		u := &p.Units.Units[i]
		unit := Unit{Start: u.Start, End: u.End, Source: source, Form: u.Form, Kind: u.Kind}
		unit.Terms.First, unit.Figures.First = int32(len(side.Terms)), int32(len(side.Figures))
		for n, run := range p.Units.RunsOf(i) {
			r.readRun(side, p, run, n > 0 && (run.Head || u.Form != units.Sentence))
		}
		unit.Terms.Last, unit.Figures.Last = int32(len(side.Terms)), int32(len(side.Figures))
		if unit.Terms.Len() > 0 {
			side.Terms[unit.Terms.First].Flags |= First
		}
		if u.Form == units.Row || u.Form == units.Record {
			side.nameUnits(unit.Terms)
		}
		side.Units = append(side.Units, unit)
	}
}

// nameUnits gives figures without a unit that of the name of their field: "weight_kg", "Price (EUR)".
func (s *Side) nameUnits(r text.Range) {
	var unit figures.Unit
	for i := r.First; i < r.Last; i++ {
		t := &s.Terms[i]
		if t.Has(Head) {
			unit, _ = figures.UnitNamed(&text.Token{Hash: t.Word})
			continue
		}
		if t.Figure < 0 || unit.Dimension == figures.None {
			continue
		}
		if f := &s.Figures[t.Figure].Figure; f.Kind == figures.Count && f.Unit.Dimension == figures.None {
			f.Unit = unit
			if unit.Dimension >= figures.Dollar && unit.Dimension <= figures.Ruble {
				f.Kind = figures.Money
			}
		}
	}
}

func (r *reader) readFigures(p *Prepared) {
	r.figureOf = append(r.figureOf[:0], make([]int32, len(p.Tokens))...)
	for i := range p.Figures {
		f := &p.Figures[i]
		if f.Kind == figures.Label || f.Spelled && (f.Kind == figures.Ordinal || f.Value == 1 && f.Unit.Dimension == figures.None) { // "one of them"
			continue
		}
		for t := f.First; t < f.Last && int(t) < len(p.Tokens); t++ {
			r.figureOf[t] = int32(i) + 1
		}
	}
}

func (r *reader) readRun(side *Side, p *Prepared, run units.Run, border bool) {
	s, tokens := p.Text, p.Tokens
	unit := int32(len(side.Units))
	last := int32(-1) // figure of the token before
	end := int32(-1)  // of the token before
	for i := run.First; i < run.Last; i++ {
		t := &tokens[i]
		if t.Has(text.Marker) {
			continue
		}
		f := r.figureOf[i] - 1
		if f >= 0 && f == last {
			end = t.End
			continue
		}
		last = f
		term := Term{Word: t.Hash, Start: t.Start, End: t.End, Figure: -1, ID: -1}
		switch {
		case end >= 0:
			term.Flags = gapFlags(s[end:max(end, t.Start)])
		case border:
			term.Flags = Halt | Pause
		}
		if run.Head {
			term.Flags |= Head
		}
		end = t.End
		if f >= 0 {
			fig := Figure{Figure: p.Figures[f], Term: int32(len(side.Terms)), Unit: unit}
			term.Key, term.Figure, term.End = figureKey(&fig.Figure), int32(len(side.Figures)), fig.End
			term.Flags |= Numeric
			side.Figures = append(side.Figures, fig)
		} else {
			r.readWord(&term, s, tokens, i)
		}
		side.Terms = append(side.Terms, term)
	}
}

func (r *reader) readWord(term *Term, s string, tokens []text.Token, i int32) {
	t := &tokens[i]
	term.Key = r.mode.Key(t, s)
	if !r.mode.IsContent(t) {
		term.Flags |= Stop
	}
	if t.Has(text.Negation|text.ForeignNegation|text.Lack) && !isNumberSign(s, tokens, i) {
		term.Flags |= Negates
	}
	switch {
	case t.Kind == text.Number:
		term.Flags |= Numeric
	case IsCapital(t.In(s)):
		term.Flags |= Capital
	}
}

var hashNo = text.Hash("no") //nolint:gochecknoglobals // read-only

// isNumberSign reports "no" for "number": "invoice_no", "Order no 88412", unlike "no 24-hour support".
func isNumberSign(s string, tokens []text.Token, i int32) bool {
	t := &tokens[i]
	if t.Hash != hashNo || int(i)+1 == len(tokens) {
		return false
	}
	at := tokens[i+1].Start
	rest := strings.TrimLeft(s[at:], "0123456789")
	isNumber := len(rest) < len(s)-int(at) && strings.Trim(s[t.End:at], ` .:"`) == "" && !strings.HasPrefix(rest, "-")
	return t.Start > 0 && s[t.Start-1] == '_' || i > 0 && !tokens[i-1].Stop() && isNumber
}

// IsCapital reports a word that begins with a capital letter or has a digit.
func IsCapital(w string) bool {
	if c := w[0]; c < utf8.RuneSelf {
		if text.IsUpper(c) {
			return true
		}
	} else if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
		return true
	}
	for i := range len(w) {
		if c := w[i]; c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}

// gapFlags reads what stands between two tokens.
func gapFlags(gap string) (f Flags) {
	if gap == " " {
		return 0
	}
	for i := range len(gap) {
		switch gap[i] {
		case ',', ':', '(', ')':
			f |= Pause
			if gap[i] == ':' {
				f |= First
			}
		case ';', '|':
			f |= Pause | Halt
		case '.', '!', '?':
			f |= First | Pause
		case 0xE2: // dashes and other punctuation, but "30 €"
			if c, _ := utf8.DecodeRuneInString(gap[i:]); !unicode.In(c, unicode.Sc, unicode.Zs) {
				f |= Pause
			}
		}
	}
	return f
}

// figureKey is the key of a figure: of the day and month of a date, else of its year; of a time of day; or of a number, whatever
// its unit.
func figureKey(f *figures.Figure) uint64 {
	switch {
	case f.Kind == figures.Date && f.Month != 0:
		return mix(1, uint64(f.Month)<<8|uint64(f.Day))
	case f.Kind == figures.Date && f.Year != 0:
		return mix(2, uint64(f.Year))
	case f.Kind == figures.Date:
		return mix(3, uint64(f.Weekday)<<16|uint64(f.Period))
	case f.Kind == figures.Clock:
		return mix(4, math.Float64bits(f.Value))
	case f.Kind == figures.Code:
		return mix(5, math.Float64bits(f.Value))
	default:
		return mix(6, math.Float64bits(max(f.Value, f.Alternative)))
	}
}

// mix hashes an ordered pair.
func mix(a, b uint64) uint64 {
	h := (a^0x9E3779B97F4A7C15)*0xBF58476D1CE4E5B9 ^ b
	h = (h ^ h>>29) * 0x94D049BB133111EB
	return h ^ h>>32
}
