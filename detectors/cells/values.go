package cells

import (
	"strings"

	"confab/detectors"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// readValue sets kind, figures and words of the cell.
func (x *Index) readValue(c *cell, value string) {
	c.firstFigure, c.firstWord = int32(len(x.figures)), int32(len(x.words))
	c.endFigure, c.endWord = c.firstFigure, c.firstWord
	switch strings.ToLower(shortText(value)) {
	case "", "null", "none", "n/a", "na", "nan", "-", "–", "—", "nil", "unknown", "undefined":
		c.kind = nullValue
		return
	case "true", "yes", "y", "ja", "✓", "✔", "oui", "sí":
		c.kind = trueValue
		return
	case "false", "no", "n", "nein", "✗", "✘", "non":
		c.kind = falseValue
		return
	}
	x.tokens = text.AppendTokens(x.tokens[:0], value)
	if len(x.tokens) > proseWords {
		x.plain = false
	}
	c.kind = textValue
	x.readFigures(c, value)
	if c.kind == textValue {
		x.addWords(value, false)
		c.endWord = int32(len(x.words))
		if code := x.synonyms.Code(value); code != synonyms.NoConcept && c.endWord == c.firstWord+1 {
			x.words[c.firstWord].concept = code
		}
		if c.endWord-c.firstWord > maxTextWords {
			x.words, c.endWord = x.words[:c.firstWord], c.firstWord
		}
	}
}

// shortText returns the text if it may be one word, else a word that is none of the special values.
func shortText(value string) string {
	if value = strings.TrimSpace(value); len(value) > 9 {
		return "text"
	}
	return value
}

// readFigures reads the figures of the value. A value that is nothing but figures is a number.
func (x *Index) readFigures(c *cell, value string) {
	x.scratch = figures.Append(x.scratch[:0], value, x.tokens)
	covered, col := 0, &x.columns[c.column]
	clock, timed := clockOf(value)
	for i := range x.scratch {
		f := x.scratch[i]
		if f.Weekday != 0 || f.Kind == figures.Date && f.Year == 0 && f.Day == 0 || f.Kind == figures.Count && x.tokens[f.First].Kind == text.Word && !f.Spelled {
			continue
		}
		covered += int(f.Last - f.First)
		if f.Kind == figures.Count && f.Unit.Dimension == figures.None {
			f.Unit = col.unit
			if col.percent {
				f.Kind = figures.Percent
			} else if col.unit.Dimension >= figures.Dollar && col.unit.Dimension <= figures.Rupee {
				f.Kind = figures.Money
			}
		}
		f.Counts = false
		if timed && f.Kind != figures.Date {
			continue
		}
		if value[0] >= '0' && value[0] <= '9' || value[0] == '-' || value[0] == '+' || isCurrency(value) || f.Kind == figures.Date {
			x.figures = append(x.figures, f)
		}
	}
	if timed {
		x.figures = append(x.figures, figures.Figure{Kind: figures.Clock, Value: clock})
		covered = len(x.tokens)
	}
	if seconds, ok := durationOf(value); ok {
		x.figures = append(x.figures, figures.Figure{Value: seconds, Unit: figures.Unit{Dimension: figures.Duration, Factor: 1}})
		covered = len(x.tokens)
	}
	c.endFigure = int32(len(x.figures))
	if c.endFigure > c.firstFigure && covered >= len(x.tokens) {
		c.kind = numberValue
	}
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
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			n, digits = n*10+int(c-'0'), true
		case c == ' ':
		case digits && (c == 'h' || c == 'm' || c == 's'):
			seconds += float64(n) * map[byte]float64{'h': 3600, 'm': 60, 's': 1}[c]
			n, digits = 0, false
			parts++
			for i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z' {
				i++
			}
		default:
			return 0, false
		}
	}
	return seconds, parts > 1 && !digits
}

// describeColumns finds the columns whose values name the records.
func (x *Index) describeColumns(d *detectors.Document) {
	x.shareWords()
	for i := range x.columns {
		c := &x.columns[i]
		if x.groups[c.group].records < 2 {
			continue
		}
		switch {
		case c.kinds == 1<<textValue:
			c.naming = x.namesRecords(d, int32(i), x.isFirstText(int32(i)))
		case c.kinds == 1<<numberValue && c.unit.Dimension == figures.None && !c.percent:
			c.numbering = x.isFirstColumn(int32(i)) && x.isDistinct(int32(i))
		}
	}
	for i := range x.columns {
		c := &x.columns[i]
		c.lead = (c.naming || c.numbering) && !x.hasLead(c.group, int32(i))
	}
}

func (x *Index) hasLead(g, before int32) bool {
	x.work.Spend(1 + int(before)/detectors.ScanRows)
	for i := range before {
		if x.columns[i].group == g && x.columns[i].lead {
			return true
		}
	}
	return false
}

func (x *Index) isFirstColumn(column int32) bool {
	x.work.Spend(1 + int(column)/detectors.ScanRows)
	for i := range column {
		if x.columns[i].group == x.columns[column].group {
			return false
		}
	}
	return true
}

// isDistinct reports whether no two records have the same number in the column.
func (x *Index) isDistinct(column int32) bool {
	n := 0
	for i := range x.cells {
		a := &x.cells[i]
		if a.column != column || a.endFigure == a.firstFigure {
			continue
		}
		n++
		if !x.work.Spend(1 + (len(x.cells)-i)/detectors.ScanRows) {
			return false
		}
		for k := i + 1; k < len(x.cells); k++ {
			b := &x.cells[k]
			if b.column == column && b.endFigure > b.firstFigure && x.figures[a.firstFigure].Value == x.figures[b.firstFigure].Value {
				return false
			}
		}
	}
	return n > 1
}

// namesRecords reports a column of distinct names: texts with capitals or digits, such as "Hannah Voss" and "node-7". In
// the first column of texts any distinct texts are names.
func (x *Index) namesRecords(d *detectors.Document, column int32, first bool) bool {
	n := 0
	for i := range x.cells {
		a := &x.cells[i]
		if a.column != column {
			continue
		}
		value := d.Source(int(a.source))[a.start:a.end]
		if a.element || a.endWord == a.firstWord || !first && !isNameLike(value) {
			return false
		}
		n++
		if !x.work.Spend(1 + (len(x.cells)-i)/detectors.ScanRows) {
			return false
		}
		for k := i + 1; k < len(x.cells); k++ {
			b := &x.cells[k]
			if b.column == column && d.Source(int(b.source))[b.start:b.end] == value {
				return false
			}
		}
	}
	return n > 1
}

func isNameLike(value string) bool {
	return strings.ContainsAny(value, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.IndexByte(value, '_') < 0
}

// isFirstText reports whether no column before it in the group has texts.
func (x *Index) isFirstText(column int32) bool {
	x.work.Spend(1 + int(column)/detectors.ScanRows)
	for i := range column {
		if c := &x.columns[i]; c.group == x.columns[column].group && (c.kinds == 1<<textValue || c.numbering) {
			return false
		}
	}
	return true
}

// shareWords marks the words that several columns of a group have. A mention needs the others only.
func (x *Index) shareWords() {
	for i := range x.columns {
		for k := i + 1; k < len(x.columns); k++ {
			if x.columns[i].group == x.columns[k].group {
				x.shareBetween(&x.columns[i], &x.columns[k])
			}
		}
		x.work.Spend(len(x.columns) - i)
	}
	for i := range x.columns {
		c := &x.columns[i]
		own := int32(0)
		for w := c.firstWord; w < c.endWord; w++ {
			if v := &x.words[w]; !v.generic && !v.shared && !v.optional {
				own++
			}
		}
		if own > 0 {
			c.needed, c.distinct = own, true
		}
	}
}

func (x *Index) shareBetween(a, b *column) {
	for i := a.firstWord; i < a.endWord; i++ {
		for k := b.firstWord; k < b.endWord; k++ {
			if x.words[i].root == x.words[k].root {
				x.words[i].shared, x.words[k].shared = true, true
			}
		}
	}
	x.work.Spend(1 + int((a.endWord-a.firstWord)*(b.endWord-b.firstWord))/2)
}
