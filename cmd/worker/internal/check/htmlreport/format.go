package htmlreport

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/cmd/worker/internal/rowview"
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

// markedPiece is a piece of a text with the marks whose last piece it is.
type markedPiece struct {
	Text  string
	Marks []int
	Ends  []int
}

// endingMarks returns the pieces of a text with the marks that end at each.
func endingMarks(t rowview.Text) []markedPiece {
	pieces := make([]markedPiece, len(t.Pieces))
	for i, p := range t.Pieces {
		pieces[i] = markedPiece{Text: p.Text, Marks: p.Marks}
		for _, m := range p.Marks {
			if i+1 == len(t.Pieces) || !slices.Contains(t.Pieces[i+1].Marks, m) {
				pieces[i].Ends = append(pieces[i].Ends, m)
			}
		}
	}
	return pieces
}

// placeFindings are the findings of one place, and the different passages that it was compared with.
type placeFindings struct {
	Number   int
	Findings []rowview.Finding
	Passages []*rowview.Passage
}

// groupFindings groups findings by place, in the order of their numbers.
func groupFindings(findings []rowview.Finding) (groups []placeFindings) {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b rowview.Finding) int { return cmp.Compare(a.Number, b.Number) })
	for _, f := range sorted {
		if len(groups) == 0 || groups[len(groups)-1].Number != f.Number {
			groups = append(groups, placeFindings{Number: f.Number})
		}
		g := &groups[len(groups)-1]
		g.Findings = append(g.Findings, f)
		if f.Passage != nil && !slices.ContainsFunc(g.Passages, func(p *rowview.Passage) bool { return reflect.DeepEqual(p, f.Passage) }) {
			g.Passages = append(g.Passages, f.Passage)
		}
	}
	return groups
}

func joinMarks(marks []int) string {
	words := make([]string, len(marks))
	for i, m := range marks {
		words[i] = strconv.Itoa(m)
	}
	return strings.Join(words, " ")
}
