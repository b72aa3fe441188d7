package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sourceLabels are the words for "source" in "(source: kb-17)".
//
//nolint:gochecknoglobals // a read-only table
var sourceLabels = strings.Fields(`source sources quelle quellen fuente fuentes 来源 來源 出典 출처 источник источники المصدر स्रोत
ที่มา`)

// SourceLabel is the length of the "source:" at the start of s, in one of several languages, 0 for none.
func SourceLabel(s string) int {
	for _, label := range sourceLabels {
		if len(s) <= len(label) || !strings.EqualFold(s[:len(label)], label) {
			continue
		}
		rest := strings.TrimLeftFunc(s[len(label):], unicode.IsSpace)
		if r, size := utf8.DecodeRuneInString(rest); r == ':' || r == '：' {
			return len(s) - len(rest) + size
		}
	}
	return 0
}

// germanMonths follow the full stop of an ordinal: "am 3. Oktober". Names that are also English have the value false: they
// count only with a year after them.
//
//nolint:gochecknoglobals // a read-only table
var germanMonths = map[string]bool{
	"Januar": true, "Februar": true, "März": true, "Mai": true, "Juni": true, "Juli": true, "Oktober": true, "Dezember": true,
	"April": false, "August": false, "September": false, "November": false,
}

// isGermanOrdinal reports whether the full stop at i belongs to the day of a German date.
func (p *sentenceSplitter) isGermanOrdinal(i int, next string) bool {
	first := i
	for first > p.start && i-first < 3 && byteClasses[p.s[first-1]]&digit != 0 {
		first--
	}
	if first == i || i-first > 2 || first > p.start && byteClasses[p.s[first-1]] != 0 {
		return false
	}
	end := strings.IndexFunc(next, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(next)
	}
	alone, month := germanMonths[next[:min(end, 16)]]
	return month && (alone || p.afterDateWord(first) || end+1 < len(next) && next[end] == ' ' && byteClasses[next[end+1]]&digit != 0)
}

// germanDateWords stand before a day: "am 4. April".
//
//nolint:gochecknoglobals // a read-only table
var germanDateWords = strings.Fields("am vom zum bis ab den der dem des seit und")

// afterDateWord reports that one of germanDateWords precedes the day that starts at first.
func (p *sentenceSplitter) afterDateWord(first int) bool {
	before := strings.TrimRight(p.s[max(p.start, first-6):first], " ")
	word := before[strings.LastIndexByte(before, ' ')+1:]
	return slices.ContainsFunc(germanDateWords, func(w string) bool { return strings.EqualFold(w, word) })
}
