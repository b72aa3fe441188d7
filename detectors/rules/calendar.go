package rules

import (
	"time"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

var calendar = Rule{
	ID:     "calendar",
	Doc:    "a date that the calendar does not have, such as 31 April, or with a weekday that it does not fall on",
	Langs:  "English, German, French, Spanish",
	Needs:  "nothing",
	Type:   schemas.Temporal,
	Weight: .9,
	Check:  checkCalendar,
	Examples: []Example{
		{Answer: "The course ends on 31 April 2026.", Fires: "31 April"},
		{Answer: "The course ends on Monday, 30 June 2026.", Fires: "Monday, 30 June 2026"},
		{Answer: "The course ends on Tuesday, 30 June 2026."},
	},
}

func monthLengths() map[uint64]int64 {
	table := map[uint64]int64{}
	for _, m := range []struct {
		names string
		days  int64
	}{{"february februar fevrier febrero fevereiro", 29}, {"april avril abril", 30}, {"june juni juin junio junho", 30},
		{"september septembre septiembre setembro", 30}, {"november novembre noviembre novembro", 30}} {
		for name := range text.HashSet(m.names) {
			table[name] = m.days
		}
	}
	return table
}

func checkCalendar(e *evidence, c *piece) (found []Verdict) {
	s := e.answer.texts[0]
	for i := range e.answer.figures {
		f := &e.answer.figures[i]
		if f.Start < c.start || f.End > c.end || f.Kind != figures.Date || f.Weekday == 0 || f.Day == 0 || f.Month == 0 || f.Year == 0 {
			continue
		}
		at := time.Date(int(f.Year), time.Month(f.Month), int(f.Day), 0, 0, 0, 0, time.UTC)
		if int(at.Weekday()+6)%7+1 != int(f.Weekday) && !isAmong(f, e.sources.figures) && !isAmong(f, e.user.figures) {
			found = append(found, Verdict{Start: f.Start, End: f.End, Source: -1, Says: at.Weekday().String()})
		}
	}
	tokens := e.doc.Tokens()
	for i := range tokens {
		t := &tokens[i]
		days, ok := months[t.Hash]
		if !ok || t.Start < c.start || t.End > c.end {
			continue
		}
		for _, k := range [...]int{i - 1, i + 1} {
			if k < 0 || k >= len(tokens) || tokens[k].Kind != text.Number || tokens[k].End-tokens[k].Start != 2 {
				continue
			}
			d := tokens[k].In(s)
			if n := int64(d[0]-'0')*10 + int64(d[1]-'0'); n > days && n <= 31 && text.Between(s, min(t.End, tokens[k].End), max(t.Start, tokens[k].Start)) == " " {
				if k > i && k+1 < len(tokens) && tokens[k+1].Kind == text.Number && tokens[k+1].Start-tokens[k].End <= 1 {
					continue
				}
				found = append(found, Verdict{Start: min(t.Start, tokens[k].Start), End: max(t.End, tokens[k].End), Source: -1})
			}
		}
	}
	return found
}

//nolint:gochecknoglobals // a read-only table
var months = monthLengths()
