package figures

import "strings"

// ReadHour reads one or two digits with an optional "am" or "pm"; -1 for anything else.
func ReadHour(w string) (v int, meridian byte) {
	n := 0
	for n < len(w) && isDigit(w[n]) {
		v = v*10 + int(w[n]-'0')
		n++
	}
	rest := w[n:]
	switch {
	case n == 0 || n > 2:
		return -1, 0
	case rest == "":
		return v, 0
	case strings.EqualFold(rest, "am"), strings.EqualFold(rest, "a"):
		return v, 'a'
	case strings.EqualFold(rest, "pm"), strings.EqualFold(rest, "p"):
		return v, 'p'
	}
	return -1, 0
}

// SplitPoint reads 8.30 and 18.30.
func SplitPoint(w string) (hour, minute int, ok bool) {
	if len(w) < len("8.30") || len(w) > len("18.30") {
		return 0, 0, false
	}
	digits, rest, found := strings.Cut(w, ".")
	if !found || digits == "" || len(digits) > 2 || len(rest) != 2 || !IsNumeral(digits) || !IsNumeral(rest) {
		return 0, 0, false
	}
	hour, minute = int(ParseDigits(digits)), int(ParseDigits(rest))
	return hour, minute, hour <= 24 && minute < 60
}

// SplitClock reads 9h, 09h and 17h30.
func SplitClock(w string) (hour, minute int, ok bool) {
	if len(w) < 2 || len(w) > len("17h30") {
		return 0, 0, false
	}
	digits, rest, found := strings.Cut(w, "h")
	if !found || digits == "" || len(digits) > 2 || len(rest) != 0 && len(rest) != 2 || !IsNumeral(digits) || !IsNumeral(rest) {
		return 0, 0, false
	}
	hour, minute = int(ParseDigits(digits)), int(ParseDigits(rest))
	return hour, minute, hour <= 24 && minute < 60
}

// FullHour is the hour of the day.
func FullHour(hour int, meridian byte) int {
	switch {
	case meridian == 'p' && hour < 12:
		return hour + 12
	case meridian == 'a' && hour == 12:
		return 0
	}
	return hour
}

// IsDay reports a day that the month has; year is 0 if unknown.
func IsDay(month, day, year int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= MonthDays(month, year)
}

// MonthDays is the number of days of the month, 29 for February if the year is 0.
func MonthDays(month, year int) int {
	switch {
	case month == 2 && year != 0 && (year%4 != 0 || year%100 == 0 && year%400 != 0):
		return 28
	case month == 2:
		return 29
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// ExpandYear is the year that two digits mean.
func ExpandYear(year int) int {
	if year < 50 {
		return 2000 + year
	}
	return 1900 + year
}

// IsOrdinalSuffix reports the letters of 1st, 2nd, 3rd and 4th.
func IsOrdinalSuffix(s string) bool {
	return strings.EqualFold(s, "st") || strings.EqualFold(s, "nd") || strings.EqualFold(s, "rd") || strings.EqualFold(s, "th")
}

// NumberLen is the length of the number at the start of w: digits, points and commas.
func NumberLen(w string) int {
	n := 0
	for n < len(w) && (isDigit(w[n]) || w[n] == ',' || w[n] == '.') {
		n++
	}
	for n > 0 && !isDigit(w[n-1]) {
		n--
	}
	return n
}
