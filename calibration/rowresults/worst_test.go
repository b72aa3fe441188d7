package rowresults

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/detectors"
	"confab/schemas"
)

// fixedJudge has one threshold, and a risk that is the fused number itself.
type fixedJudge struct{}

func (fixedJudge) Threshold(detector, _, _, _ string) (float64, bool) {
	return 0.5, detector != "unarmed"
}

func (fixedJudge) Risk(_ string, logOdds float64) (float64, bool) { return logOdds, true }

func (fixedJudge) PriorRisk() (float64, bool) { return 0, true }

func (fixedJudge) FiredRisk(detectors.ThresholdKey, bool) float64 { return 0 }

func judged(rows ...measure.Row) []Result {
	return JudgeRows(rows, Judge{Calibration: fixedJudge{}, Stamp: func(f *schemas.Flag) {
		f.Alert, f.Recommendation = len(f.Fired) > 1, schemas.Allow
		if f.Risk != nil && *f.Risk > 0.4 {
			f.Recommendation = schemas.Recommend
		}
	}})
}

func measured(id string, positive bool, risk float64, scores ...float64) measure.Row {
	r := measure.Row{ID: id, Positive: positive, Fused: risk, Measurable: "a"}
	for i, s := range scores {
		r.Signals = append(r.Signals, measure.Signal{Detector: string(rune('a' + i)), Score: s, HasScore: true})
	}
	return r
}

func TestFindWorst(t *testing.T) {
	t.Parallel()
	unmeasured := measure.Row{ID: "unmeasured", Positive: true, Fused: math.NaN(), Signals: []measure.Signal{{Detector: "a", Outcome: schemas.NotCheckable, Reason: "no sources"}}}
	results := judged(
		measured("quiet", false, 0.1, 0.2), measured("one fired", false, 0.3, 0.6), measured("risk only", false, 0.45, 0.2),
		measured("alert", false, 0.2, 0.9, 0.9), measured("unknown risk", false, math.NaN(), 0.9),
		measured("caught", true, 0.9, 0.9), measured("missed", true, 0.3, 0.4), measured("missed by far", true, 0.1, 0.1), unmeasured,
	)
	w := FindWorst(results, 3)
	names := func(list []*Result) (ids []string) {
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		return ids
	}
	require.Equal(t, []string{"alert", "risk only", "one fired"}, names(w.FalseAlarms))
	require.Equal(t, []string{"missed by far", "missed"}, names(w.Misses))
	require.Equal(t, []int{4, 2, 1, 4, 5}, []int{w.AllFalseAlarms, w.AllMisses, w.Uncheckable, w.FaultyAnswers, w.FaultlessCount})
	require.Equal(t, "a: no sources", results[8].Explanation())
	require.Equal(t, "a fired: 0.90 ≥ 0.50; b fired: 0.90 ≥ 0.50", results[3].Explanation())
	require.Equal(t, "a 0.40 < 0.50", results[6].Explanation())
	unarmed := judged(measure.Row{Signals: []measure.Signal{{Detector: "unarmed", Score: 0.9, HasScore: true}}})
	require.Equal(t, "unarmed 0.90, without a threshold", unarmed[0].Explanation())
	require.Equal(t, "row 1", unarmed[0].ID)

	empty := FindWorst(nil, 3)
	html, err := empty.HTML(nil, "")
	require.NoError(t, err)
	require.Contains(t, html, "No answer that is labelled fine was flagged.")
}

func TestTextsAreCutAndMarked(t *testing.T) {
	t.Parallel()
	answer := "Wrong. " + strings.Repeat("ä", maxAnswerBytes)
	row := &schemas.Labelled{
		Interaction: schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: "Right."}}, Messages: []schemas.Message{
			{Role: "user", Content: "Q1"}, {Role: "assistant", Content: "A1"}, {Role: "user", Content: "Q2"},
		}},
		Spans: []schemas.Span{{Start: 0, End: 3}},
	}
	text := NewText(row, []detectors.Reading{
		{Detector: "a", Outcome: schemas.Fired, Finding: detectors.Finding{Evidence: []detectors.Evidence{{Start: 0, End: 6, Source: 0, SourceEnd: 6, Note: "n"}}}},
		{Detector: "b", Outcome: schemas.NotCheckable, Finding: detectors.Finding{Evidence: []detectors.Evidence{{Start: 0, End: 6}}}},
		{Detector: "c", Outcome: schemas.Clear, Finding: detectors.Finding{Evidence: []detectors.Evidence{{Start: schemas.NoPlace, End: schemas.NoPlace, Source: -1}, {Start: 0, End: len(answer) + 1, Source: 7}}}},
	})
	require.Equal(t, "Q2", text.Question)
	require.True(t, text.Cut)
	require.Equal(t, []string{classFired, classLabel}, text.Answer[0].Classes)
	require.Equal(t, "Wro", text.Answer[0].Text)
	require.Equal(t, []string{classFired}, text.Answer[1].Classes)
	require.Empty(t, text.Answer[2].Classes)
	require.Equal(t, EvidenceText{Detector: "a", Excerpt: "Wrong.", Note: "n", Source: "Right.", Fired: true}, text.Evidence[0])
	require.Len(t, text.Evidence, 3)
	require.Equal(t, EvidenceText{Detector: "c"}, text.Evidence[2])
}

// A row of a cross-validation alerts by the minimum risk of its fold.
func TestFoldMinimum(t *testing.T) {
	t.Parallel()
	for minRisk, want := range map[float64]bool{0: true, 0.7: true, 0.71: false} {
		r := measure.Row{Measurable: "a+b", Fused: 0.7, MinRisk: minRisk, Signals: []measure.Signal{
			{Detector: "a", Score: 0.9, HasScore: true}, {Detector: "b", Score: 0.9, HasScore: true},
		}}
		got := JudgeRows([]measure.Row{r}, Judge{
			Calibration: fixedJudge{}, Stamp: func(f *schemas.Flag) { f.Alert = len(f.Fired) > 1 },
		})
		require.Equal(t, want, got[0].Alert, "%v", minRisk)
	}
}
