package cells

import (
	"strings"

	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// readValue sets kind, figures and words of the cell.
func (x *Index) readValue(c *Cell, value string, known []text.Token) {
	c.FirstFigure, c.FirstWord = int32(len(x.Figures)), int32(len(x.Words))
	c.EndFigure, c.EndWord = c.FirstFigure, c.FirstWord
	if kind, ok := wordValue(value); ok {
		c.Kind = kind
		return
	}
	if known == nil {
		x.tokens = x.tokenizer.Append(x.tokens[:0], value)
	} else {
		x.copyTokens(known, c.Start)
	}
	if len(x.tokens) > proseWords {
		x.plain = false
	}
	c.Kind = TextValue
	x.readFigures(c, value)
	if c.Kind == TextValue {
		x.addWords(value)
		c.EndWord = int32(len(x.Words))
		if c.EndWord == c.FirstWord+1 {
			if code := x.Synonyms.Code(value); code != synonyms.NoConcept {
				x.Words[c.FirstWord].Concept = code
			}
		}
	}
}

// copyTokens takes the tokens of a value that starts at that byte of its source.
func (x *Index) copyTokens(known []text.Token, start int32) {
	x.tokens = append(x.tokens[:0], known...)
	for i := range x.tokens {
		t := &x.tokens[i]
		t.Start, t.End = t.Start-start, t.End-start
	}
}

// wordValue returns the kind of a word for true, false or no value.
func wordValue(value string) (kind ValueKind, ok bool) {
	value = strings.TrimSpace(value)
	if value == "" {
		return NullValue, true
	}
	if len(value) > 9 {
		return TextValue, false
	}
	v, ok := wordValues[text.Hash(value)]
	return v, ok
}

var wordValues = readWordValues() //nolint:gochecknoglobals // a read-only table

func readWordValues() map[uint64]ValueKind {
	table := map[uint64]ValueKind{}
	for kind, words := range map[ValueKind]string{
		NullValue:  "null none n/a na nan - – — nil unknown undefined",
		TrueValue:  "true yes y ja ✓ ✔ oui sí",
		FalseValue: "false no n nein ✗ ✘ non",
	} {
		for w := range strings.FieldsSeq(words) {
			table[text.Hash(w)] = kind
		}
	}
	return table
}

// readFigures reads the figures of the value. A value that is nothing but figures is a number.
func (x *Index) readFigures(c *Cell, value string) {
	x.scratch = figures.Append(x.scratch[:0], value, x.tokens)
	covered, col := 0, &x.Columns[c.Column]
	clock, timed := clockOf(value)
	leads := startsFigure(value)
	for i := range x.scratch {
		f := x.scratch[i]
		if x.isNoFigure(&f) {
			continue
		}
		covered += int(f.Last - f.First)
		col.giveUnit(&f)
		if f.Kind == figures.Date || leads && !timed {
			x.Figures = append(x.Figures, f)
		}
	}
	if timed {
		x.Figures = append(x.Figures, figures.Figure{Kind: figures.Clock, Value: clock})
		covered = len(x.tokens)
	}
	if seconds, ok := durationOf(value); ok {
		x.Figures = append(x.Figures, figures.Figure{Value: seconds, Unit: figures.Unit{Dimension: figures.Duration, Factor: 1}})
		covered = len(x.tokens)
	}
	if len(x.Figures)-int(c.FirstFigure) > maxValues {
		x.Figures = x.Figures[:c.FirstFigure]
	}
	c.EndFigure = int32(len(x.Figures))
	if c.EndFigure > c.FirstFigure && covered >= len(x.tokens) {
		c.Kind = NumberValue
	}
}

// isNoFigure reports weekdays and months, and digits that are part of a word: "01L".
func (x *Index) isNoFigure(f *figures.Figure) bool {
	if f.Kind == figures.Date {
		return f.Weekday != 0 || f.Year == 0 && f.Day == 0
	}
	return f.Kind == figures.Count && x.tokens[f.First].Kind == text.Word && !f.Spelled
}

// giveUnit gives a bare number the unit of the key.
func (c *Column) giveUnit(f *figures.Figure) {
	f.Counts = false
	if f.Kind != figures.Count || f.Unit.Dimension != figures.None {
		return
	}
	f.Unit = c.Unit
	switch {
	case c.Percent:
		f.Kind = figures.Percent
	case c.Unit.Dimension >= figures.Dollar && c.Unit.Dimension <= figures.Rupee:
		f.Kind = figures.Money
	}
}

// startsFigure reports a value that starts with a digit, a sign or a currency.
func startsFigure(value string) bool {
	c := value[0]
	return c >= '0' && c <= '9' || c == '-' || c == '+' || isCurrency(value)
}

func isCurrency(value string) bool {
	return strings.HasPrefix(value, "$") || strings.HasPrefix(value, "€") || strings.HasPrefix(value, "£") || strings.HasPrefix(value, "~")
}

// clockOf returns the time of an ISO 8601 time in minutes: 2025-03-04T09:12:00Z.
func clockOf(s string) (minutes float64, ok bool) {
	if len(s) < 16 || s[4] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' {
		return 0, false
	}
	for _, i := range [...]int{0, 11, 12, 14, 15} {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	return float64(s[11]-'0')*600 + float64(s[12]-'0')*60 + float64(s[14]-'0')*10 + float64(s[15]-'0'), true
}

// durationOf returns the seconds of "1h 10m" and "95 min 3 s".
func durationOf(s string) (seconds float64, ok bool) {
	if len(s) > 16 {
		return 0, false
	}
	n, parts, digits := 0, 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		unit := secondsOf(c)
		switch {
		case c >= '0' && c <= '9':
			n, digits = n*10+int(c-'0'), true
		case digits && unit > 0:
			seconds += float64(n) * unit
			n, digits = 0, false
			parts++
			i += lettersAfter(s[i+1:])
		case c != ' ':
			return 0, false
		}
	}
	return seconds, parts > 1 && !digits
}

// lettersAfter counts the lower-case letters at the start.
func lettersAfter(s string) (n int) {
	for n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
		n++
	}
	return n
}

// secondsOf returns the seconds of the unit h, m or s, 0 for another letter.
func secondsOf(unit byte) float64 {
	switch unit {
	case 'h':
		return 3600
	case 'm':
		return 60
	case 's':
		return 1
	default:
		return 0
	}
}
