package numerals

import (
	"strings"
	"unicode/utf8"
)

// Written is a number with Chinese characters, or a time of day.
type Written struct {
	Value float64 // minutes since midnight for a time
	End   int     // bytes read
	Clock bool
}

// counters are characters that follow a number: measure words and units. A single numeral without one may be part of a word.
const counters = "个名位天日年月岁秒分小时周星片次票台只条张座辆份升克公斤米倍元块人球种间层号版款项家场轮杯部件套双对页章句季成"

// afternoon are the words before a time after noon.
var afternoon = [...]string{"下午", "晚上", "傍晚", "夜里"} //nolint:gochecknoglobals // a read-only table

// ReadChinese reads "三个", "十二", "九千", "3.14万" or "9点35分" at the position; ok is false for digits alone and for
// characters that are no number.
func ReadChinese(s string, at int) (w Written, ok bool) {
	value, end, digits := readDigits(s, at)
	written := false
	if end == at {
		value, end, written = readCharacters(s, at)
		if end == at {
			return w, false
		}
	}
	next, size := utf8.DecodeRuneInString(s[end:])
	if scale := scaleOf(next); digits && scale >= 1e3 {
		return Written{Value: value * scale, End: end + size}, true
	}
	if next == '点' && value <= 24 {
		return readTime(s, at, end+size, value), true
	}
	one := written && end-at <= len("三")
	if !written || one && !strings.ContainsRune(counters, next) {
		return w, false
	}
	return Written{Value: value, End: end}, true
}

// readDigits reads ASCII digits with a decimal point.
func readDigits(s string, at int) (value float64, end int, ok bool) {
	end = at
	for end < len(s) && end-at < maxDigits && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' && end > at) {
		end++
	}
	if end == at {
		return 0, at, false
	}
	return ParseDigits(s[at:end]), end, true
}

// Limits of a written number.
const (
	maxDigits     = 16
	maxCharacters = 16
)

// readCharacters reads numerals: 一千二百, 三万, 二〇二三.
func readCharacters(s string, at int) (value float64, end int, ok bool) {
	total, section, digit, row := 0.0, 0.0, -1.0, 0.0
	units, n := false, 0
	for end = at; end < len(s) && n < maxCharacters; n++ {
		r, size := utf8.DecodeRuneInString(s[end:])
		d, scale := digitOf(r), scaleOf(r)
		switch {
		case d >= 0:
			digit = d
			row = row*10 + d
		case scale == 0 || scale >= 1e3 && n == 0:
			return finish(total+section, digit, row, units), end, n > 0
		case scale >= 1e4:
			total, section, digit, units = (total+section+max(0, digit))*scale, 0, -1, true
		default:
			if digit < 0 {
				digit = 1
			}
			section, digit, units = section+digit*scale, -1, true
		}
		end += size
	}
	return finish(total+section, digit, row, units), end, n > 0
}

func finish(sum, digit, row float64, units bool) float64 {
	if !units {
		return row
	}
	return sum + max(0, digit)
}

func digitOf(r rune) float64 {
	const digits = "零一二三四五六七八九"
	switch r {
	case '〇':
		return 0
	case '两':
		return 2
	}
	if i := strings.IndexRune(digits, r); i >= 0 && r >= utf8.RuneSelf {
		return float64(i / len("零"))
	}
	return -1
}

func scaleOf(r rune) float64 {
	switch r {
	case '十':
		return 10
	case '百':
		return 100
	case '千':
		return 1e3
	case '万':
		return 1e4
	case '亿':
		return 1e8
	}
	return 0
}

// readTime reads the minutes after "点".
func readTime(s string, start, at int, hour float64) Written {
	for _, word := range afternoon {
		if strings.HasSuffix(s[:start], word) && hour < 12 {
			hour += 12
		}
	}
	w := Written{Value: hour * 60, End: at, Clock: true}
	if strings.HasPrefix(s[at:], "半") {
		return Written{Value: w.Value + 30, End: at + len("半"), Clock: true}
	}
	minutes, end, _ := readDigits(s, at)
	if end == at {
		minutes, end, _ = readCharacters(s, at)
	}
	if end > at && strings.HasPrefix(s[end:], "分") {
		return Written{Value: w.Value + minutes, End: end + len("分"), Clock: true}
	}
	return w
}

// IsSpacedGroup reports whether the digits after the gap continue the digits before it: "31 400".
func IsSpacedGroup(before, gap, after string) bool {
	if len(after) != 3 || len(before) > 3 || strings.ContainsAny(before+after, ".,") {
		return false
	}
	return gap == " " || gap == "\u00a0" || gap == "\u202f" || gap == "\u2009"
}
