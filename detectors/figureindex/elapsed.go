package figureindex

import (
	"math"
	"strings"
	"time"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// Units of time in the base units of their dimensions.
const (
	dayMinutes    = 24 * 60
	halfDay       = 12 * 60
	daySeconds    = 86400
	weekSeconds   = 7 * daySeconds
	monthsAYear   = 12
	minuteSeconds = 60
	maxSpan       = 10_000  // of the unit of a term
	maxDays       = 106_752 // of a span: longer ones count as so many
)

// elapsedTimes reports the duration between two times of day.
func (c *calculation) elapsedTimes(a, b operand) bool {
	f := c.f
	if f.Unit.Dimension != figures.Duration {
		return false
	}
	v := baseValue(f) / minuteSeconds
	between := math.Mod(b.Value-a.Value+dayMinutes, dayMinutes)
	return near(v, between, 0.01) || (a.HalfDay || b.HalfDay) && near(v, math.Mod(between, halfDay), 0.01)
}

// elapsedDates reports the span between two dates: an age, a term, a duration.
func (c *calculation) elapsedDates(a, b operand, at nearness) bool {
	f, first, last := c.f, a.Figure, b.Figure
	if f.Kind != figures.Count || !isPlainDate(first) || !isPlainDate(last) {
		return false
	}
	if dayOf(last) < dayOf(first) {
		first, last = last, first
	}
	switch f.Unit.Dimension {
	case figures.None:
		return at != nextSentence && elapsedMonths(f, first, last)
	case figures.Calendar:
		return elapsedMonths(f, first, last)
	case figures.Duration:
		return first.Day > 0 && last.Day > 0 && elapsedDays(f, first, last)
	default:
		return false
	}
}

// isPlainDate reports a date with a year that is no longer period.
func isPlainDate(f *figures.Figure) bool { return f.Year != 0 && f.Period == 0 && !f.Decade }

// elapsedDays compares f, days or weeks, with the span between two days, which may count both.
func elapsedDays(f, first, last *figures.Figure) bool {
	days := float64(min(dayOf(last)-dayOf(first), maxDays))
	v := baseValue(f)
	return v == days*daySeconds || v == (days+1)*daySeconds || f.Unit.Factor == weekSeconds && near(v, days*daySeconds, weekSeconds/2)
}

// elapsedMonths compares f, years or months, with the span from first to last.
func elapsedMonths(f, first, last *figures.Figure) bool {
	years := float64(last.Year) - float64(first.Year)
	months := years*monthsAYear + float64(last.Month) - float64(first.Month)
	known := first.Month > 0 && last.Month > 0
	v := f.Value
	if f.Unit.Dimension == figures.Calendar {
		v *= f.Unit.Factor
		if f.Unit.Factor == 1 {
			return known && (v == months || v == months+1)
		}
		v /= monthsAYear
	}
	if !known {
		return v == years
	}
	if first.Day > 0 && last.Day > 0 && last.Day < first.Day {
		months--
	}
	return v == math.Floor(months/monthsAYear) || near(v, months/monthsAYear, 0.05)
}

// dayOf counts days up to the date, or up to the first day of its month or year.
func dayOf(f *figures.Figure) int {
	year, month := int(f.Year)+100*400, max(1, int(f.Month)) // positive
	if month < 3 {                                           // years begin in March: a leap day is their last
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + max(1, int(f.Day))
}

func dateOf(f *figures.Figure) time.Time {
	return time.Date(int(f.Year), time.Month(max(1, f.Month)), int(max(1, f.Day)), 0, 0, 0, 0, time.UTC)
}

// shifted reports a date or time of day f that lies the span after or before start.
func (c *calculation) shifted(start, span operand) bool {
	f, s := c.f, start.Figure
	switch {
	case s.Kind != f.Kind || span.Kind != figures.Count || math.Abs(span.Value) > maxSpan:
		return false
	case f.Kind == figures.Clock:
		minutes := baseValue(span.Figure) / minuteSeconds
		return span.Unit.Dimension == figures.Duration && (sameClock(f, s, s.Value+minutes) || sameClock(f, s, s.Value-minutes))
	case !isPlainDate(f) || !isPlainDate(s):
		return false
	}
	return isShifted(f, s, span.Figure)
}

// isShifted reports a date f that lies the span after or before s, or is the last day of a term that begins with s.
func isShifted(f, s, span *figures.Figure) bool {
	months, days := spanParts(span, s.Day > 0)
	if months == 0 && days == 0 {
		return false
	}
	from := dateOf(s)
	return sameDate(f, s, from.AddDate(0, months, days)) || sameDate(f, s, from.AddDate(0, -months, -days)) ||
		months > 0 && s.Day > 0 && sameDate(f, s, from.AddDate(0, months, -1))
}

// spanParts is a span in months, or in days if they can be added to a day.
func spanParts(span *figures.Figure, day bool) (months, days int) {
	switch {
	case span.Unit.Dimension == figures.Calendar:
		months = int(span.Value * span.Unit.Factor)
	case span.Unit.Dimension == figures.Duration && day:
		days = int(baseValue(span) / daySeconds)
	}
	return months, days
}

func sameClock(f, start *figures.Figure, minutes float64) bool {
	day := float64(dayMinutes)
	if f.HalfDay || start.HalfDay {
		day = halfDay
	}
	return near(math.Mod(f.Value, day), math.Mod(minutes+2*dayMinutes, day), 0.01)
}

// sameDate compares the parts that both f and the start have.
func sameDate(f, start *figures.Figure, t time.Time) bool {
	if int(f.Year) != t.Year() || f.Month > 0 && start.Month == 0 || f.Day > 0 && start.Day == 0 {
		return false
	}
	return (f.Month == 0 || int(f.Month) == int(t.Month())) && (f.Day == 0 || int(f.Day) == t.Day())
}

// isRangeHour reports whether the i-th source figure is an end of a range of hours ("9-17", "9 to 17") at the time f.
func (c *calculation) isRangeHour(i int) bool {
	list := c.x.Sources
	s := &list[i]
	if !isHour(&s.Figure) || s.Value*60 != c.f.Value {
		return false
	}
	tokens := c.d.SourceTokens()
	between := func(a, b *figures.Figure) string {
		return text.Between(c.d.Source(int(s.Source)), tokens[a.Last-1].End, tokens[b.First].Start)
	}
	if i > 0 && list[i-1].Source == s.Source && isHourRange(&list[i-1].Figure, &s.Figure, between) {
		return true
	}
	return i+1 < len(list) && list[i+1].Source == s.Source && isHourRange(&s.Figure, &list[i+1].Figure, between)
}

// answersRangeHour reports whether f is an end of a range of hours of the answer at the source's time.
func (c *calculation) answersRangeHour(s *figures.Figure) bool {
	if !isHour(c.f) || c.f.Value*60 != s.Value {
		return false
	}
	list, i := c.x.Answer, c.index
	between := func(a, b *figures.Figure) string { return text.Between(c.d.Answer(), a.End, b.Start) }
	return i > 0 && isHourRange(&list[i-1], c.f, between) || i+1 < len(list) && isHourRange(c.f, &list[i+1], between)
}

// isHourRange reports two neighboring hours with a dash or "to" between them.
func isHourRange(first, last *figures.Figure, between func(a, b *figures.Figure) string) bool {
	return isHour(first) && isHour(last) && first.Value < last.Value && isRange(between(first, last))
}

func isHour(f *figures.Figure) bool {
	return f.Kind == figures.Count && f.Unit.Dimension == figures.None && f.Value >= 0 && f.Value <= 24 && f.Value == math.Trunc(f.Value)
}

func isRange(between string) bool {
	switch strings.TrimSpace(between) {
	case "-", "–", "to", "bis", "until", "till", "à", "a":
		return true
	}
	return false
}
