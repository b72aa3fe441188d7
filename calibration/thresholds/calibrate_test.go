package thresholds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
	"confab/detectors/confidence"
)

// sampleRows makes n rows of one label with these scores; a negative score could not be measured. Each row is its own
// group.
func sampleRows(n int, positive bool, scores map[string]float64) []measure.Row {
	rows := make([]measure.Row, n)
	for i := range rows {
		rows[i] = measure.Row{Dataset: "d", Task: "t", Tenant: "default", Positive: positive}
		for _, name := range []string{"citation", "grounding"} {
			if score, ok := scores[name]; ok {
				rows[i].Signals = append(rows[i].Signals, measure.Signal{Detector: name, Score: max(0, score), HasScore: score >= 0})
			}
		}
	}
	return rows
}

func groundingScore(score float64) map[string]float64 { return map[string]float64{"grounding": score} }

func bothScores(citation, grounding float64) map[string]float64 {
	return map[string]float64{"citation": citation, "grounding": grounding}
}

func changedRows(change func(*measure.Row), parts ...[]measure.Row) []measure.Row {
	all := slices.Concat(parts...)
	for i := range all {
		change(&all[i])
	}
	return all
}

func calibrateRows(t *testing.T, rows []measure.Row, o Options) (calibration.File, Report) {
	t.Helper()
	o.Fingerprint, o.CreatedBy, o.Now = "0123456789abcdef", "confab test", time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	f, r, err := Calibrate(rows, o)
	require.NoError(t, err)
	return f, r
}

func TestCalibrateByHand(t *testing.T) {
	t.Parallel()
	// At .8 30 of 40 are bad (.75), at .6 45 of 65 (.69), at .9 20 of 22 (.91): .8 is the lowest that meets .7.
	rows := slices.Concat(
		sampleRows(20, true, groundingScore(0.9)), sampleRows(2, false, groundingScore(0.9)),
		sampleRows(10, true, groundingScore(0.8)), sampleRows(8, false, groundingScore(0.8)),
		sampleRows(15, true, groundingScore(0.6)), sampleRows(10, false, groundingScore(0.6)),
		sampleRows(5, true, groundingScore(0)), sampleRows(30, false, groundingScore(0)),
	)
	f, r := calibrateRows(t, rows, Options{})
	require.Equal(t, "2026-11-21-01234567", f.ID)
	require.Equal(t, calibration.Data{Fingerprint: "0123456789abcdef", Rows: 100, Positives: 50}, f.Data)
	low, _ := roc.Wilson(0.75, 40)
	require.Equal(t, []calibration.Threshold{{
		Detector: "grounding", Threshold: 0.8, Armed: true, Precision: 0.75, PrecisionLow: roundFigure(low), Recall: 0.6, N: 100, FalseAlarms: 0.2, FalseAlarmsHigh: 0.33,
	}}, f.Thresholds)
	require.Equal(t, 40, r.Choices[0].Fired)
	require.InDelta(t, 10./50, r.Choices[0].FalseAlarms, 1e-12)
	require.Empty(t, r.Uncovered)
	require.Equal(t, []int{65, 65, 65, 65, 65, 65, 40, 40, 22}, firedCounts(r.Choices[0].Sweep))

	f, _ = calibrateRows(t, rows, Options{Target: roc.Target{Precision: 0.6, MinFired: 20}})
	require.InDelta(t, 0.6, f.Thresholds[0].Threshold, 0)
	f, _ = calibrateRows(t, rows, Options{Target: roc.Target{Precision: 0.9, MinFired: 20}})
	require.InDelta(t, 0.9, f.Thresholds[0].Threshold, 0)
}

func firedCounts(sweep []roc.Candidate) (list []int) {
	for _, c := range sweep {
		list = append(list, c.Fired)
	}
	return list
}

func TestCalibrateKeysFallBack(t *testing.T) {
	t.Parallel()
	at := func(tenant, operation string) func(*measure.Row) {
		return func(r *measure.Row) { r.Tenant, r.Operation = tenant, operation }
	}
	rows := slices.Concat(
		changedRows(at("acme", "qa"), sampleRows(40, true, groundingScore(0.5)), sampleRows(40, false, groundingScore(0.2))),
		changedRows(at("acme", "chat"), sampleRows(40, true, groundingScore(0.9)), sampleRows(10, false, groundingScore(0.9)), sampleRows(50, false, groundingScore(0.6))),
		changedRows(at("beta", "qa"), sampleRows(12, true, groundingScore(0.7)), sampleRows(20, false, groundingScore(0.1))),
		changedRows(at("beta", "mail"), sampleRows(30, true, groundingScore(0.4)), sampleRows(40, false, groundingScore(0.4))),
	)
	f, r := calibrateRows(t, rows, Options{})
	type entry struct {
		tenant, operation string
		threshold         float64
		armed             bool
	}
	var got []entry
	for _, th := range f.Thresholds {
		got = append(got, entry{th.Tenant, th.Operation, th.Threshold, th.Armed})
	}
	// Of all: at .9 40 of 50, at .7 52 of 62, at .6 52 of 112, so .7. Chat is acme's alone, mail beta's alone: their keys
	// are those of the operations. In mail nothing can meet the target. Acme's at .6: 40 of 100.
	require.Equal(t, []entry{
		{"", "", 0.7, true},
		{"", "chat", 0.9, true},
		{"", "mail", 1, false},
		{"", "qa", 0.5, true},
		{"acme", "", 0.9, true},
		{"acme", "qa", 0.5, true},
	}, got)
	require.Equal(t, []UncoveredKey{
		{ThresholdKey: calibration.ThresholdKey{Detector: "grounding", Tenant: "beta"}, Rows: 102, Reason: "too few rows fire: the target is met on 12, 20 are needed"},
		{ThresholdKey: calibration.ThresholdKey{Detector: "grounding", Tenant: "beta", Operation: "qa"}, Rows: 32, Reason: "too few rows: it could check 32, 50 are needed"},
	}, r.Uncovered)
	require.Equal(t, "the target is never met: precision is at most 0.43", r.Choices[2].Reason)
}

func TestCalibrateGivesReasonsForUnarmedDetectors(t *testing.T) {
	t.Parallel()
	ballast := slices.Concat(sampleRows(30, true, groundingScore(0.9)), sampleRows(30, false, groundingScore(0.1)))
	with := func(rows ...[]measure.Row) []measure.Row { // citation next to a grounding that could not measure
		return changedRows(func(r *measure.Row) {}, append(rows, ballast)...)
	}
	citation := func(n int, positive bool, score float64) []measure.Row {
		return sampleRows(n, positive, map[string]float64{"citation": score, "grounding": -1})
	}
	for name, tc := range map[string]struct {
		rows []measure.Row
		want string
	}{
		"never measured": {with(citation(9, true, -1)), "no row that it could check"},
		"too few rows":   {with(citation(20, true, 0.9), citation(20, false, 0.1)), "too few rows: it could check 40, 50 are needed"},
		"no bad ones":    {with(citation(60, false, 0.1)), "too few bad answers: 0 of 60 rows, 10 are needed"},
		"no good ones":   {with(citation(60, true, 0.1), citation(3, false, 0)), "too few good answers: 3 of 63 rows, 10 are needed"},
		"never met":      {with(citation(30, true, 0.5), citation(30, false, 0.5)), "the target is never met: precision is at most 0.50"},
		"too few fire":   {with(citation(15, true, 0.9), citation(60, false, 0.1)), "too few rows fire: the target is met on 15, 20 are needed"},
		"finds nothing":  {with(citation(50, true, 0), citation(10, false, 0)), "it finds nothing: every score is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, r := calibrateRows(t, tc.rows, Options{})
			require.Equal(t, calibration.Threshold{Detector: "citation", Threshold: 1, N: r.Choices[0].Rows}, f.Thresholds[0])
			require.Equal(t, tc.want, r.Choices[0].Reason)
			require.True(t, f.Thresholds[1].Armed)
		})
	}
}

// Labels with more faults than the target must not arm a detector at 0, where it would always fire.
func TestCalibrateNeverArmsAtZero(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(sampleRows(60, true, groundingScore(0)), sampleRows(30, true, groundingScore(0.4)), sampleRows(10, false, groundingScore(0)))
	f, r := calibrateRows(t, rows, Options{})
	require.True(t, f.Thresholds[0].Armed)
	require.InDelta(t, 0.4, f.Thresholds[0].Threshold, 0)
	require.Contains(t, strings.Join(r.Warnings, "\n"), "90 % of the labels are bad")
}

// The same holds for a key: the coarser one applies.
func TestCalibrateSkipsKeysWithTooManyPositives(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(
		changedRows(func(r *measure.Row) { r.Tenant = "rich" }, sampleRows(60, true, groundingScore(0.9)), sampleRows(20, false, groundingScore(0.1))),
		sampleRows(20, true, groundingScore(0.8)), sampleRows(60, false, groundingScore(0.1)))
	f, r := calibrateRows(t, rows, Options{})
	require.Len(t, f.Thresholds, 2)
	require.Equal(t, []string{"", "default"}, []string{f.Thresholds[0].Tenant, f.Thresholds[1].Tenant})
	require.Equal(t, []UncoveredKey{{ThresholdKey: calibration.ThresholdKey{Detector: "grounding", Tenant: "rich"}, Rows: 80, Reason: "too few good answers: 75 % of its rows are bad, so that any threshold meets the target"}}, r.Uncovered)
	require.Empty(t, r.Warnings)
}

func TestRoundDown(t *testing.T) {
	t.Parallel()
	for at, want := range map[float64]float64{0.6478915: 0.647891, 0.64789: 0.64789, 0.0000004: 0.0000004, 1: 1, 0.9: 0.9} {
		require.InDelta(t, want, roundDown(at), 1e-15)
		require.LessOrEqual(t, roundDown(at), at)
	}
}

func TestCalibrateKeepsThresholdsWithoutRows(t *testing.T) {
	t.Parallel()
	rows := slices.Concat(
		sampleRows(30, true, bothScores(-1, 0.9)), sampleRows(30, false, bothScores(-1, 0.1)), sampleRows(20, true, bothScores(0.8, 0.9)), sampleRows(20, false, bothScores(0.1, 0.1)))
	old := []calibration.Threshold{
		{Detector: "citation", Threshold: 0.6, Armed: true, Precision: 0.8, N: 7},
		{Detector: "citation", Operation: "qa", Threshold: 0.9, Armed: true},
		{Detector: "grounding", Threshold: 0.2, Armed: true},
	}
	f, r := calibrateRows(t, rows, Options{Keep: newCalibration(t, "old", old...)})
	require.Equal(t, old[:2], f.Thresholds[:2], "with the figures of its own labels")
	require.InDelta(t, 0.9, f.Thresholds[2].Threshold, 0)
	require.Equal(t, "old", r.Choices[0].KeptFrom)
	require.Equal(t, "too few rows: it could check 40, 50 are needed", r.Choices[0].Reason)
	require.Equal(t, 20, r.Rule.Fired, "what is kept counts for the rule")
	require.Equal(t, 20, r.RuleCrossValidated.Fired)
	never := slices.Concat(sampleRows(30, true, bothScores(0.5, 0.9)), sampleRows(30, false, bothScores(0.5, 0.1)))
	f, _ = calibrateRows(t, never, Options{Keep: newCalibration(t, "old", old...)})
	require.False(t, f.Thresholds[0].Armed, "what was judged and failed is not kept")
}

func TestCalibrateRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		rows []measure.Row
		want string
	}{
		"nothing":       {nil, "0 rows are too few to calibrate on: label at least 50"},
		"too few":       {slices.Concat(sampleRows(20, true, groundingScore(1)), sampleRows(29, false, groundingScore(0))), "49 rows are too few"},
		"all fine":      {sampleRows(50, false, groundingScore(0)), "all 50 rows are labelled 0 (fine)"},
		"all bad":       {sampleRows(50, true, groundingScore(0)), "all 50 rows are labelled 1 (bad)"},
		"a wild score":  {slices.Concat(sampleRows(30, true, groundingScore(7)), sampleRows(30, false, groundingScore(0))), "the file would not load"},
		"no good at 50": {slices.Concat(sampleRows(50, true, groundingScore(1))), "label some of both kinds"},
	} {
		_, _, err := Calibrate(tc.rows, Options{Fingerprint: "x"})
		require.ErrorContains(t, err, tc.want, name)
	}
}

func TestCalibrateIgnoresOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	var rows []measure.Row
	for i := range 600 {
		positive := random.IntN(3) == 0
		score := func() float64 { return float64(random.IntN(40)) / 80 * (1 + float64(boolInt(positive))) }
		r := sampleRows(1, positive, map[string]float64{"citation": score() - 0.2, "grounding": score()})[0]
		r.Dataset, r.Task = []string{"a", "b"}[random.IntN(2)], []string{"x", "y"}[random.IntN(2)]
		r.Tenant, r.Operation = []string{"t", "u"}[random.IntN(2)], []string{"p", "q"}[random.IntN(2)]
		r.Group, r.Model = fmt.Sprint("g", i/3), "m"
		if i%5 == 0 {
			r.Group = fmt.Sprint("row ", i) // a group of its own, named by its place
		}
		r.Fused, r.Measurable = score()*4-2, "citation+grounding"
		r.Uncertainty = confidence.Uncertainty{Tokens: 5, Mean: random.Float64(), Peak: random.Float64()}
		rows = append(rows, r)
	}
	{
		o := Options{Target: roc.Target{Precision: 0.6, MinFired: 20}}
		f, r := calibrateRows(t, rows, o)
		require.Greater(t, len(f.Thresholds), 4)
		require.NotEmpty(t, f.Risk)
		for range 3 {
			random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			for i := range rows {
				if strings.HasPrefix(rows[i].Group, "row") {
					rows[i].Group = fmt.Sprint("row of another file ", i)
				}
			}
			again, same := calibrateRows(t, rows, o)
			require.Empty(t, cmp.Diff(f, again))
			require.Empty(t, cmp.Diff(r, same))
		}
	}
}

// Thresholds chosen on rows with random scores look good on these rows, and not on others.
func TestCalibrateCrossValidationIsNotOptimistic(t *testing.T) {
	t.Parallel()
	var flattering, honest []float64
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 6))
		var rows []measure.Row
		for i := range 300 {
			r := sampleRows(1, random.IntN(2) == 0, groundingScore(random.Float64()))[0]
			r.Group = fmt.Sprint(i)
			rows = append(rows, r)
		}
		_, r := calibrateRows(t, rows, Options{Target: roc.Target{Precision: 0.6, MinFired: 20}})
		require.Equal(t, 5, r.Folds)
		if c := r.Choices[0]; c.Armed && c.CrossValidated.Fired > 0 {
			flattering, honest = append(flattering, c.Precision), append(honest, c.CrossValidated.Precision)
		}
	}
	require.Greater(t, len(honest), 5, "by chance some high threshold looks good")
	require.GreaterOrEqual(t, meanOf(flattering), 0.6)
	require.InDelta(t, 0.5, meanOf(honest), 0.05)
}

func meanOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}

// Rows of one group are in one fold: thresholds are not tested on the sources they were chosen on.
func TestFoldsKeepGroupsTogether(t *testing.T) {
	t.Parallel()
	var rows []measure.Row
	for i := range 300 {
		r := sampleRows(1, i%2 == 0, groundingScore(0.5))[0]
		r.Group = fmt.Sprint("g", i%23)
		rows = append(rows, r)
	}
	c, err := newRun(rows, Options{Seed: 9}.withDefaults())
	require.NoError(t, err)
	folds, sizes := map[string]int{}, make([]int, 5)
	for i, r := range c.rows {
		if f, known := folds[r.Group]; known {
			require.Equal(t, f, c.fold[i])
		} else {
			sizes[c.fold[i]]++
		}
		folds[r.Group] = c.fold[i]
	}
	require.Equal(t, 23, c.groups)
	for _, n := range sizes {
		require.InDelta(t, 23./5, n, 1, "folds of about equal size: %v", sizes)
	}
	one, r := calibrateRows(t, changedRows(func(r *measure.Row) { r.Group = "only" }, rows), Options{})
	require.False(t, one.Thresholds[0].Armed)
	require.Contains(t, strings.Join(r.Warnings, "\n"), "nothing could be cross-validated")
}
