package evidence

import (
	"regexp"

	"confab/internal/text/figures"
)

// IsWithin reports a day of the week or month in a range of a source, "from May to September", that is no end of one itself. list is
// figures of the source, own those of the claim, s and answer their texts.
func IsWithin(f *Figure, own []Figure, answer string, list []Figure, s string) bool {
	if !isNamed(&f.Figure) {
		return false
	}
	for i := range own {
		if from, to := rangeAt(own, i, answer); from != nil && (f.Term == from.Term || f.Term == to.Term) {
			return false
		}
	}
	for i := range list {
		if from, to := rangeAt(list, i, s); from != nil && isBetween(&f.Figure, &from.Figure, &to.Figure) {
			return true
		}
	}
	return false
}

// rangeAt is the range of days or months that begins with the i-th figure of a text.
func rangeAt(list []Figure, i int, s string) (from, to *Figure) {
	if i+1 == len(list) || !isNamed(&list[i].Figure) || !isNamed(&list[i+1].Figure) || list[i].Unit != list[i+1].Unit {
		return nil, nil
	}
	from, to = &list[i], &list[i+1]
	if spans.MatchString(s[max(0, from.Start-maxSpan):from.Start] + "|" + s[from.End:to.Start]) {
		return from, to
	}
	return nil, nil
}

// spans is what stands before and between the ends of a range: "between | and", "| to", "|-".
var spans = regexp.MustCompile(`(?i)\|\W*(?:to|through|thru|until|till|bis(?: zum?| ende)?|à|au|jusqu'(?:à|en|au)|a|al|hasta)?\W*$|(?:between|zwischen|entre)\W*\|\W*(?:and|und|et|y)\W*$`)

const maxSpan = 12 // bytes

// isNamed reports a day of the week or a month alone.
func isNamed(f *figures.Figure) bool {
	return f.Kind == figures.Date && f.Day == 0 && f.Year == 0 && f.Month+f.Weekday > 0
}

// isBetween reports a day of the week or month from a to b, over the end of the week or year, too.
func isBetween(f, a, b *figures.Figure) bool {
	x, from, to := f.Month, a.Month, b.Month
	if f.Weekday > 0 {
		x, from, to = f.Weekday, a.Weekday, b.Weekday
	}
	if x == 0 || from == 0 || to == 0 {
		return false
	}
	if from <= to {
		return from <= x && x <= to
	}
	return x >= from || x <= to
}
