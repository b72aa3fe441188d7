package cells

import (
	"math"

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
	if !x.Work.Spend(int(c.EndFigure-c.FirstFigure) * int(e.EndFigure-e.FirstFigure)) {
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

// between returns the days and minutes from the first cell to the second.
func (x *Index) between(c, e *Cell) (days, minutes float64, dated, timed bool) {
	for k := c.FirstFigure; k < c.EndFigure; k++ {
		for m := e.FirstFigure; m < e.EndFigure; m++ {
			p, q := &x.Figures[k], &x.Figures[m]
			switch {
			case p.Kind != q.Kind:
			case p.Kind == figures.Clock:
				minutes, timed = q.Value-p.Value, true
			case p.Kind == figures.Date:
				days, dated = dayNumber(q)-dayNumber(p), true
			}
		}
	}
	return days, minutes, dated, timed
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
