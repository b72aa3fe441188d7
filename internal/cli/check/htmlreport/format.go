package htmlreport

import (
	"strconv"
	"strings"
	"time"

	"confab/internal/rowview"
	"confab/schemas"
)

// groupDigits writes a number with a comma before every three digits.
func groupDigits(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func formatShare(n, of int) string {
	if of <= 0 {
		return ""
	}
	return strings.TrimSuffix(strconv.FormatFloat(100*float64(n)/float64(of), 'f', 1, 64), ".0") + " %"
}

func formatScore(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// barWidth is a share of 1 as a coordinate of a drawing that is 100 wide.
func barWidth(x float64) string {
	return strconv.FormatFloat(100*min(1, max(0, x)), 'f', 1, 64)
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func className(c rowview.Class) string {
	switch c {
	case rowview.Alerting:
		return "alert"
	case rowview.Flagged:
		return "flagged"
	case rowview.Quiet:
		return "quiet"
	default:
		return "unchecked"
	}
}

func classLabel(c rowview.Class) string {
	if c == rowview.Unchecked {
		return "nothing to check"
	}
	return className(c)
}

func outcomeWord(o schemas.Outcome) string { return splitWords(string(o)) }

func splitWords(name string) string { return strings.ReplaceAll(name, "_", " ") }

func countOutcome(d DetectorRow, outcomes ...string) (n int) {
	for _, o := range outcomes {
		n += d.Outcomes[schemas.Outcome(o)]
	}
	return n
}

func joinMarks(marks []int) string {
	words := make([]string, len(marks))
	for i, m := range marks {
		words[i] = strconv.Itoa(m)
	}
	return strings.Join(words, " ")
}
