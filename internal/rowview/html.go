package rowview

import (
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"
)

//go:embed row.html.tmpl
var rowTemplate string

// HTML is a row for the templates "answer" and "findings". Prefix tells the rows of one page apart.
type HTML struct {
	*Row

	Prefix string
}

// NewTemplate returns the templates that pages share, with their functions: "text", "answer" and "findings" of an [HTML],
// "meter" of a signal.
func NewTemplate(more template.FuncMap) (*template.Template, error) {
	t, err := template.New("").Funcs(template.FuncMap{
		"score": formatScore, "bar": barWidth, "words": splitWords, "join": joinMarks, "count": groupDigits, "share": formatShare,
		"ends": EndingMarks, "places": GroupFindings,
		"capital": func(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] },
	}).Funcs(more).Parse(rowTemplate)
	if err != nil {
		return nil, fmt.Errorf("templates of rows: %w", err)
	}
	return t, nil
}

func formatScore(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// barWidth is a score in percent.
func barWidth(x float64) string { return strconv.FormatFloat(100*min(1, max(0, x)), 'f', 1, 64) }

func splitWords(v any) string { return strings.ReplaceAll(fmt.Sprint(v), "_", " ") }

func joinMarks(marks []int) string { return strings.Trim(fmt.Sprint(marks), "[]") }

// groupDigits writes a whole number with commas between groups of three digits.
func groupDigits(v any) string {
	s := fmt.Sprint(v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// formatShare is n of all in percent; "–" of none.
func formatShare(n, of int) string {
	if of <= 0 {
		return "–"
	}
	return strings.TrimSuffix(strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64), ".0") + " %"
}
