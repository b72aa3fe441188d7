package figures

import (
	"strings"

	"confab/internal/text"
)

// ideographs reads a Chinese number at the pair of characters i: 二十, 九点半, 三成, and returns the next token. The pairs that
// overlap the number belong to it.
func (p *scanner) ideographs(i int) int {
	start := int(p.tokens[i].Start)
	v, size := ReadIdeographs(p.s[start:])
	if size == 0 {
		return i + 1
	}
	first, end := i, int32(start+size)
	if first > 0 && p.tokens[first-1].Kind == text.Gram && p.tokens[first-1].End > p.tokens[i].Start {
		first--
	}
	f := Figure{Spelled: true, Value: v}
	tail := p.s[end:]
	switch {
	case strings.HasPrefix(tail, "点"):
		f.Kind, end = Clock, p.ideographClock(&f, start, end)
	case strings.HasPrefix(tail, "成"):
		f.Kind, f.Value = Percent, 10*v
	case strings.HasSuffix(p.s[:start], "百分之"):
		f.Kind = Percent
	case p.ideographUnit(&f, i, tail), IsCounter(tail):
	case v <= 10 || strings.HasSuffix(p.s[:start], "第"):
		return i + 1 // part of a word
	}
	f.Sense = ideographSense(p.s[:start])
	return p.emitIdeographs(f, first, start, end)
}

// emitIdeographs emits a figure of the bytes start..end. Tokens that begin inside belong to it.
func (p *scanner) emitIdeographs(f Figure, first, start int, end int32) int {
	last := first + 1
	for last < len(p.tokens) && p.tokens[last].Start < end {
		last++
	}
	next := p.emit(f, first, last)
	g := &p.dst[len(p.dst)-1]
	g.Start, g.End, g.Counts = int32(start), end, true
	return next
}

// ideographClock reads what follows and precedes the hour f.Value: 晚上九点半. It returns the end.
func (p *scanner) ideographClock(f *Figure, start int, end int32) int32 {
	end += int32(len("点"))
	minutes, size := ReadMinutes(p.s[end:])
	end += int32(size)
	lead := p.s[:start]
	hour := f.Value
	switch {
	case strings.HasSuffix(lead, "下午"), strings.HasSuffix(lead, "晚上"), strings.HasSuffix(lead, "傍晚"):
		if hour < 12 {
			hour += 12
		}
	case strings.HasSuffix(lead, "上午"), strings.HasSuffix(lead, "早上"), strings.HasSuffix(lead, "凌晨"), strings.HasSuffix(lead, "中午"):
	default:
		f.HalfDay = hour <= 12
	}
	f.Value = hour*60 + minutes
	return end
}

// ideographUnit reads the Chinese unit at the start of tail.
func (p *scanner) ideographUnit(f *Figure, first int, tail string) bool {
	for i := range ideographUnits {
		u := &ideographUnits[i]
		if !strings.HasPrefix(tail, u.sign) {
			continue
		}
		if u.sign == "年" && IsYear(p.word(first)) {
			return false
		}
		f.Unit = u.unit
		if isCurrency(u.unit.Dimension) {
			f.Kind = Money
		}
		return true
	}
	return false
}

// ideographSense reads "about" and the like before a Chinese number.
func ideographSense(lead string) Sense {
	lead = strings.TrimSuffix(strings.TrimSuffix(lead, "有"), "为")
	for i := range ideographSenses {
		if strings.HasSuffix(lead, ideographSenses[i].sign) {
			return ideographSenses[i].sense
		}
	}
	return Exact
}

//nolint:gochecknoglobals // read-only
var (
	ideographUnits = [...]struct {
		sign string
		unit Unit
	}{
		{"元", Unit{Yuan, 1}},
		{"公里", Unit{Length, 1000}},
		{"千米", Unit{Length, 1000}},
		{"米", Unit{Length, 1}},
		{"公斤", Unit{Mass, 1000}},
		{"千克", Unit{Mass, 1000}},
		{"克", Unit{Mass, 1}},
		{"小时", Unit{Duration, 3600}},
		{"分钟", Unit{Duration, 60}},
		{"秒", Unit{Duration, 1}},
		{"天", Unit{Duration, 86400}},
		{"周", Unit{Duration, 604800}},
		{"星期", Unit{Duration, 604800}},
		{"个月", Unit{Calendar, 1}},
		{"年", Unit{Calendar, 12}},
	}
	ideographSenses = [...]struct {
		sign  string
		sense Sense
	}{
		{"约", About},
		{"大概", About},
		{"左右", About},
		{"近", About},
		{"将近", About},
		{"超过", AtLeast},
		{"至少", AtLeast},
		{"不到", AtMost},
		{"最多", AtMost},
	}
)
