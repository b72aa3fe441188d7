package detectors

import (
	"strings"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// dayHours is when something is open on a day of the week, in minutes since midnight.
type dayHours struct {
	open, close float64
	known       bool // the record names the day
	odd         bool // open from midnight to midnight: all day, or a gap in the data
	field       int32
}

// Weights of doubtful hours.
const (
	weightHours = 0.65 // other times than the record has
	weightDays  = 0.5  // open on a day without hours, or closed on one with
)

const (
	allDays  = 0b11111110
	workdays = 0b00111110
	weekend  = 0b11000000
)

// weekdayNamed is 1 for Monday to 7 for Sunday, 0 for anything else.
func weekdayNamed(s string) int {
	for i, name := range [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		if len(s) >= 3 && strings.EqualFold(s, name) || strings.EqualFold(s, name[:3]) {
			return i + 1
		}
	}
	return 0
}

// readHours finds the table of opening hours: an object whose keys are weekdays.
func (r *recordIndex) readHours(d *Document) {
	for i := range r.fields {
		f := &r.fields[i]
		key := d.sources[f.source][f.keyStart:f.keyEnd]
		day := weekdayNamed(key)
		f.schedule = day != 0 || strings.EqualFold(key, "hours") || strings.HasSuffix(key, "_hours")
		if day == 0 || r.hours[day].known {
			continue
		}
		from, to, ok := d.factual.clocksIn(f)
		if !ok {
			continue
		}
		r.timed = true
		r.hours[day] = dayHours{open: from, close: to, known: true, odd: from == to, field: int32(i)}
	}
}

// clocksIn are the first two times of day in the field's value.
func (x *factIndex) clocksIn(f *recordField) (from, to float64, ok bool) {
	n := 0
	x.work.Spend(len(x.sources) / glances)
	for i := range x.sources {
		s := &x.sources[i]
		if s.source != f.source || s.Start < f.start || s.Kind != figures.Clock {
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

// checkHours holds days and times of the claim against the table of opening hours.
func (x *factIndex) checkHours(d *Document, c *text.Claim, found []figures.Figure) {
	if !x.record.timed || !d.mentionsAny(c, openingWords) && len(found) < 3 {
		return
	}
	events := d.hourEvents(c, found, x.record.events[:0])
	x.record.events = events
	lenient, except := d.mentionsAny(c, varyingWords), d.mentionsAny(c, exceptWords)
	for i := range events {
		if e := &events[i]; e.time && !e.half {
			days := d.daysFor(events, i)
			x.checkTimes(d, events, i, lenient || days == 0 || except && days == allDays)
			continue
		}
		x.checkDays(d, events, i)
	}
	x.checkLonger(d, c, events)
}

// checkDays holds what the i-th event says beside spans of time against the table.
func (x *factIndex) checkDays(d *Document, events []hourEvent, i int) {
	switch e := &events[i]; {
	case e.count > 0:
		x.checkCount(e)
	case e.half:
		x.checkUntil(d, events, i)
	case e.closed:
		x.checkClosed(d, events, i)
	case !leads(events, i):
		x.checkOpen(e)
	}
}

// fits reports that the event's times are the hours of the day.
func (h *dayHours) fits(e *hourEvent) bool {
	return h.known && sameTime(e.from, h.open, e.vague) && sameTime(e.to, h.close, e.vague)
}

// checkTimes compares the span of time at i with the hours of its days; without days, or where the claim says that hours
// vary, with those of any day.
func (x *factIndex) checkTimes(d *Document, events []hourEvent, i int, lenient bool) {
	x.checked++
	e := &events[i]
	days := withoutOthers(events, d.daysFor(events, i))
	if days == 0 {
		days = allDays
	}
	wrong, fitting := x.record.compare(e, days)
	switch {
	case wrong == 0 || lenient && fitting > 0:
	case lenient:
		x.addHours(e, 0, weightHours)
	case !x.record.hours[wrong].known || x.record.hours[wrong].odd: // it is the day that is wrong
		x.addHours(d.nameOfDays(events, i), wrong, weightDays)
	default:
		x.addHours(e, wrong, weightHours)
	}
}

// withoutOthers takes out the days that the claim names by themselves: "weekdays, while on Wednesdays …".
func withoutOthers(events []hourEvent, days uint8) uint8 {
	for i := range events {
		if other := events[i].days; other != days && other&^days == 0 {
			days &^= other
		}
	}
	return days
}

// compare counts the days on which the event's times are right, and names the first on which they are not.
func (r *recordIndex) compare(e *hourEvent, days uint8) (wrong, fitting int) {
	for day := 1; day <= 7; day++ {
		switch {
		case days>>day&1 == 0:
		case r.hours[day].fits(e):
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

// checkUntil compares when it is said to close on certain days.
func (x *factIndex) checkUntil(d *Document, events []hourEvent, i int) {
	e := &events[i]
	days := d.daysFor(events, i)
	for day := 1; day <= 7 && e.until; day++ {
		if h := &x.record.hours[day]; days>>day&1 != 0 && !(h.known && sameTime(e.to, h.close, e.vague)) {
			x.addHours(e, day, weightHours)
			return
		}
	}
}

// longer reports "extended hours on weekends" and the like in front of the days.
func (d *Document) longer(c *text.Claim, e *hourEvent) bool {
	tokens := d.Tokens()
	for t := c.First; t < c.Last && tokens[t].Start < e.start; t++ {
		if longerWords[tokens[t].Hash] && e.start-tokens[t].End < 20 {
			return true
		}
	}
	return false
}

// checkLonger wants the last days of the claim, where it says that hours are longer on them, to be open longer than any
// other.
func (x *factIndex) checkLonger(d *Document, c *text.Claim, events []hourEvent) {
	if len(events) == 0 {
		return
	}
	e := &events[len(events)-1]
	if e.days == 0 || e.days == allDays || !d.longer(c, e) {
		return
	}
	var most [2]float64 // of the other days, of these
	last := 0
	for day := 1; day <= 7; day++ {
		these := int(e.days >> day & 1)
		if h := &x.record.hours[day]; h.known {
			most[these] = max(most[these], h.length())
			last = max(last, day*these)
		}
	}
	if last > 0 && most[1] <= most[0] {
		x.addHours(e, last, weightHours)
	}
}

// length is how many minutes a day is open; what closes after midnight counts on.
func (h *dayHours) length() float64 {
	if h.close <= h.open {
		return h.close + 24*60 - h.open
	}
	return h.close - h.open
}

// checkCount compares on how many days of the week it is said to be open.
func (x *factIndex) checkCount(e *hourEvent) {
	n, last := 0, 0
	for day := 1; day <= 7; day++ {
		if h := &x.record.hours[day]; h.known && !h.odd {
			n++
			last = day
		}
	}
	x.checked++
	if n != e.count {
		x.addHours(e, last, weightDays)
	}
}

// closedReach is how many bytes apart "closed" and its days may stand.
const closedReach = 20

// checkClosed wants no hours on the days that are said to be closed.
func (x *factIndex) checkClosed(d *Document, events []hourEvent, i int) {
	e := &events[i]
	if i+1 < len(events) && events[i+1].start-e.end > closedReach {
		return
	}
	days := d.daysFor(events, i)
	for day := 1; day <= 7; day++ {
		if h := &x.record.hours[day]; days>>day&1 != 0 && h.known && !h.odd {
			x.addHours(e, day, weightDays)
			return
		}
	}
}

// checkOpen wants hours on the days that are said to be open.
func (x *factIndex) checkOpen(e *hourEvent) {
	x.checked++
	for day := 1; day <= 7; day++ {
		if h := &x.record.hours[day]; e.days>>day&1 != 0 && (!h.known || h.odd) {
			x.addHours(e, day, weightDays)
			return
		}
	}
}

func (x *factIndex) addHours(e *hourEvent, day int, weight float32) {
	finding := factFinding{kind: factContradicted, weight: weight, start: e.start, end: e.end, source: -1}
	for k := 1; k <= 7 && (day == 0 || !x.record.hours[day].known); k++ {
		if x.record.hours[k].known {
			day = k
			break
		}
	}
	if day > 0 && x.record.hours[day].known {
		f := &x.record.fields[x.record.hours[day].field]
		finding.source, finding.sourceStart, finding.sourceEnd = f.source, f.keyStart, f.end
	}
	x.add(finding)
}
