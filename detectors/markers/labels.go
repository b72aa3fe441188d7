package markers

import (
	"slices"
	"strings"

	"confab/detectors"
)

// SourceOf finds the source that a label names: by id, else by its position counted from 1.
func SourceOf(d *detectors.Document, label string) int {
	found := UnknownSource
	d.Work().Spend(1 + len(d.Interaction().Sources)/labelsPerUnit)
	for i := range d.Interaction().Sources {
		if d.Interaction().Sources[i].ID == label {
			found = i
			break
		}
	}
	if n, ok := parsePosition(label); found < 0 && ok && n >= 1 && n <= len(d.Interaction().Sources) {
		found = n - 1
	}
	if found >= d.Sources() {
		return UnmeasuredSource
	}
	return found
}

// parsePosition parses a decimal number of at most nine digits.
func parsePosition(s string) (n int, ok bool) {
	if s == "" || len(s) > 9 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int(s[i]-'0')
	}
	return n, true
}

// enclosedText is the text before the closing bracket. ok is false if that is too far, on another line or behind another
// opening bracket.
func enclosedText(s, open, shut string) (content string, ok bool) {
	head := s[:min(len(s), maxMarkerBytes)]
	end := strings.Index(head, shut)
	if end <= 0 {
		return "", false
	}
	content = head[:end]
	return content, !strings.Contains(content, open) && !strings.Contains(content, "\n")
}

// skipCode returns the end of the code that starts with the backticks at i. An unclosed fence reaches to the end of s; an
// unclosed inline backtick is skipped alone.
func skipCode(s string, i int) int {
	open := i
	for open < len(s) && s[open] == '`' {
		open++
	}
	ticks, rest := s[i:open], s[open:]
	if len(ticks) < 3 {
		rest = rest[:min(len(rest), maxInlineCode)]
	}
	end := strings.Index(rest, ticks)
	switch {
	case end >= 0:
		return open + end + len(ticks)
	case len(ticks) >= 3:
		return len(s)
	default:
		return open
	}
}

// isNumberList reports numbers separated by commas, semicolons, dashes and spaces.
func isNumberList(s string) bool {
	digits := false
	for i, r := range s {
		switch {
		case '0' <= r && r <= '9':
			digits = true
		case r == ',' || r == ';' || r == ' ' || r == '-' || r == '–':
			if i == 0 {
				return false
			}
		default:
			return false
		}
	}
	return digits
}

// cutRange splits "2-4" and "2–4".
func cutRange(s string) (low, high string, isRange bool) {
	for _, dash := range [...]string{"-", "–"} {
		if low, high, isRange = strings.Cut(s, dash); isRange {
			return low, high, true
		}
	}
	return s, "", false
}

// isCitable is false for a number that names no source and cannot be a citation: a year, or with a leading zero.
func isCitable(d *detectors.Document, s string) bool {
	year := len(s) == 4 && (s[0] == '1' || s[0] == '2')
	zero := s != "" && s[0] == '0'
	if (year || zero) && isNumberList(s) {
		return SourceOf(d, s) != UnknownSource
	}
	return true
}

// isBlankAt reports a space or the end of a line at i.
func isBlankAt(s string, i int) bool {
	return s[i] == ' ' || s[i] == '\n' || s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n'
}

// startsReferences reports whether the line at the start of s is a heading over a list of references.
func startsReferences(s string) bool {
	line, _, _ := strings.Cut(s[:min(len(s), 40)], "\n")
	line = strings.Trim(line, "#*_: \t\r")
	return slices.ContainsFunc([]string{"references", "sources", "citations", "bibliography", "footnotes"}, func(h string) bool {
		return strings.EqualFold(line, h)
	})
}
