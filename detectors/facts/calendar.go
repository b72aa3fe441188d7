package facts

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

func calendar() Rule {
	return Rule{
		ID:     "calendar",
		Doc:    "a date that the calendar does not have, such as 31 April, or with a weekday that it does not fall on",
		Langs:  "English, German, French, Spanish",
		Needs:  "nothing",
		Values: true,
		Type:   schemas.Temporal,
		Weight: .9,
		Check:  checkCalendar,
		Examples: []Example{
			{Answer: "The course ends on 31 April 2026.", Fires: "31 April"},
			{Answer: "The course ends on Monday, 30 June 2026.", Fires: "Monday, 30 June 2026"},
			{Answer: "The course ends on Tuesday, 30 June 2026."},
			{Answer: "Der Kurs endet am 31. Juni 2026.", Fires: "31. Juni"},
			{Answer: "El curso termina el 31 de junio de 2026.", Fires: "31 de junio"},
		},
	}
}

func monthLengths() map[uint64]int64 {
	table := map[uint64]int64{}
	for _, m := range []struct {
		names string
		days  int64
	}{
		{"february februar fevrier febrero fevereiro", 29},
		{"april avril abril", 30},
		{"june juni juin junio junho", 30},
		{"september septembre septiembre setembro", 30},
		{"november novembre noviembre novembro", 30},
	} {
		for name := range strings.FieldsSeq(m.names) {
			table[text.Hash(name)] = m.days
		}
	}
	return table
}

// checkCalendar reads weekdays beside dates, and days that their month does not have.
func checkCalendar(e *evidence, c *piece) (found []Verdict) {
	s := e.text
	list := e.listed
	for i := 1; i < len(list); i++ {
		day, date := &list[i-1], &list[i]
		if day.Weekday == 0 {
			day, date = date, day
		}
		if list[i-1].Start < c.Start || list[i].End > c.End || !isDayOf(s, day, date) {
			continue
		}
		year, years := int(date.Year), 0
		if year == 0 {
			year, years = e.onlyYear(), 1 // also the next one: "Sunday, 31 January" in November
		}
		at := time.Date(year, time.Month(date.Month), int(date.Day), 0, 0, 0, 0, time.UTC)
		falls := func(years int) bool { return int(at.AddDate(years, 0, 0).Weekday()+6)%7+1 == int(day.Weekday) }
		if year != 0 && !falls(0) && !falls(years) && !e.sources.hasDay(day, date) && !e.user.hasDay(day, date) {
			found = append(found, Verdict{Start: list[i-1].Start, End: list[i].End, Source: -1, Says: at.Weekday().String()})
		}
	}
	return append(found, e.impossibleDays(c)...)
}

// isDayOf reports a weekday right before or behind its date.
func isDayOf(s string, day, date *figures.Figure) bool {
	if day.Kind != figures.Date || day.Weekday == 0 || day.Day != 0 || date.Kind != figures.Date || date.Day == 0 || date.Month == 0 || date.Weekday != 0 {
		return false
	}
	if day.Start < date.Start {
		return beforeDate.MatchString(s[day.End:date.Start])
	}
	return afterDate.MatchString(s[date.End:day.Start] + "|" + s[day.End:min(int(day.End)+1, len(s))])
}

// beforeDate and afterDate are what stands between a weekday and its date: "Tue., 21 May", "21 May 2026, a Tuesday", "(Tuesday)".
var (
	beforeDate = regexp.MustCompile(`^\.?,? (?:(?:the|den|dem|le|el|il) )?$`)
	afterDate  = regexp.MustCompile(`^(?:,? \(\|\)|, an? \|| (?:is|falls on|was) an? \|)`)
)

// hasDay reports whether a text has the same weekday before the same date.
func (s *side) hasDay(day, date *figures.Figure) bool {
	for i := 1; i < len(s.figures); i++ {
		a, b := &s.figures[i-1].Figure, &s.figures[i].Figure
		if a.Weekday == day.Weekday && b.Day == date.Day && b.Month == date.Month || b.Weekday == day.Weekday && a.Day == date.Day && a.Month == date.Month {
			return true
		}
	}
	return false
}

// onlyYear is the year of all dates of the sources, 0 for none or several.
func (e *evidence) onlyYear() (year int) {
	for i := range e.sources.figures {
		switch y := int(e.sources.figures[i].Year); {
		case y == 0 || y == year:
		case year != 0:
			return 0
		default:
			year = y
		}
	}
	return year
}

// impossibleDays reads days that their month does not have: "31 April", "February 30".
func (e *evidence) impossibleDays(c *piece) (found []Verdict) {
	tokens := e.doc.Tokens()
	at, _ := slices.BinarySearchFunc(tokens, c.Start, func(t text.Token, start int32) int { return cmp.Compare(t.Start, start) })
	for i := at; i < len(tokens) && tokens[i].End <= c.End; i++ {
		if tokens[i].Kind != text.Number || tokens[i].End-tokens[i].Start != 2 {
			continue
		}
		month := i + 1
		if month < len(tokens) && tokens[month].Hash == hashDe {
			month++
		}
		if e.isTooMany(i, month) && tokens[month].End <= c.End {
			found = append(found, Verdict{Start: tokens[i].Start, End: tokens[month].End, Source: -1})
		} else if e.isTooMany(i, i-1) && !e.goesOn(i) {
			found = append(found, Verdict{Start: tokens[i-1].Start, End: tokens[i].End, Source: -1})
		}
	}
	return found
}

// isTooMany reports whether the number at one place is a day above the last of the month that stands beside it.
func (e *evidence) isTooMany(day, month int) bool {
	s, tokens := e.text, e.doc.Tokens()
	if uint(month) >= uint(len(tokens)) {
		return false
	}
	days, ok := months[tokens[month].Hash]
	d := tokens[day].In(s)
	gap := text.Between(s, tokens[min(day, month)].End, tokens[max(day, month)].Start)
	isFollowed := day < month && (gap == " de " || gap == ". " && day > 0 && datePlaces.Has(tokens[day-1].Hash))
	if !ok || !isDigit(d[0]) || !isDigit(d[1]) || gap != " " && !isFollowed {
		return false
	}
	n := int64(d[0]-'0')*10 + int64(d[1]-'0')
	return n > days && n <= 31
}

// goesOn reports a number that goes on behind the token.
func (e *evidence) goesOn(i int) bool {
	tokens := e.doc.Tokens()
	return i+1 < len(tokens) && tokens[i+1].Kind == text.Number && tokens[i+1].Start-tokens[i].End <= 1
}

//nolint:gochecknoglobals // read-only
var (
	months = monthLengths()
	hashDe = text.Hash("de")

	datePlaces = text.HashSet("am bis vom zum der den dem ab seit") // before a day in German
)
