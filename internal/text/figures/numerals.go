package figures

import "strings"

// Number is a number with its separators read.
type Number struct {
	Value       float64
	Alternative float64 // how three digits after a single separator read in another language, else 0
	Decimals    int
}

// ReadSeparated reads digits with points and commas. The last separator is the decimal one if both occur: "1,234.56" and
// "1.234,56". Three digits after a single separator may be a group or Decimals: the English reading is the value, the other
// the alternative. ok is false for lists and versions, such as "1,2,3" and "1.2.3".
func ReadSeparated(s string) (n Number, ok bool) {
	dots, commas := strings.Count(s, "."), strings.Count(s, ",")
	switch {
	case dots+commas == 0:
		return Number{Value: ParseDigits(s)}, true
	case dots+commas == 1:
		return readSingle(s, dots == 1), true
	case dots > 0 && commas > 0:
		return readMixed(s, dots, commas)
	}
	last := s[strings.LastIndexAny(s, ".,")+1:]
	if len(last) != 3 || dots > 0 && !IsGrouped(s, ".") {
		return Number{}, false
	}
	return Number{Value: ParseDigits(strings.ReplaceAll(s, ".", ""))}, true
}

// readSingle reads a number with one separator.
func readSingle(s string, point bool) Number {
	at := strings.IndexByte(s, '.')
	if !point {
		at = strings.IndexByte(s, ',')
	}
	whole, rest := s[:at], s[at+1:]
	digits, place := parseDigits(s, at)
	grouped, decimal := digits, digits/place
	canGroup := len(rest) == 3 && len(whole) <= 3 && whole[0] != '0'
	switch {
	case point && canGroup:
		return Number{Value: decimal, Decimals: 3, Alternative: grouped}
	case point:
		return Number{Value: decimal, Decimals: len(rest)}
	case canGroup:
		return Number{Value: grouped, Alternative: decimal}
	case len(rest) == 3 && whole[0] != '0':
		return Number{Value: grouped}
	}
	return Number{Value: decimal, Decimals: len(rest)}
}

func readMixed(s string, dots, commas int) (Number, bool) {
	point, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	switch {
	case point > comma && dots == 1:
		return Number{Value: ParseDigits(s), Decimals: len(s) - point - 1}, true
	case comma > point && commas == 1 && IsGrouped(s[:comma], "."):
		whole := strings.ReplaceAll(s[:comma], ".", "")
		return Number{Value: ParseDigits(whole + "." + s[comma+1:]), Decimals: len(s) - comma - 1}, true
	}
	return Number{}, false
}

// IsGrouped reports one to three digits and then groups of three.
func IsGrouped(s, separator string) bool {
	first, rest, _ := strings.Cut(s, separator)
	if len(first) == 0 || len(first) > 3 {
		return false
	}
	for rest != "" {
		var group string
		if group, rest, _ = strings.Cut(rest, separator); len(group) != 3 {
			return false
		}
	}
	return true
}

// IsNumeral reports a text without other characters than the digits 0 to 9.
func IsNumeral(s string) bool {
	for k := range len(s) {
		if s[k] < '0' || s[k] > '9' {
			return false
		}
	}
	return true
}

// ParseDigits parses digits with a point and ignores other characters.
func ParseDigits(s string) float64 {
	v, place := parseDigits(s, strings.IndexByte(s, '.'))
	return v / place
}

// parseDigits reads the digits of s as one number, and the place of its last digit if those after point are a fraction. A
// negative point stands for none.
func parseDigits(s string, point int) (v, place float64) {
	place = 1
	for i := range len(s) {
		c := s[i]
		if c < '0' || c > '9' {
			continue
		}
		v = v*10 + float64(c-'0')
		if point >= 0 && i > point {
			place *= 10
		}
	}
	return v, place
}

// IsYear reports the digits of a year from 1500 to 2099.
func IsYear(w string) bool {
	return len(w) == 4 && (w[0] == '1' && w[1] >= '5' || w[0] == '2' && w[1] == '0') && isDigit(w[2]) && isDigit(w[3])
}

// IsGroupGap reports what separates groups of three digits besides commas and points.
func IsGroupGap(gap string) bool {
	return gap == " " || gap == "'" || gap == "’" || gap == "\u00A0" || gap == "\u202F" || gap == "\u2009"
}

// IsRangeGap reports the dash of a range.
func IsRangeGap(gap string) bool { return gap == "-" || gap == "–" || gap == " - " || gap == " – " }
