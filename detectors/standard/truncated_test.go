package standard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/detectortest"
	"confab/detectors/faithfulness"
	"confab/schemas"
)

// Sentences of a source that no test quotes.
func filler(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Paragraph %d of the handbook describes how the office keeps its older letters. ", i+1)
	}
	return b.String()
}

const lateFact = "The northern warehouse of Ottersby burned down on 4 March 1987 and was rebuilt by Karin Holt within 14 months."

// An answer that repeats text behind a limit must not be accused, whatever the detector.
func TestUnreadTextIsNoEvidence(t *testing.T) {
	limits := detectors.Limits{TextBytes: 60_000, Sources: 4, SourceBytes: 5_000}
	many := make([]schemas.Source, 6)
	for i := range many {
		many[i] = schemas.Source{ID: fmt.Sprint("s", i+1), Text: filler(5)}
	}
	many[5].Text = lateFact
	long := []schemas.Source{{ID: "s1", Text: filler(200) + lateFact}}
	for name, sources := range map[string][]schemas.Source{"behind the end of a source": long, "in a source too many": many} {
		t.Run(name, func(t *testing.T) {
			suite := standardSuite(t, func(o *detectors.Options) { o.Limits, o.Thresholds = limits, detectortest.Thresholds{Limit: 0.3} })
			id := sources[len(sources)-1].ID
			in := &schemas.Interaction{Answer: lateFact + " [" + id + "]", Sources: sources}
			e := suite.Evaluate(t.Context(), in)
			defer e.Release()
			require.True(t, e.Truncated())
			for _, r := range e.Readings() {
				require.NotEqual(t, schemas.Fired, r.Outcome, r.Detector)
			}
		})
	}
}

// A wrong answer ranks above a right one in long sources, wherever the fact is. Where a source is too long, no fine answer is flagged,
// and the flag says that not all was measured.
func TestLongSourcesAreMeasured(t *testing.T) {
	shipped, err := calibration.Default()
	require.NoError(t, err)
	model, err := DefaultModel()
	require.NoError(t, err)
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: Fast(Dependencies{Model: model}), Fusion: model.Fuser(), Thresholds: shipped, Risks: shipped,
		Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	const wrong = "The northern warehouse of Ottersby burned down on 9 May 1962 and was rebuilt by Peter Novak within 31 months."
	for name, source := range map[string]string{
		"54 kB": lateFact + " " + filler(700), "110 kB, early": lateFact + " " + filler(1400), "110 kB, late": filler(1400) + lateFact,
		"250 kB, middle": filler(1600) + lateFact + " " + filler(1600),
	} {
		t.Run(name, func(t *testing.T) {
			var odds [2]float64
			for i, answer := range []string{lateFact + " [1]", wrong + " [1]"} {
				in := &schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "1", Text: source}}}
				e := suite.Evaluate(t.Context(), in)
				measured, _ := e.FusedSets()
				odds[i] = e.LogOdds(measured)
				f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Unix(1, 0))
				e.Release()
				if i == 0 {
					require.Empty(t, f.Fired, answer)
				}
				if len(source) > detectors.MaxSourceBytes {
					require.Equal(t, schemas.CheckedPartial, f.Checked)
					require.Equal(t, []string{schemas.UncheckedTruncated}, f.Unchecked)
				}
			}
			if len(source) <= detectors.MaxSourceBytes {
				require.Greater(t, odds[1], odds[0])
			}
		})
	}
}

// What was read still counts, in favor of the answer and against it.
func TestReadTextOfATruncatedSource(t *testing.T) {
	suite := standardSuite(t, func(o *detectors.Options) {
		o.Limits, o.Thresholds = detectors.Limits{TextBytes: 60_000, Sources: 4, SourceBytes: 5_000}, detectortest.Thresholds{Limit: 0.5}
	})
	const kept, guarded = "The office keeps its letters for twelve years in the cellar. ", "Dragons guard the eastern gate there."
	for _, tt := range []struct {
		name, answer string
		filler       int // sentences of the source
		outcome      schemas.Outcome
		unread       float64
	}{
		{"supported", kept, 200, schemas.Clear, 0},
		{"in no part that is read", kept + guarded, 200, schemas.Clear, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := suite.Evaluate(t.Context(), &schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: kept + filler(tt.filler)}}})
			defer e.Release()
			for _, r := range e.Readings() {
				if r.Detector != "grounding" {
					continue
				}
				require.Equal(t, tt.outcome, r.Outcome)
				got := 0.0
				for _, m := range r.Finding.Measures {
					if m.Name == "unread_claims" {
						got = m.Value
					}
				}
				require.InDelta(t, tt.unread, got, 0)
			}
		})
	}
}

// One wrong sentence among many right ones is found.
func TestWrongSentenceAmongManyIsFound(t *testing.T) {
	suite := standardSuite(t, func(o *detectors.Options) { o.Thresholds = detectortest.Thresholds{Limit: 0.5} })
	right := strings.SplitAfter(filler(400), "letters. ")[:400]
	for _, n := range []int{10, 64, 100, 200, 400} {
		for name, wrong := range map[string]string{
			"figure": strings.Replace(right[n/2], "of the handbook", "of the 977 handbook pages", 1),
			"name":   strings.Replace(right[n/2], "the office keeps", "Peter Novak keeps", 1),
		} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				source := []schemas.Source{{ID: "1", Text: strings.Join(right[:n], "")}}
				e := suite.Evaluate(t.Context(), &schemas.Interaction{Answer: strings.Join(right[:n], ""), Sources: source})
				require.Empty(t, e.Fired())
				e.Release()
				at := len(strings.Join(right[:n/2], ""))
				answer := strings.Join(right[:n/2], "") + wrong + strings.Join(right[n/2+1:n], "")
				e = suite.Evaluate(t.Context(), &schemas.Interaction{Answer: answer, Sources: source})
				defer e.Release()
				found := false
				for _, r := range e.Readings() {
					for _, row := range r.Finding.Evidence {
						found = found || row.Start < at+len(wrong) && row.End > at
					}
				}
				require.True(t, found)
			})
		}
	}
}

// outsideModels finds every statement outside of the sources, and every pair neutral.
type outsideModels struct{}

func (outsideModels) Faults(_ context.Context, r *schemas.JudgeRequest) ([]schemas.Fault, schemas.Usage, error) {
	return []schemas.Fault{{Quote: r.Answer, Stance: schemas.Unsupported, Probability: 1}}, schemas.Usage{}, nil
}

func (outsideModels) Statements(_ context.Context, r *schemas.JudgeRequest) ([]string, schemas.Usage, error) {
	return []string{r.Answer}, schemas.Usage{}, nil
}

func (outsideModels) Verdicts(_ context.Context, _ *schemas.JudgeRequest, statements []string) ([]schemas.Verdict, schemas.Usage, error) {
	return slices.Repeat([]schemas.Verdict{{Ruling: schemas.OutOfScope, Confidence: 1}}, len(statements)), schemas.Usage{}, nil
}

func (outsideModels) Verify(_ context.Context, pairs []schemas.Pair) ([]schemas.Relation, schemas.Usage, error) {
	return slices.Repeat([]schemas.Relation{{Neutral: 1}}, len(pairs)), schemas.Usage{}, nil
}

// What a judge does not find in text that it was not shown is no evidence either.
func TestUnreadTextIsNoEvidenceForJudges(t *testing.T) {
	entries := Deep(Dependencies{})
	for i := range entries {
		if entries[i].Name == "faithfulness" {
			entries[i] = detectors.TextEntry("faithfulness", schemas.Factual, nil, faithfulness.New)
		}
	}
	in := &schemas.Interaction{Answer: "The office paints its old letters green every morning.", Sources: []schemas.Source{{ID: "1", Text: filler(200)}}}
	for limit, want := range map[int]schemas.Outcome{5_000: schemas.NotCheckable, 50_000: schemas.Fired} {
		for mode, models := range map[string]deep.Models{"faults": {Faults: outsideModels{}, Verifier: outsideModels{}}, "statements": {Judge: outsideModels{}, Verifier: outsideModels{}}} {
			suite := detectortest.NewSuite(t, func(o *detectors.Options) {
				o.Limits, o.Thresholds = detectors.Limits{SourceBytes: limit}, detectortest.Thresholds{Limit: 0.3}
			}, entries...)
			e := deep.Evaluate(t.Context(), suite, in, models)
			for _, r := range e.Readings() {
				if r.Detector == "faithfulness" || r.Detector == "entailment" {
					require.Equal(t, want, r.Outcome, "%s in mode %s at %d bytes: %s", r.Detector, mode, limit, r.Reason)
				}
			}
			e.Release()
		}
	}
}

// The unfinished end of an answer that was cut off says nothing: a figure may lack its last digits.
func TestAnswersThatEndEarly(t *testing.T) {
	in := schemas.Interaction{
		Answer:  "The ticket of the museum costs 20 euros for adults. The ticket of a child costs 1",
		Sources: []schemas.Source{{ID: "1", Text: "The ticket of the museum costs 20 euros for adults. The ticket of a child costs 10 euros."}},
	}
	for reason, claims := range map[string]int{"stop": 2, "length": 1, "unfinished": 1, "content_filter": 1} {
		in.FinishReason = reason
		e := detectortest.NewSuite(t, nil, Fast(Dependencies{})...).Evaluate(t.Context(), &in)
		for _, r := range e.Readings() {
			if r.Detector == "grounding" {
				require.Equal(t, claims, r.Finding.Grounding.Claims, reason)
			}
		}
		e.Release()
	}
}
