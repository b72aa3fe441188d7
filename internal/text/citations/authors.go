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

// readYear reads the year of "Smith et al. (2020)", whose authors stand before the parenthesis. It returns 0 if there are
// none.
func (c *Markers) readYear(m *Marker, content string) int {
	year, at := yearAt(content)
	if !c.hasYears || year == "" || at > 0 {
		return 0
	}
	head := strings.TrimRight(c.in.Answer[max(0, m.Start-maxAuthors):m.Start], " ")
	start := authorsStart(head)
	if start < 0 {
		return 0
	}
	authors := head[start:]
	if !c.addAuthor(authors, authors, year) || !c.allKnown(m.First) {
		c.withdraw(m)
		return 0
	}
	m.Form = FormAuthor
	from := max(0, m.Start-maxAuthors) + start
	if n := len(c.List); n == 0 || c.List[n-1].End <= from {
		m.Start = from
	}
	return c.addMarker(*m)
}

// maxAuthors is the most text before a year, in bytes, that is read as authors.
const maxAuthors = 48

// authorsStart is where the authors at the end of s start: "Smith", "Smith et al.", "Smith and Jones"; -1 for none.
func authorsStart(s string) int {
	joint := false
	for _, others := range [...]string{" et al.", " et al", " and colleagues"} {
		if rest, ok := strings.CutSuffix(s, others); ok {
			s, joint = rest, true
			break
		}
	}
	at := capitalizedStart(s)
	if at < 0 || joint {
		return at
	}
	for _, and := range [...]string{" and ", " & ", " und ", " y ", " et "} {
		if rest, ok := strings.CutSuffix(s[:at], and); ok {
			if first := capitalizedStart(rest); first >= 0 {
				return first
			}
		}
	}
	return at
}

// capitalizedStart is where the capitalized word at the end of s starts, -1 for another end.
func capitalizedStart(s string) int {
	at := len(s)
	for at > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		if !unicode.IsLetter(r) && r != '-' && r != '\'' {
			break
		}
		at -= size
	}
	r, _ := utf8.DecodeRuneInString(s[at:])
	if len(s)-at < 2 || !unicode.IsUpper(r) {
		return -1
	}
	return at
}
