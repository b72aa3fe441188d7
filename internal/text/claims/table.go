package claims

import "strings"

// minRowWords is the smallest number of words of a table row that is a claim.
const minRowWords = 2

// maxHeading is the longest heading in bold, in bytes.
const maxHeading = 80

// isTableHead reports the first row of a Markdown table, whose next line is a rule, and the rule itself.
func (t statements) isTableHead(i int) bool {
	line := t.line(i)
	return strings.Contains(line, "|") && (isTableRule(line) || isTableRule(t.line(i+1)))
}

// line is the i-th sentence, "" beyond the last.
func (t statements) line(i int) string {
	if i >= len(t.sentences) {
		return ""
	}
	return t.sentences[i].In(t.s)
}

// isTableRule reports the line between head and body of a table: "|---|:---:|".
func isTableRule(line string) bool {
	return strings.Contains(line, "-") && strings.ContainsAny(line, "|") && strings.Trim(line, "|-: ") == ""
}

// isBoldHeading reports a line that is bold as a whole, without punctuation or figures, before another line.
func (t statements) isBoldHeading(i int) bool {
	line := t.line(i)
	if len(line) > maxHeading || !strings.HasPrefix(line, "**") || i+1 >= len(t.sentences) {
		return false
	}
	inner, found := strings.CutSuffix(strings.TrimRight(line[2:], ":"), "**")
	inner = strings.TrimRight(inner, ":")
	if !found || strings.ContainsAny(inner, "*.,;!0123456789") {
		return false
	}
	return strings.ContainsAny(t.s[t.sentences[i].End:t.sentences[i+1].Start], "\n\r")
}
