package cells

import (
	"math"

	"confab/detectors"
	"confab/internal/text/figures"
)

const (
	dayMinutes  = 24 * 60
	monthDays   = 30.44
	daySeconds  = 86400
	yearInMonth = 12
)

// elapsed reports the time between two times or dates.
func (x *Index) elapsed(f *figures.Figure, c, e *Cell) bool {
	if f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar {
		return false
	}
	if !x.Work.Spend(1 + int(c.EndFigure-c.FirstFigure+e.EndFigure-e.FirstFigure)/detectors.ScanRows) {
		return true
	}
	days, minutes, dated, timed := x.between(c, e)
	if f.Unit.Dimension == figures.Calendar {
		months := math.Abs(days) / monthDays
		return dated && math.Abs(f.Value*f.Unit.Factor-months) <= 0.6*max(1, f.Unit.Factor/yearInMonth)
	}
	seconds := math.Abs(days*daySeconds + minutes*60)
	if !dated && minutes < 0 {
		seconds = (minutes + dayMinutes) * 60
	}
	return (dated || timed) && x.timeParts(f, f.Value*f.Unit.Factor, seconds)
}

// between returns the days between the last dates of two cells, and the minutes between their last times of day.
func (x *Index) between(c, e *Cell) (days, minutes float64, dated, timed bool) {
	if from, to := x.last(c, figures.Date), x.last(e, figures.Date); from != nil && to != nil {
		days, dated = dayNumber(to)-dayNumber(from), true
	}
	if from, to := x.last(c, figures.Clock), x.last(e, figures.Clock); from != nil && to != nil {
		minutes, timed = to.Value-from.Value, true
	}
	return days, minutes, dated, timed
}

// last returns the last figure of a kind in a cell, nil if it has none.
func (x *Index) last(c *Cell, k figures.Kind) *figures.Figure {
	for i := c.EndFigure - 1; i >= c.FirstFigure; i-- {
		if x.Figures[i].Kind == k {
			return &x.Figures[i]
		}
	}
	return nil
}

// timeParts accepts a part of "1 hour 45 minutes" too.
func (x *Index) timeParts(f *figures.Figure, seconds, between float64) bool {
	near := math.Abs(seconds-between) <= 0.02*between+0.5*f.Unit.Factor*math.Pow10(-int(f.Decimals))*boolFloat(f.Decimals > 0)
	if near && between > 0 || between == seconds {
		return true
	}
	switch f.Unit.Factor {
	case 3600:
		return f.Value == math.Floor(between/3600)
	case 60:
		return f.Value == math.Mod(math.Floor(between/60), 60)
	default:
		return false
	}
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// dayNumber is a day count of the date, for differences.
func dayNumber(f *figures.Figure) float64 {
	y, m := int(f.Year), int(f.Month)
	if m < 3 {
		y, m = y-1, m+12
	}
	return float64(365*y + y/4 - y/100 + y/400 + (153*(m-3)+2)/5 + int(f.Day))
}
