package records

import (
	"strings"

	"confab/detectors"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

const openingWords = "open opens opened opening hours hour operates operating operate operation operational closed closes business"

//nolint:gochecknoglobals // read-only tables
var (
	varyingWords = text.HashSet("vary varying varies different mostly mainly typically")
	exceptWords  = text.HashSet("extended except exception longer shorter later until till")
	untilWords   = text.HashSet("until till")
	longerWords  = text.HashSet("extended longer later")
	dayWords     = map[uint64]uint8{
		text.Hash("daily"): allDays, text.Hash("everyday"): allDays, text.Hash("weekdays"): workdays, text.Hash("weekday"): workdays,
		text.Hash("weekends"): weekend, text.Hash("weekend"): weekend,
	}
	hashEvery, hashSeven, hashDayWord, hashDaysWord = text.Hash("every"), text.Hash("seven"), text.Hash("day"), text.Hash("days")
	hash7, hashClosed, hashExcept                   = text.Hash("7"), text.Hash("closed"), text.Hash("except")
	spanWords                                       = text.HashSet("to through thru until till")
)

// hourEvent is one element of a claim about opening hours: days, a span of time, or "closed".
type hourEvent struct {
	days       uint8
	from, to   float64
	time       bool
	closed     bool
	count      int  // open days per week
	vague      bool // without am and pm
	half       bool // a single time: the closing time if until is set, else not compared
	until      bool // to is the closing time
	start, end int32
}

const maxHourEvents = 24

func mentionsAny(d *detectors.Document, c *textclaims.Claim, set text.WordSet) bool {
	tokens := d.Tokens()
	d.Work().Spend(int(c.Last - c.First))
	for t := c.First; t < c.Last; t++ {
		if set.Has(tokens[t].Hash) {
			return true
		}
	}
	return false
}

// daysFor returns the days of the time at i, 0 for none: days joined by "on" or the like, else the days before it if the
// claim starts with days, else the days after it.
func daysFor(d *detectors.Document, events []hourEvent, i int) uint8 {
	if i+1 < len(events) && events[i+1].days != 0 && joinsTimeToDays(d.Text()[events[i].end:events[i+1].start]) {
		return events[i+1].days
	}
	before, after := uint8(0), uint8(0)
	for k := i - 1; k >= 0 && before == 0; k-- {
		before = events[k].days
	}
	for k := i + 1; k < len(events) && after == 0; k++ {
		after = events[k].days
	}
	if before != 0 && (events[0].days != 0 || after == 0) {
		return before
	}
	return after
}

// nameOfDays is the closest event with days, else the event i.
func nameOfDays(events []hourEvent, i int) *hourEvent {
	for k := i - 1; k >= 0; k-- {
		if events[k].days != 0 {
			return &events[k]
		}
	}
	if i+1 < len(events) && events[i+1].days != 0 {
		return &events[i+1]
	}
	return &events[i]
}

// joinsTimeToDays reports whether the gap joins a time to days: "9 am on Monday".
func joinsTimeToDays(gap string) bool {
	switch strings.Trim(gap, " ,(") {
	case "on", "from", "every", "each", "during", "on the":
		return true
	}
	return false
}

// hasOwnTime reports whether the days at i belong to a time or to "closed".
func hasOwnTime(events []hourEvent, i int) bool {
	for k := range events {
		if events[k].time || events[k].closed {
			return true
		}
	}
	return i > 0 && events[i-1].days == 0
}

// hourReader splits a claim into hour events.
type hourReader struct {
	d      *detectors.Document
	c      *textclaims.Claim
	found  []figures.Figure
	next   int  // the next figure
	except bool // after "except": days are removed
	events []hourEvent
}

// hourEvents appends the events of the claim.
func hourEvents(d *detectors.Document, c *textclaims.Claim, found []figures.Figure, events []hourEvent) []hourEvent {
	p := hourReader{d: d, c: c, found: found, events: events}
	tokens := d.Tokens()
	for t := c.First; t < c.Last && len(p.events) < maxHourEvents; t++ {
		for p.next < len(found) && found[p.next].First < t {
			p.next++
		}
		h := tokens[t].Hash
		if p.next < len(found) && found[p.next].First == t {
			p.figure(t)
			t = max(t, found[p.next].Last-1)
		} else {
			p.word(t)
		}
		p.except = h == hashExcept || p.except && (h == hashClosed || tokens[t].Stop())
	}
	return p.events
}

// figure reads the weekday or time at token t.
func (p *hourReader) figure(t int32) {
	f := &p.found[p.next]
	switch {
	case f.Weekday != 0:
		days, last := dayRange(p.d, p.found, p.next)
		p.next = last
		p.addDays(hourEvent{days: days, start: f.Start, end: p.found[last].End})
	case isWholeDay(f):
		p.events = append(p.events, hourEvent{time: true, start: f.Start, end: f.End})
	case f.Kind == figures.Label && int(f.Last) < len(p.d.Tokens()) && p.d.Tokens()[f.Last].Hash == hashDaysWord:
		if n := int(f.Value); n < 7 {
			p.events = append(p.events, hourEvent{count: n, start: f.Start, end: p.d.Tokens()[f.Last].End})
		}
	case f.Kind == figures.Clock:
		p.clock(f, t)
	}
}

// clock reads the time or the span of time at token t.
func (p *hourReader) clock(f *figures.Figure, t int32) {
	if p.next+1 < len(p.found) && p.found[p.next+1].Kind == figures.Clock && f.End+spanReach > p.found[p.next+1].Start {
		p.next++
		g := &p.found[p.next]
		p.events = append(p.events, hourEvent{
			time: true, from: f.Value, to: g.Value, vague: f.HalfDay || g.HalfDay, start: f.Start, end: g.End,
		})
		return
	}
	p.events = append(p.events, hourEvent{
		time: true, half: true, to: f.Value, vague: f.HalfDay, start: f.Start, end: f.End,
		until: t > p.c.First && untilWords.Has(p.d.Tokens()[t-1].Hash),
	})
}

// isWholeDay reports "24 hours" and "24/7".
func isWholeDay(f *figures.Figure) bool {
	return f.Value == 24 && (f.Kind == figures.Label || f.Unit.Dimension == figures.Duration && f.Unit.Factor == 3600)
}

// spanReach is the largest distance in bytes between the times of a span: "opens at 9 am and closes at 5 pm".
const spanReach = 30

// word reads the word at token t.
func (p *hourReader) word(t int32) {
	tokens := p.d.Tokens()
	w := &tokens[t]
	switch days := dayWords[w.Hash]; {
	case days != 0:
		p.addDays(hourEvent{days: days, start: w.Start, end: w.End})
	case w.Hash == hashClosed:
		p.events = append(p.events, hourEvent{closed: true, start: w.Start, end: w.End})
	case (w.Hash == hashDayWord || w.Hash == hashDaysWord) && t > p.c.First && isWholeWeek(tokens[t-1].Hash):
		p.addDays(hourEvent{days: allDays, start: tokens[t-1].Start, end: w.End})
	}
}

func isWholeWeek(h uint64) bool { return h == hashEvery || h == hashSeven || h == hash7 }

// joinsDays reports whether only words such as "and" or "on" are between two days.
func joinsDays(d *detectors.Document, from, to int32) bool {
	for w := range strings.FieldsSeq(d.Text()[from:min(to, from+30)]) {
		switch strings.Trim(w, ",&/") {
		case "", "and", "or", "on", "the", "to", "as", "well":
		default:
			return false
		}
	}
	return to-from <= 30
}

// addDays merges neighboring days into one event and removes days after "except".
func (p *hourReader) addDays(e hourEvent) {
	n := len(p.events)
	if n == 0 || p.events[n-1].days == 0 {
		p.events = append(p.events, e)
		return
	}
	last := &p.events[n-1]
	switch {
	case p.except:
		last.days &^= e.days
	case joinsDays(p.d, last.end, e.start):
		last.days |= e.days
	default:
		p.events = append(p.events, e)
		return
	}
	last.end = e.end
}

// dayRange reads one day or "Monday to Friday" at the i-th figure. last is the last figure of it.
func dayRange(d *detectors.Document, found []figures.Figure, i int) (days uint8, last int) {
	from := found[i].Weekday
	if i+1 < len(found) && found[i+1].Weekday != 0 && isDayRange(text.Between(d.Text(), found[i].End, found[i+1].Start)) {
		for day := from; ; day = day%7 + 1 {
			days |= 1 << day
			if day == found[i+1].Weekday {
				return days, i + 1
			}
		}
	}
	return 1 << from, i
}

// isDayRange reports whether the gap between two days is "to", "through" or a dash.
func isDayRange(gap string) bool {
	gap = strings.TrimSpace(gap)
	return gap == "-" || gap == "–" || gap == "—" || spanWords.Has(text.Hash(gap))
}
