package rewrite_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors/rewrite"
	"confab/internal/datatest"
	"confab/internal/text"
	"confab/schemas"
	"confab/schemas/json"
)

// setFigures are the figures of one set of labelled rows.
type setFigures struct {
	flagged, claims       int
	status                map[string]int // rewritten, or the reason of the failure
	riskBefore, riskAfter float64
	measuredRisks         int
	clear                 int
	words, wordsKept      int
	quiet, unchanged      int // good rows that nothing fired on
	spans, spansGone      int
	good, goodLost        int // sentences without a faulty span, of rows with spans
}

func decodeRows(t *testing.T, set string) []schemas.Labelled {
	t.Helper()
	lines := slices.Concat(datatest.Rows(t, set), datatest.MoreRows(t, set))
	rows := make([]schemas.Labelled, len(lines))
	for i, line := range lines {
		require.NoError(t, json.DecodeLabelled(line, &rows[i]))
	}
	return rows
}

// measureSet rewrites the flagged rows.
func measureSet(t *testing.T, e *confab.Evaluator, rows []schemas.Labelled, mode rewrite.Mode) *setFigures {
	t.Helper()
	ctx := context.Background()
	s := &setFigures{status: map[string]int{}}
	for i := range rows {
		row := &rows[i]
		flag, err := e.Check(ctx, &row.Interaction)
		require.NoError(t, err)
		r := rewrite.ReviseAnswer(ctx, &row.Interaction, &flag, rewrite.Options{Mode: mode, Evaluate: e.Check})
		s.add(t, row, &flag, &r)
	}
	return s
}

func (s *setFigures) add(t *testing.T, row *schemas.Labelled, flag *schemas.Flag, r *rewrite.Result) {
	t.Helper()
	if len(flag.Fired) == 0 {
		if row.Label == 0 {
			s.quiet++
			if r.Status == rewrite.StatusUnchanged && r.Answer == row.Interaction.Answer {
				s.unchanged++
			}
		}
		return
	}
	s.flagged++
	if r.Status != rewrite.StatusRewritten {
		require.Empty(t, r.Answer)
		s.status[r.Reason]++
		return
	}
	s.status["rewritten"]++
	require.Empty(t, r.After.Fired)
	if r.Mode == rewrite.ModeRemove && r.Answer != rewrite.EmptyAnswer {
		requireLayout(t, row.Interaction.ID, row.Interaction.Answer, r.Answer)
	}
	for _, e := range r.Edits {
		if e.Because == "flagged" {
			s.claims++
		}
	}
	if r.After.Verdict == rewrite.VerdictClear {
		s.clear++
	}
	if flag.Risk != nil && r.After.Risk != nil {
		s.riskBefore, s.riskAfter = s.riskBefore+*flag.Risk, s.riskAfter+*r.After.Risk
		s.measuredRisks++
	}
	s.words += len(strings.Fields(row.Interaction.Answer))
	if r.Answer != rewrite.EmptyAnswer {
		s.wordsKept += len(strings.Fields(r.Answer))
	}
	s.addSpans(row, r)
}

// layoutFaults are what cutting could leave behind.
func layoutFaults() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"two spaces": regexp.MustCompile(`\S  \S`), "two blank lines": regexp.MustCompile(`\n\n\n`), "space before a line break": regexp.MustCompile(`[ \t]\n`),
		"item without text": regexp.MustCompile(`(?m)^\s*([-*]|\d+\.)\s*$`), "line in lower case": regexp.MustCompile(`(?m)^[a-z]`), "introduction of nothing": regexp.MustCompile(`:\s*$`),
		"sentence in lower case": regexp.MustCompile(`[.!?] [a-z]`), "space before a full stop": regexp.MustCompile(` [.,;:](\s|$)`), "line break at the end": regexp.MustCompile(`\n$`),
	}
}

// requireLayout requires that a rewritten answer has no fault of the layout that the original did not have.
func requireLayout(t *testing.T, id, before, after string) {
	t.Helper()
	for name, fault := range layoutFaults() {
		require.LessOrEqual(t, len(fault.FindAllString(after, -1)), len(fault.FindAllString(before, -1)), "%s: %s:\n%s", id, name, after)
	}
	for _, mark := range []string{"**", "\"", "```"} {
		require.LessOrEqual(t, strings.Count(after, mark)%2, strings.Count(before, mark)%2, "%s: %s:\n%s", id, mark, after)
	}
	if strings.Count(before, "(") == strings.Count(before, ")") {
		require.Equal(t, strings.Count(after, "("), strings.Count(after, ")"), "%s:\n%s", id, after)
	}
}

// addSpans counts faulty spans and good sentences of a row with spans.
func (s *setFigures) addSpans(row *schemas.Labelled, r *rewrite.Result) {
	if len(row.Spans) == 0 {
		return
	}
	removed := func(start, end int) bool {
		for _, e := range r.Edits {
			if (e.Action == "removed" || e.Action == "replaced") && e.Start < end && start < e.End {
				return true
			}
		}
		return false
	}
	for _, p := range row.Spans {
		s.spans++
		if removed(p.Start, p.End) {
			s.spansGone++
		}
	}
	for _, sentence := range text.AppendSentences(nil, row.Interaction.Answer) {
		start, end := int(sentence.Start), int(sentence.End)
		if slices.ContainsFunc(row.Spans, func(p schemas.Span) bool { return p.Start < end && start < p.End }) {
			continue
		}
		s.good++
		if removed(start, end) {
			s.goodLost++
		}
	}
}

// TestFigures rewrites every flagged answer of the labelled rows. With UPDATE=1 it writes the tables of docs/rewriting.md.
func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	all := setFigures{status: map[string]int{}}
	var sets, faults strings.Builder
	for _, set := range datatest.Sets(t) {
		rows := decodeRows(t, set)
		s := measureSet(t, e, rows, rewrite.ModeRemove)
		require.Equal(t, s.quiet, s.unchanged, "good rows of %s that nothing fires on", set)
		sets.WriteString(s.row(set))
		if s.status[rewrite.ReasonSchema] == 0 {
			all.flagged += s.flagged
			all.status["rewritten"] += s.status["rewritten"]
		} else {
			require.Equal(t, s.flagged, s.status[rewrite.ReasonSchema])
		}
		if s.spans > 0 {
			faults.WriteString(s.spanRow(set))
		}
		if set == "ragtruth" {
			for _, mode := range []rewrite.Mode{rewrite.ModeHedge, rewrite.ModeAnnotate} {
				marked := measureSet(t, e, rows, mode)
				require.GreaterOrEqual(t, marked.status["rewritten"], int(0.98*float64(marked.flagged)), "%s: %v", mode, marked.status)
			}
		}
	}
	require.GreaterOrEqual(t, float64(all.status["rewritten"]), 0.98*float64(all.flagged))
	t.Logf("%d of %d rewritten", all.status["rewritten"], all.flagged)
	if os.Getenv("UPDATE") == "1" {
		updateTable(t, "| rows | flagged | claims cut | rewritten | failed | risk before | risk after | clear, of rewritten | words kept | quiet fine rows changed |\n|---|---|---|---|---|---|---|---|---|---|\n"+sets.String()+
			"\n| rows | wrong spans | cut | fine sentences | cut |\n|---|---|---|---|---|\n"+faults.String())
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}

// row is the row of the table of sets.
func (s *setFigures) row(set string) string {
	var failed []string
	for _, reason := range slices.Sorted(maps.Keys(s.status)) {
		if reason != "rewritten" {
			failed = append(failed, fmt.Sprintf("%d `%s`", s.status[reason], reason))
		}
	}
	before, after := "–", "–"
	if s.measuredRisks > 0 {
		before, after = fmt.Sprintf("%.2f", s.riskBefore/float64(s.measuredRisks)), fmt.Sprintf("%.2f", s.riskAfter/float64(s.measuredRisks))
	}
	done := s.status["rewritten"]
	return fmt.Sprintf("| %s | %d | %d | %d | %s | %s | %s | %s | %s | %d of %d |\n", set, s.flagged, s.claims, done,
		cmp.Or(strings.Join(failed, ", "), "0"), before, after, percent(s.clear, done), percent(s.wordsKept, s.words), s.quiet-s.unchanged, s.quiet)
}

// spanRow is the row of the table of faulty spans.
func (s *setFigures) spanRow(set string) string {
	return fmt.Sprintf("| %s | %d | %d, %s | %d | %d, %s |\n", set, s.spans, s.spansGone, percent(s.spansGone, s.spans), s.good, s.goodLost, percent(s.goodLost, s.good))
}

// updateTable replaces the tables at the end of the page.
func updateTable(t *testing.T, tables string) {
	t.Helper()
	page, err := os.ReadFile(rewritingPage)
	require.NoError(t, err)
	const mark = "<!-- table -->\n\n"
	before, _, found := strings.Cut(string(page), mark)
	require.True(t, found)
	require.NoError(t, os.WriteFile(rewritingPage, []byte(before+mark+tables), 0o600))
}

const rewritingPage = "../../docs/rewriting.md"

// BenchmarkReviseAnswer rewrites flagged answers of RAGTruth, their evaluations included.
func BenchmarkReviseAnswer(b *testing.B) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(b, err)
	type flagged struct {
		in   *schemas.Interaction
		flag schemas.Flag
	}
	var rows []flagged
	for _, line := range datatest.Rows(b, "ragtruth") {
		row := new(schemas.Labelled)
		require.NoError(b, json.DecodeLabelled(line, row))
		flag, err := e.Check(b.Context(), &row.Interaction)
		require.NoError(b, err)
		if len(flag.Fired) > 0 {
			rows = append(rows, flagged{&row.Interaction, flag})
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		row := &rows[i%len(rows)]
		rewrite.ReviseAnswer(b.Context(), row.in, &row.flag, rewrite.Options{Mode: rewrite.ModeRemove, Evaluate: e.Check})
	}
}
