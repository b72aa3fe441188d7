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
	dayMinutes   = 24 * 60
	halfDay      = 12 * 60
	daySeconds   = 86400
	weekSeconds  = 7 * daySeconds
	monthsAYear  = 12
	maxYearsSpan = 150 // of an age or term
)

// elapsed reports the span between two dates or two times of day: an age, a term, a duration.
func (c *calculation) elapsed(a, b operand, at nearness) bool {
	f := c.f
	if f.Kind != figures.Count || a.Kind != b.Kind {
		return false
	}
	if a.Kind == figures.Clock {
		return f.Unit.Dimension == figures.Duration && elapsedMinutes(f, a.Figure, b.Figure)
	}
	first, last := a.Figure, b.Figure
	if first.Year == 0 || last.Year == 0 || first.Period+last.Period != 0 || first.Decade || last.Decade {
		return false
	}
	if dateOf(last).Before(dateOf(first)) {
		first, last = last, first
	}
	years := float64(last.Year) - float64(first.Year)
	switch f.Unit.Dimension {
	case figures.None, figures.Calendar:
		if f.Unit.Dimension == figures.None && at == nextSentence || years > maxYearsSpan && at == nextSentence {
			return false
		}
		return elapsedMonths(f, first, last, years)
	case figures.Duration:
		if first.Day == 0 || last.Day == 0 {
			return false
		}
		days := math.Round(dateOf(last).Sub(dateOf(first)).Hours() / 24)
		v := baseValue(f)
		return v == days*daySeconds || v == (days+1)*daySeconds || f.Unit.Factor == weekSeconds && (near(v, days*daySeconds, weekSeconds/2))
	default:
		return false
	}
}

// elapsedMonths compares f, years or months, with the span from first to last.
func elapsedMonths(f, first, last *figures.Figure, years float64) bool {
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

func elapsedMinutes(f, a, b *figures.Figure) bool {
	v := baseValue(f) / 60
	between := math.Mod(b.Value-a.Value+dayMinutes, dayMinutes)
	return near(v, between, 0.01) || (a.HalfDay || b.HalfDay) && near(v, math.Mod(between, halfDay), 0.01)
}

func dateOf(f *figures.Figure) time.Time {
	return time.Date(int(f.Year), time.Month(max(1, f.Month)), int(max(1, f.Day)), 0, 0, 0, 0, time.UTC)
}

// shifted reports a date or time of day f that lies the span after or before start.
func (c *calculation) shifted(start, span operand, at nearness) bool {
	f, s := c.f, start.Figure
	if s.Kind != f.Kind || span.Kind != figures.Count {
		return false
	}
	if f.Kind == figures.Clock {
		if span.Unit.Dimension != figures.Duration {
			return false
		}
		minutes := baseValue(span.Figure) / 60
		return sameClock(f, s, s.Value+minutes) || sameClock(f, s, s.Value-minutes)
	}
	if s.Year == 0 || f.Year == 0 || f.Period+s.Period != 0 || f.Decade || s.Decade || math.Abs(span.Value) > 10_000 {
		return false
	}
	months, days := 0, 0
	switch span.Unit.Dimension {
	case figures.Calendar:
		months = int(span.Value * span.Unit.Factor)
	case figures.Duration:
		if s.Day == 0 {
			return false
		}
		days = int(baseValue(span.Figure) / daySeconds)
	default:
		return false
	}
	from := dateOf(s)
	return (months != 0 || days != 0) && (sameDate(f, s, from.AddDate(0, months, days)) || sameDate(f, s, from.AddDate(0, -months, -days)))
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
	if !isHour(&s.Figure) || s.Value*60 != c.f.Value && (s.Value > 12 || !c.f.HalfDay) {
		return false
	}
	tokens := c.d.SourceTokens()
	for _, k := range [...]int{i - 1, i + 1} {
		if k < 0 || k >= len(list) || list[k].Source != s.Source || !isHour(&list[k].Figure) {
			continue
		}
		first, second := s.Figure, list[k].Figure
		if k < i {
			first, second = second, first
		}
		between := text.Between(c.d.Source(int(s.Source)), tokens[first.Last-1].End, tokens[second.First].Start)
		if first.Value < second.Value && isRange(between) {
			return true
		}
	}
	return false
}

// answersRangeHour reports whether f is an end of a range of hours of the answer at the source's time.
func (c *calculation) answersRangeHour(s *figures.Figure) bool {
	if !isHour(c.f) || c.f.Value*60 != s.Value {
		return false
	}
	for _, k := range [...]int{c.index - 1, c.index + 1} {
		if k < 0 || k >= len(c.x.Answer) || !isHour(&c.x.Answer[k]) {
			continue
		}
		first, second := c.f, &c.x.Answer[k]
		if k < c.index {
			first, second = second, first
		}
		if first.Value < second.Value && isRange(text.Between(c.d.Answer(), first.End, second.Start)) {
			return true
		}
	}
	return false
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
