package rewrite_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/calibration/negatives"
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
	clear, uncheckable    int
	words, wordsKept      int
	quiet, unchanged      int // good rows that nothing fired on
	spans, spansGone      int
	good, goodLost        int // sentences without a faulty span, of rows with spans
	empty                 int
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
		if os.Getenv("SHOW") == r.Reason {
			fmt.Printf("--- %s %v %v\n%s\n", row.Interaction.ID, flag.Fired, r.After, row.Interaction.Answer)
		}
		return
	}
	s.status["rewritten"]++
	require.Empty(t, r.After.Fired)
	for _, e := range r.Edits {
		if e.Because == "flagged" {
			s.claims++
		}
		if e.Action == "replaced" {
			s.empty++
		}
	}
	if r.After.Verdict == rewrite.VerdictClear {
		s.clear++
	} else {
		s.uncheckable++
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

func (s *setFigures) String() string {
	return fmt.Sprintf("flagged %d claims %d status %v clear %d n/c %d empty %d risk %.3f→%.3f words kept %.3f quiet %d/%d spans %d/%d goodlost %d/%d",
		s.flagged, s.claims, s.status, s.clear, s.uncheckable, s.empty, s.riskBefore/float64(max(1, s.measuredRisks)), s.riskAfter/float64(max(1, s.measuredRisks)),
		float64(s.wordsKept)/float64(max(1, s.words)), s.unchanged, s.quiet, s.spansGone, s.spans, s.goodLost, s.good)
}

func TestFigures(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	for _, set := range datatest.Sets(t) {
		rows := decodeRows(t, set)
		fmt.Println(set, measureSet(t, e, rows, rewrite.ModeRemove))
		if set == "ragtruth" || set == "attributionbench" {
			fmt.Println(set, "planted", measureSet(t, e, planted(rows), rewrite.ModeRemove))
			fmt.Println(set, "hedge", measureSet(t, e, rows, rewrite.ModeHedge))
		}
	}
}

// planted are faulty copies of good rows, with the place of the fault.
func planted(rows []schemas.Labelled) (all []schemas.Labelled) {
	rng := rand.New(rand.NewPCG(1, 2))
	pool := negatives.NewPool(rows)
	for i := range rows {
		if rows[i].Label != 0 {
			continue
		}
		for _, row := range negatives.Rows(rng, &rows[i], pool, negatives.Options{Faults: 1, Preserving: 1}) {
			if row.Label == 1 {
				all = append(all, row)
			}
		}
	}
	return all
}
