package citations

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// yearAt is the year at the end of s, as in "Smith, 2020" and "2020a", and where it starts.
func yearAt(s string) (year string, at int) {
	trimmed := strings.TrimRight(s, "abcd")
	if len(s)-len(trimmed) > 1 || len(trimmed) < 4 {
		return "", 0
	}
	at = len(trimmed) - 4
	year = trimmed[at:]
	if n, ok := parsePosition(year); !ok || n < 1500 || n > 2199 || at > 0 && trimmed[at-1] >= '0' && trimmed[at-1] <= '9' {
		return "", 0
	}
	return year, at
}

// containsYear reports whether s has a number of four digits.
func containsYear(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < '0' || s[i] > '9' {
			i++
			continue
		}
		end := digitsEnd(s, i)
		if end-i == 4 && (s[i] == '1' || s[i] == '2') {
			return true
		}
		i = end
	}
	return false
}

// addAuthors adds the references of "Smith, 2020", "Smith et al. 2020; Jones and Doe, 2019, p. 3". It returns false if one of
// them is none, or names no source and may be something else.
func (c *Markers) addAuthors(content string) bool {
	if !c.hasYears {
		return false
	}
	first := len(c.References)
	for part := range strings.SplitSeq(content, ";") {
		part, _, _ = strings.Cut(part, ", p")
		part = strings.TrimSpace(part)
		year, at := yearAt(part)
		if year == "" {
			return false
		}
		if !c.addAuthor(part, cutLeadIns(strings.TrimRight(part[:at], " ,")), year) {
			return false
		}
	}
	return len(c.References) > first
}

// addAuthor adds every source whose title or id has the year and the first author's name.
func (c *Markers) addAuthor(label, authors, year string) bool {
	name := leadingWord(authors)
	first, _ := utf8.DecodeRuneInString(name)
	if len(name) < 2 || !unicode.IsUpper(first) || months.Has(text.Hash(name)) {
		return false
	}
	before := len(c.References)
	c.in.Work.Spend(len(c.in.Sources))
	for i := range c.in.Sources {
		src := &c.in.Sources[i]
		if !namesAuthor(src.Title, name, year) && !namesAuthor(src.ID, name, year) {
			continue
		}
		if i >= c.in.Measured {
			i = UnmeasuredSource
		}
		c.References = append(c.References, Reference{Label: label, Source: i})
	}
	if len(c.References) > before {
		return true
	}
	rest := strings.TrimLeft(authors[len(name):], ", ")
	alone := rest == "" || hasPrefix(rest, "et al") || hasPrefix(rest, "and ") || hasPrefix(rest, "& ") || hasPrefix(rest, "und ")
	if !alone || c.inSources(name) {
		return false
	}
	c.References = append(c.References, Reference{Label: label, Source: UnknownSource})
	return true
}

// namesAuthor reports whether a title or id has the name, as a word in any case, and the year.
func namesAuthor(title, name, year string) bool {
	if !strings.Contains(title, year) {
		return false
	}
	for i := 0; i+len(name) <= len(title); i++ {
		if !strings.EqualFold(title[i:i+len(name)], name) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(title[:i])
		after, _ := utf8.DecodeRuneInString(title[i+len(name):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
	}
	return false
}
