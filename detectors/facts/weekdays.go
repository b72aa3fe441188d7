package facts

import (
	"strings"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// rangeWords stand between the ends of a range of weekdays.
var rangeWords = text.HashSet("to through until till bis a au al à 至 到") //nolint:gochecknoglobals // a read-only table

// isWeekday reports a date that is a weekday only.
func isWeekday(f *figures.Figure) bool {
	return f.Kind == figures.Date && f.Weekday != 0 && f.Day == 0 && f.Month == 0 && f.Year == 0
}

// checkWeekday compares a weekday that no source names with ranges such as "Tuesday to Sunday". A day within one is
// supported; about a day outside of them ("closed on Mondays") the sources say something too. It reports whether there is a
// range.
func (x *Check) checkWeekday(d *detectors.Document, f *figures.Figure) bool {
	if !isWeekday(f) {
		return false
	}
	sources, ranged := x.figures.Sources, false
	x.work.Spend(len(sources))
	for i := 0; i+1 < len(sources); i++ {
		from, to := &sources[i], &sources[i+1]
		if from.Source != to.Source || !isWeekday(&from.Figure) || !isWeekday(&to.Figure) || !isRangeGap(text.Between(d.Source(int(from.Source)), from.End, to.Start)) {
			continue
		}
		ranged = true
		if (f.Weekday-from.Weekday+7)%7 <= (to.Weekday-from.Weekday+7)%7 {
			return true
		}
	}
	if ranged {
		x.addFigure(f, figureindex.Weak, weightWeak, -1)
	}
	return ranged
}

func isRangeGap(gap string) bool {
	gap = strings.ToLower(strings.TrimSpace(gap))
	return gap == "-" || gap == "–" || gap == "—" || rangeWords.Has(text.Hash(gap))
}
