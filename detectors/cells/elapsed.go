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

// moment is what a cell says about time.
type moment struct {
	day, minutes float64 // of its last date and its last time of day
	dated, timed bool    // it has them
}

// elapsed reports the time between the times or dates of the i-th and the k-th cell, both below maxOperands.
func (x *Index) elapsed(f *figures.Figure, i, k int) bool {
	if f.Unit.Dimension != figures.Duration && f.Unit.Dimension != figures.Calendar {
		return false
	}
	c, e := &x.Cells[i], &x.Cells[k]
	if !x.Work.Spend(1 + int(c.EndFigure-c.FirstFigure+e.EndFigure-e.FirstFigure)/detectors.ScanRows) {
		return true
	}
	days, minutes, dated, timed := x.between(i, k)
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
func (x *Index) between(i, k int) (days, minutes float64, dated, timed bool) {
	if len(x.moments) == 0 {
		x.readMoments()
	}
	from, to := &x.moments[i], &x.moments[k]
	if from.dated && to.dated {
		days, dated = to.day-from.day, true
	}
	if from.timed && to.timed {
		minutes, timed = to.minutes-from.minutes, true
	}
	return days, minutes, dated, timed
}

func (x *Index) readMoments() {
	for i := range min(len(x.Cells), maxOperands) {
		c, m := &x.Cells[i], moment{}
		if date := x.last(c, figures.Date); date != nil {
			m.day, m.dated = dayNumber(date), true
		}
		if clock := x.last(c, figures.Clock); clock != nil {
			m.minutes, m.timed = clock.Value, true
		}
		x.moments = append(x.moments, m)
	}
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
