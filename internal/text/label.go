package text

import (
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

// isGermanOrdinal reports whether the full stop at i belongs to a German ordinal: the day of a date, or behind an article.
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
	before := Hash(p.wordBefore(first))
	if !month {
		e := lexicon[Hash(next[:min(end, 16)])]
		return next != "" && byteClasses[next[0]]&letter != 0 && germanArticles.Has(before) && (e == nil || e.flags&(Stop|germanWord) == 0)
	}
	return alone || germanDateWords.Has(before) || end+1 < len(next) && next[end] == ' ' && byteClasses[next[end+1]]&digit != 0
}

// germanArticles stand before an ordinal, "im 3. Stock", germanDateWords before a day, "am 4. April".
//
//nolint:gochecknoglobals // read-only tables
var (
	germanArticles  = HashSet("der die das dem den des im am vom zum zur beim jeder jede jedes jedem jeden")
	germanDateWords = HashSet("am vom zum bis ab den der dem des seit und")
)
