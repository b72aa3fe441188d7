package records

import (
	"strings"

	"confab/detectors"
	"confab/detectors/figureindex"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

// dayHours are the opening hours of a weekday, in minutes since midnight.
type dayHours struct {
	open, close float64
	known       bool // the record has the day
	midnights   bool // opens and closes at the same time: all day, or missing data
	field       int32
}

// Weights of doubtful hours.
const (
	weightHours = 0.65 // wrong times
	weightDays  = 0.5  // open on a day without hours, or closed on a day with hours
)

const (
	allDays  = 0b11111110
	workdays = 0b00111110
	weekend  = 0b11000000
)

// weekdayNamed is 1 for Monday to 7 for Sunday, 0 for anything else.
func weekdayNamed(s string) int8 {
	if len(s) < len("mon") || len(s) > len("wednesday")+1 { // the long s, of two bytes, is an s too
		return 0
	}
	for i, name := range [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		if strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return int8(i + 1)
		}
	}
	return 0
}

// readHours reads the opening hours: fields whose keys are weekdays.
func (r *Index) readHours(d *detectors.Document) {
	for i := range r.fields {
		f := &r.fields[i]
		day := f.day
		if day == 0 || r.hours[day].known {
			continue
		}
		from, to, ok := r.clocksIn(d, f)
		if !ok {
			continue
		}
		r.Timed = true
		r.hours[day] = dayHours{open: from, close: to, known: true, midnights: from == to, field: int32(i)}
	}
}

// clocksIn returns the first two times of day in the field's value.
func (r *Index) clocksIn(d *detectors.Document, f *field) (from, to float64, ok bool) {
	n := 0
	sources := figureindex.Of(d).Sources
	r.work.Spend(len(sources) / detectors.ScanRows)
	for i := range sources {
		s := &sources[i]
		if s.Source != f.source || s.Start < f.start || s.Kind != figures.Clock {
			continue
		}
		if s.Start >= f.end {
			break
		}
		if n++; n == 1 {
			from = s.Value
		} else {
			return from, s.Value, true
		}
	}
	return 0, 0, false
}

// checkHours compares days and times of the claim with the opening hours.
func (r *Index) checkHours(d *detectors.Document, c *textclaims.Claim, found []figures.Figure) {
	if !r.Timed || !r.mentionsOpening(c) && len(found) < 3 {
		return
	}
	events := hourEvents(d, c, found, r.events[:0])
	r.events = events
	lenient, except := mentionsAny(d, c, varyingWords), mentionsAny(d, c, exceptWords)
	for i := range events {
		if e := &events[i]; e.time && !e.half {
			days := daysFor(d, events, i)
			r.checkTimes(d, events, i, lenient || days == 0 || except && days == allDays)
			continue
		}
		r.checkDays(d, events, i)
	}
	r.checkLonger(d, c, events)
}

func (r *Index) mentionsOpening(c *textclaims.Claim) bool {
	r.work.Spend(int(c.Last - c.First))
	return r.said.topics&topicOpening != 0
}

// checkDays compares the i-th event, which is not a span of time, with the opening hours.
func (r *Index) checkDays(d *detectors.Document, events []hourEvent, i int) {
	switch e := &events[i]; {
	case e.count > 0:
		r.checkCount(e)
	case e.half:
		r.checkUntil(d, events, i)
	case e.closed:
		r.checkClosed(d, events, i)
	case !hasOwnTime(events, i):
		r.checkOpen(e)
	}
}

// matches reports whether the event's times are the hours of the day.
func (h *dayHours) matches(e *hourEvent) bool {
	return h.known && sameTime(e.from, h.open, e.vague) && sameTime(e.to, h.close, e.vague)
}

// checkTimes compares the span of time at i with the hours of its days. If lenient, one matching day is enough.
func (r *Index) checkTimes(d *detectors.Document, events []hourEvent, i int, lenient bool) {
	r.list.Checked++
	e := &events[i]
	days := withoutOthers(events, daysFor(d, events, i))
	if days == 0 {
		days = allDays
	}
	wrong, fitting := r.matchDays(e, days)
	switch {
	case wrong == 0 || lenient && fitting > 0:
	case lenient:
		r.addHours(e, 0, weightHours)
	case !r.hours[wrong].known || r.hours[wrong].midnights: // the day is wrong, not the time
		r.addHours(nameOfDays(events, i), wrong, weightDays)
	default:
		r.addHours(e, wrong, weightHours)
	}
}

// withoutOthers removes the days that the claim names separately: "weekdays, while on Wednesdays …".
func withoutOthers(events []hourEvent, days uint8) uint8 {
	for i := range events {
		if other := events[i].days; other != days && other&^days == 0 {
			days &^= other
		}
	}
	return days
}

// matchDays returns the first day on which the event's times are wrong (0 for none) and the number of fitting days.
func (r *Index) matchDays(e *hourEvent, days uint8) (wrong, fitting int) {
	for day := 1; day <= 7; day++ {
		switch {
		case days>>day&1 == 0:
		case r.hours[day].matches(e):
			fitting++
		case wrong == 0:
			wrong = day
		}
	}
	return wrong, fitting
}

func sameTime(a, b float64, vague bool) bool {
	day := 24 * 60
	if vague {
		day = 12 * 60
	}
	return int(a)%day == int(b)%day
}

// checkUntil compares the closing time with that of the event's days.
func (r *Index) checkUntil(d *detectors.Document, events []hourEvent, i int) {
	e := &events[i]
	days := daysFor(d, events, i)
	for day := 1; day <= 7 && e.until; day++ {
		if h := &r.hours[day]; days>>day&1 != 0 && !(h.known && sameTime(e.to, h.close, e.vague)) {
			r.addHours(e, day, weightHours)
			return
		}
	}
}

// saysLonger reports words such as "extended hours" shortly before the event.
func saysLonger(d *detectors.Document, c *textclaims.Claim, e *hourEvent) bool {
	tokens := d.Tokens()
	for t := c.First; t < c.Last && tokens[t].Start < e.start; t++ {
		if longerWords.Has(tokens[t].Hash) && e.start-tokens[t].End < 20 {
			return true
		}
	}
	return false
}

// checkLonger checks a claim that hours are longer on its last days: they must be open longer than any other day.
func (r *Index) checkLonger(d *detectors.Document, c *textclaims.Claim, events []hourEvent) {
	if len(events) == 0 {
		return
	}
	e := &events[len(events)-1]
	if e.days == 0 || e.days == allDays || !saysLonger(d, c, e) {
		return
	}
	var most [2]float64 // longest hours of the other days, and of these
	last := 0
	for day := 1; day <= 7; day++ {
		these := int(e.days >> day & 1)
		if h := &r.hours[day]; h.known {
			most[these] = max(most[these], h.length())
			last = max(last, day*these)
		}
	}
	if last > 0 && most[1] <= most[0] {
		r.addHours(e, last, weightHours)
	}
}

// length is the opening time in minutes. Closing may be after midnight.
func (h *dayHours) length() float64 {
	if h.close <= h.open {
		return h.close + 24*60 - h.open
	}
	return h.close - h.open
}

// checkCount compares the number of open days per week.
func (r *Index) checkCount(e *hourEvent) {
	n, last := 0, 0
	for day := 1; day <= 7; day++ {
		if h := &r.hours[day]; h.known && !h.midnights {
			n++
			last = day
		}
	}
	r.list.Checked++
	if n != e.count {
		r.addHours(e, last, weightDays)
	}
}

// closedReach is the largest distance in bytes between "closed" and its days.
const closedReach = 20

// checkClosed requires that the closed days have no hours.
func (r *Index) checkClosed(d *detectors.Document, events []hourEvent, i int) {
	e := &events[i]
	if i+1 < len(events) && events[i+1].start-e.end > closedReach {
		return
	}
	days := daysFor(d, events, i)
	for day := 1; day <= 7; day++ {
		if h := &r.hours[day]; days>>day&1 != 0 && h.known && !h.midnights {
			r.addHours(e, day, weightDays)
			return
		}
	}
}

// checkOpen requires that the open days have hours.
func (r *Index) checkOpen(e *hourEvent) {
	r.list.Checked++
	for day := 1; day <= 7; day++ {
		if h := &r.hours[day]; e.days>>day&1 != 0 && (!h.known || h.midnights) {
			r.addHours(e, day, weightDays)
			return
		}
	}
}

func (r *Index) addHours(e *hourEvent, day int, weight float32) {
	finding := figureindex.Finding{Kind: figureindex.Contradicted, Weight: weight, Start: e.start, End: e.end, Source: -1}
	for k := 1; k <= 7 && (day == 0 || !r.hours[day].known); k++ {
		if r.hours[k].known {
			day = k
			break
		}
	}
	if day > 0 && r.hours[day].known {
		f := &r.fields[r.hours[day].field]
		finding.Source, finding.SourceStart, finding.SourceEnd = f.source, f.keyStart, f.end
	}
	r.list.Add(finding)
}
