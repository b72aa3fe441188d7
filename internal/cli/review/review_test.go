package review

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/internal/cli/join"
	"confab/internal/cli/labelled"
	"confab/internal/tablefile"
	"confab/schemas"
)

func TestInGreyZone(t *testing.T) {
	t.Parallel()
	risk := func(p float64) *float64 { return &p }
	signal := func(o schemas.Outcome, score, threshold float64) schemas.Signal {
		return schemas.Signal{Outcome: o, Score: score, Threshold: threshold}
	}
	for name, c := range map[string]struct {
		flag schemas.Flag
		want bool
	}{
		"risk in the middle":  {schemas.Flag{Risk: risk(0.31)}, true},
		"low risk":            {schemas.Flag{Risk: risk(0.29)}, false},
		"high risk":           {schemas.Flag{Risk: risk(0.71)}, false},
		"nothing known":       {schemas.Flag{}, false},
		"almost two":          {schemas.Flag{Fired: []string{"a"}, Signals: []schemas.Signal{signal(schemas.Clear, 0.66, 0.7)}}, true},
		"far from two":        {schemas.Flag{Fired: []string{"a"}, Signals: []schemas.Signal{signal(schemas.Clear, 0.6, 0.7)}}, false},
		"almost one":          {schemas.Flag{Signals: []schemas.Signal{signal(schemas.Clear, 0.66, 0.7)}}, false},
		"barely two":          {schemas.Flag{Fired: []string{"a", "b"}, Signals: []schemas.Signal{signal(schemas.Fired, 0.7, 0.7)}}, true},
		"clearly two":         {schemas.Flag{Fired: []string{"a", "b"}, Signals: []schemas.Signal{signal(schemas.Fired, 0.9, 0.7), signal(schemas.Clear, 0.66, 0.7)}}, false},
		"three":               {schemas.Flag{Fired: []string{"a", "b", "c"}, Signals: []schemas.Signal{signal(schemas.Fired, 0.7, 0.7)}}, false},
		"skipped near to two": {schemas.Flag{Fired: []string{"a"}, Signals: []schemas.Signal{signal(schemas.Skipped, 0.7, 0.7)}}, false},
	} {
		require.Equal(t, c.want, inGreyZone(&c.flag), name)
	}
}

// Over many seeds every answer is drawn as often as its probability says, and the weighted share of faults is right.
func TestDrawIsUnbiased(t *testing.T) {
	t.Parallel()
	const n, seeds = 60, 4000
	zone, faulty := make([]bool, n), make([]bool, n)
	faults := 0
	for i := range zone {
		zone[i], faulty[i] = i%4 == 0, i%6 == 0 || i%4 == 0
		if faulty[i] {
			faults++
		}
	}
	times, probability := make([]int, n), make([]float64, n)
	estimate := 0.0
	for seed := range uint64(seeds) {
		d := drawAnswers(zone, 6, 5, seed)
		require.LessOrEqual(t, len(d), 11)
		for i, one := range d {
			require.True(t, one.random || one.grey && zone[i])
			times[i]++
			probability[i] = one.probability
			if faulty[i] {
				estimate += 1 / one.probability / seeds
			}
		}
	}
	for i := range times {
		require.InDelta(t, probability[i], float64(times[i])/seeds, 0.03, i)
	}
	require.InDelta(t, 0.1, probability[1], 1e-12)
	require.InDelta(t, 1-0.9*(1-5./15), probability[0], 1e-12)
	require.InDelta(t, float64(faults), estimate, 0.5)
}

func TestDrawBounds(t *testing.T) {
	t.Parallel()
	all := drawAnswers([]bool{true, false, true}, 10, 10, 1)
	require.Equal(t, []int{0, 1, 2}, slices.Sorted(maps.Keys(all)))
	for _, one := range all {
		require.InDelta(t, 1, one.probability, 0)
	}
	require.Empty(t, drawAnswers(nil, 10, 10, 1))
	grey := drawAnswers([]bool{true, false, true}, 0, 1, 1)
	require.Len(t, grey, 1)
	for _, one := range grey {
		require.InDelta(t, 0.5, one.probability, 0)
	}
	first, again := drawAnswers(make([]bool, 100), 5, 0, 3), drawAnswers(make([]bool, 100), 5, 0, 3)
	require.Equal(t, first, again)
	require.NotEqual(t, first, drawAnswers(make([]bool, 100), 5, 0, 4))
}

// evaluateFake gives a risk of one half to every third answer.
func evaluateFake(_ context.Context, in *schemas.Interaction, _ schemas.Origin, _ time.Time) schemas.Flag {
	risk := 0.05
	if strings.HasSuffix(in.ID, "0") {
		risk = 0.5
	}
	f := schemas.Flag{IncidentID: in.EventID().IncidentID(), Risk: &risk, Fired: []string{}}
	if strings.HasSuffix(in.ID, "9") {
		f.Fired = []string{"facts"}
		f.Signals = []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Score: 1, Evidence: []schemas.Evidence{{Excerpt: "42", Note: "is in no source"}}}}
	}
	return f
}

func admit(in *schemas.Interaction, _ schemas.Origin) { in.Tenant = "acme" }

func reviewOptions(t *testing.T, content string) Options {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "interactions.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return Options{
		Interactions: labelled.InteractionFile{Path: path, Admit: admit}, Evaluate: evaluateFake, Now: time.Now,
		Random: 10, Grey: 5, Seed: 1, Out: filepath.Join(folder, "review.csv"),
	}
}

func manyInteractions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"interaction_id":"i%d","messages":[{"role":"user","content":"=HYPERLINK(%d)"}],"answer":"Answer %d, \"quoted\".","sources":["Source %d","Other"]}`+"\n", i, i, i, i)
	}
	return b.String()
}

// Reviewed answers become labelled rows whose weights add up to about the answers of the file.
func TestReviewRoundTrip(t *testing.T) {
	t.Parallel()
	{
		o := reviewOptions(t, manyInteractions(100))
		var out, errs bytes.Buffer
		require.NoError(t, Run(t.Context(), &out, &errs, o))
		require.Regexp(t, `^100 answers, 10 of them in the grey zone; drew 1[1-5]: 10 at random, 5 of the grey zone, \d by both\nwrote .*: fill in verdict`, out.String())
		content, err := os.ReadFile(o.Out)
		require.NoError(t, err)
		require.Contains(t, string(content), ",'=HYPERLINK(", "a spreadsheet does not run it")
		rows, _, err := tablefile.ReadTable(o.Out)
		require.NoError(t, err)
		for _, row := range rows {
			require.Equal(t, "acme", row.Values["tenant"])
			require.NotContains(t, row.Values, "verdict")
			require.Contains(t, row.Values["question"], "=HYPERLINK(")
		}

		// A person fills in the verdicts: those of the grey zone are wrong.
		again := filepath.Join(filepath.Dir(o.Out), "filled.csv")
		filled, err := os.Create(again)
		require.NoError(t, err)
		w, err := tablefile.NewWriter(filled, reviewColumns())
		require.NoError(t, err)
		for _, row := range rows {
			values := make([]any, len(reviewColumns()))
			for k, column := range reviewColumns() {
				values[k] = row.Values[column]
			}
			values[3] = "false_positive"
			if strings.HasSuffix(row.Values["interaction_id"], "0") {
				values[3] = "confirmed"
			}
			require.NoError(t, w.Write(values...))
		}
		require.NoError(t, w.Flush())
		require.NoError(t, filled.Close())
		labels := filepath.Join(filepath.Dir(o.Out), "labels.jsonl")
		out.Reset()
		require.NoError(t, join.Run(t.Context(), &out, &errs, join.Options{Interactions: o.Interactions, Scores: again, Out: labels}))
		require.Empty(t, errs.String())

		source, err := measure.OpenLabels(labels)
		require.NoError(t, err)
		total := 0.0
		count := 0
		var row schemas.Labelled
		for ; source.Next(&row) == nil; count++ {
			total += row.Weight
			require.Equal(t, strings.HasSuffix(row.Interaction.ID, "0"), row.Label == 1)
		}
		source.Close()
		require.Len(t, rows, count)
		require.InDelta(t, 100, total, 25)
	}
}

func TestReviewReportsFaults(t *testing.T) {
	t.Parallel()
	o := reviewOptions(t, manyInteractions(10)+"broken\n")
	o.Random, o.Grey = 20, 0
	var out, errs bytes.Buffer
	err := Run(t.Context(), &out, &errs, o)
	require.ErrorIs(t, err, ErrLeftOut)
	require.Contains(t, errs.String(), "interactions.jsonl:11: syntax")
	require.Contains(t, out.String(), "10 answers, 1 of them in the grey zone; drew 10: 10 at random, 0 of the grey zone, 0 by both")
	rows, _, err := tablefile.ReadTable(o.Out)
	require.NoError(t, err)
	require.Equal(t, "facts: “42” is in no source", rows[9].Values["evidence"])
	require.Equal(t, "facts", rows[9].Values["fired"])

	for name, c := range map[string]struct {
		change func(o *Options)
		want   string
	}{
		"extension": {func(o *Options) { o.Out += ".xlsx" }, "the table is CSV: end the name in .csv"},
		"folder":    {func(o *Options) { o.Out = filepath.Join(filepath.Dir(o.Out), "gone", "r.csv") }, "create the folder"},
		"missing":   {func(o *Options) { o.Interactions.Path += ".gone" }, "does not exist"},
	} {
		o := reviewOptions(t, manyInteractions(3))
		c.change(&o)
		require.ErrorContains(t, Run(t.Context(), &out, &errs, o), c.want, name)
	}
	empty := reviewOptions(t, "x\n")
	require.ErrorContains(t, Run(t.Context(), &out, &errs, empty), "no interaction can be read")
}
