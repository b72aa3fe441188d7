package quality

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

// armedCalibration has one threshold and an identity risk map.
func armedCalibration(t *testing.T, detector string, at float64) *calibration.Calibration {
	t.Helper()
	c, err := calibration.New(calibration.File{
		Format: calibration.Format, ID: "test", CreatedBy: "test", Data: calibration.Data{Fingerprint: "x", Rows: 1},
		Thresholds: []calibration.Threshold{{Detector: detector, Threshold: at, Armed: true}},
		Risk:       []calibration.RiskMap{{Measurable: "one", A: 1, N: 1}},
	})
	require.NoError(t, err)
	return c
}

func lineOf(t *testing.T, r *Report, dataset, slice, detector string) Line {
	t.Helper()
	i := slices.IndexFunc(r.Lines, func(l Line) bool { return l.Dataset == dataset && l.Slice == slice && l.Detector == detector })
	require.GreaterOrEqual(t, i, 0, "no line of %s, %s, %s", dataset, slice, detector)
	return r.Lines[i]
}

// randomRows are rows of two detectors: one measures all rows, the other every second one and is not armed.
func randomRows(n int) []measure.Row {
	random := rand.New(rand.NewPCG(4, 2))
	rows := make([]measure.Row, n)
	for i := range rows {
		positive := random.IntN(3) == 0
		signal := random.Float64()
		if positive {
			signal = math.Sqrt(signal)
		}
		rows[i] = measure.Row{
			Dataset: "set", Task: []string{"qa", "summary"}[i%2], Operation: "op", Tenant: "default", Group: fmt.Sprint("g", i/3), Positive: positive,
			Words: 10 + random.IntN(50), Measurable: "one", Fused: 4*signal - 3,
			Signals: []measure.Signal{{Detector: "one", Score: signal, HasScore: true}, {Detector: "two", Score: 1 - signal/2, HasScore: i%2 == 0}},
		}
		if positive {
			rows[i].Spans = measure.SpanHit(random.IntN(3))
		}
	}
	return rows
}

func TestEvaluateLines(t *testing.T) {
	t.Parallel()
	rows := randomRows(300)
	report, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask, Resamples: 50, Workers: 3})
	require.NoError(t, err)
	require.Empty(t, report.Notes)
	var names []string
	for _, l := range report.Lines {
		names = append(names, l.Slice+" "+l.Detector)
	}
	var want []string
	for _, slice := range []string{All, "qa", "summary"} {
		for _, d := range []string{"one", "two", Risk, AnyFires, TwoOrMore, Alert, AlwaysFlag, Length, NewWords, NewRuns} {
			want = append(want, slice+" "+d)
		}
	}
	require.Equal(t, want, names)

	one, two := lineOf(t, report, "set", All, "one"), lineOf(t, report, "set", All, "two")
	require.Equal(t, []int{300, 300}, []int{one.Rows, one.N})
	require.True(t, one.Figures[F1].Defined())
	require.Equal(t, []int{300, 150}, []int{two.Rows, two.N})
	require.InDelta(t, 0.5, two.NotCheckable(), tolerance)
	require.True(t, two.Figures[AUROC].Defined())
	require.False(t, two.Figures[F1].Defined(), "no threshold is armed")
	require.Zero(t, lineOf(t, report, "set", "summary", "two").N)
	require.True(t, lineOf(t, report, "set", All, Risk).Figures[CalibrationError].Defined())
	rule := lineOf(t, report, "set", All, TwoOrMore)
	require.Equal(t, 300, rule.N, "what nobody could check does not fire")
	require.False(t, rule.Figures[AUROC].Defined(), "a rule ranks nothing")
	require.False(t, rule.Figures[Precision].Defined(), "nothing fired")
	require.InDelta(t, 0, rule.Figures[Recall].Value, 0)
	for _, l := range report.Lines {
		for m := range metrics {
			if f := l.Figures[m]; f.Defined() && !math.IsNaN(f.Low) {
				most := 1.
				if AlertsAtTwo <= m && m <= AlertsAtTwenty {
					most = 1000
				}
				require.True(t, 0 <= f.Low && f.Low <= f.High && f.High <= most, "%s %s", l.Detector, m)
			}
		}
	}
	touched, have := 0, 0
	for _, r := range rows {
		if r.Spans != measure.NoSpans {
			have++
		}
		if r.Spans == measure.SpanTouched {
			touched++
		}
	}
	require.InDelta(t, float64(touched)/float64(have), lineOf(t, report, "set", All, Risk).Figures[Places].Value, tolerance)
}

func TestEvaluateIsDeterministic(t *testing.T) {
	t.Parallel()
	rows := randomRows(200)
	write := func(workers int) string {
		report, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: "operation", Resamples: 40, Seed: 1, Workers: workers})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b))
		return b.String()
	}
	require.Equal(t, write(1), write(5))
}

func TestRiskOfUnmeasuredRows(t *testing.T) {
	t.Parallel()
	rows := randomRows(60)
	rows[0].Measurable, rows[1].Fused, rows[2].Measurable = "", math.NaN(), "unknown"
	report, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByDataset})
	require.NoError(t, err)
	require.Equal(t, 57, lineOf(t, report, "set", All, Risk).N)
	for _, l := range report.Lines {
		require.Equal(t, All, l.Slice)
	}
}

// The risk fires above the limit, not at it, and a tenant may have its own.
func TestRiskFiresAboveTheLimit(t *testing.T) {
	t.Parallel()
	logOdds := func(p float64) float64 { return math.Log(p / (1 - p)) }
	rows := make([]measure.Row, 4)
	for i, p := range []float64{0.39, 0.41, 0.55, 0.8} {
		rows[i] = measure.Row{Dataset: "set", Measurable: "one", Fused: logOdds(p), Positive: true, Tenant: "any", Group: fmt.Sprint(i)}
	}
	rows[2].Tenant = "strict"
	recall := func(o Options) float64 {
		o.Calibration, o.By = armedCalibration(t, "one", 0.7), ByDataset
		r, err := Evaluate(rows, o)
		require.NoError(t, err)
		return lineOf(t, r, "set", All, Risk).Figures[Recall].Value
	}
	require.InDelta(t, 3./4, recall(Options{}), tolerance)
	require.InDelta(t, 2./4, recall(Options{FlagAbove: func(tenant string) float64 {
		return map[string]float64{"any": 0.4, "strict": 0.6}[tenant]
	}}), tolerance)
	exact, ok := rows[3].Risk(armedCalibration(t, "one", 0.7))
	require.True(t, ok)
	require.InDelta(t, 0, recall(Options{FlagAbove: func(string) float64 { return exact }}), tolerance, "above, not at")
}

func TestSlicesByKey(t *testing.T) {
	t.Parallel()
	rows := randomRows(60)
	for i := range rows {
		rows[i].Tenant, rows[i].Operation = []string{"a", "b"}[i%2], []string{"x", "y", "z"}[i%3]
		rows[i].Attributes = map[string]string{"prompt": []string{"v1", "v2"}[i%2]}
	}
	for by, want := range map[By][]string{
		ByTask: {All, "qa", "summary"}, "tenant": {All, "a", "b"}, "operation": {All, "x", "y", "z"}, ByDataset: {All},
		"attributes.prompt": {All, "v1", "v2"},
	} {
		require.NoError(t, by.Check())
		r, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: by})
		require.NoError(t, err)
		var got []string
		for _, l := range r.Lines {
			if !slices.Contains(got, l.Slice) {
				got = append(got, l.Slice)
			}
		}
		require.Equal(t, want, got, by)
	}
}

func TestEvaluateNotes(t *testing.T) {
	t.Parallel()
	rows := randomRows(60)
	judge := func(rows []measure.Row) []string {
		r, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask, Resamples: 10})
		require.NoError(t, err)
		return r.Notes
	}
	require.Equal(t, []string{
		"set, qa: 30 rows are fewer than 50, the figures say little: label more",
		"set, summary: 30 rows are fewer than 50, the figures say little: label more",
	}, judge(rows))
	for i := range rows {
		rows[i].Positive, rows[i].Task, rows[i].Group = true, "qa", "same"
	}
	require.Equal(t, []string{
		"set, all: every row is labelled wrong, nothing can be ranked: label fine answers too",
		"set, all: all rows are of one group, there are no intervals: give rows of one source, and only those, the same group",
	}, judge(rows))
	for i := range rows {
		rows[i].Positive = false
	}
	require.Contains(t, judge(rows), "set, all: every row is labelled fine, nothing can be ranked: label wrong answers too")
}

func TestEvaluateErrors(t *testing.T) {
	t.Parallel()
	c := armedCalibration(t, "one", 0.7)
	_, err := Evaluate(nil, Options{Calibration: c})
	require.ErrorContains(t, err, "no row is left to judge")
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	report, err := Evaluate(randomRows(80), Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask, Resamples: 20})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.WriteJSON(&b))
	var got struct {
		Schema string
		Rows   []map[string]any
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	require.Equal(t, Schema, got.Schema)
	require.Len(t, got.Rows, len(report.Lines))
	row := got.Rows[0]
	require.Equal(t, "set", row["dataset"])
	require.Equal(t, "all", row["task"])
	require.Equal(t, "one", row["detector"])
	require.Len(t, row["auroc"], 3)
	for m := range metrics {
		require.Contains(t, row, m.String())
	}
	require.Nil(t, row["calibration_error"], "no probability")
}

// A kind of fault is judged against all good answers of its set, and pairs are rows that differ in the end of their id alone.
func TestKindsAndPairs(t *testing.T) {
	t.Parallel()
	row := func(id, group, kind string, positive bool, score float64) measure.Row {
		return measure.Row{
			ID: id, Dataset: "set", Task: "qa", Group: group, Kind: kind, Positive: positive, Measurable: "one", Fused: score,
			Signals: []measure.Signal{{Detector: "one", Score: score, HasScore: true}},
		}
	}
	rows := []measure.Row{
		row("p-1-good", "a", "", false, 0.1), row("p-1-bad", "a", "number", true, 0.9),
		row("p-2-good", "b", "", false, 0.4), row("p-2-bad", "b", "date", true, 0.3),
		row("x-a", "c", "", false, 0.2), row("x-b", "c", "", false, 0.2), // one label
		row("y-a", "d", "", false, 0.2), row("y-b", "d", "date", true, 0.8), row("y-c", "d", "date", true, 0.2), // three
		row("z-a", "e", "", false, 0.2), row("z-b", "f", "number", true, 0.1), // two groups
		row("n-1", "h", "", false, 0.2), row("n-2", "h", "date", true, 0.2), // numbers
		row("", "g", "", false, 0.2), row("", "g", "date", true, 0.2),
	}
	rows[0].Fused = math.NaN() // without a risk it ranks lowest
	r, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask})
	require.NoError(t, err)
	all := lineOf(t, r, "set", All, Risk)
	require.Equal(t, []int{15, 14, 7}, []int{all.Rows, all.N, all.Positives})
	require.InDelta(t, 1./2, all.Figures[Twins].Value, tolerance)
	// Of 8 good answers .9 and .8 beat 8, .3 seven, .2 one and ties with six (three times), .1 one.
	require.InDelta(t, (8+8+7+4+4+4+1.)/56, all.Figures[AUROC].Value, tolerance)
	number, date := lineOf(t, r, "set", "kind:number", Risk), lineOf(t, r, "set", "kind:date", Risk)
	require.Equal(t, []int{10, 2}, []int{number.Rows, number.Positives})
	require.Equal(t, []int{13, 5}, []int{date.Rows, date.Positives})
	require.InDelta(t, 1, number.Figures[Twins].Value, tolerance)
	require.InDelta(t, 0, date.Figures[Twins].Value, tolerance)
	require.InDelta(t, (8+1.)/16, number.Figures[AUROC].Value, tolerance)
	require.InDelta(t, 1./2, lineOf(t, r, "set", "kind:number", AnyFires).Figures[Recall].Value, tolerance)
	require.False(t, lineOf(t, r, "set", All, NewWords).Figures[WithinModel].Defined(), "no row names a model")
	var kinds []string
	for _, l := range r.Lines {
		if l.Slice == "kind:date" {
			kinds = append(kinds, l.Detector)
		}
	}
	require.Equal(t, []string{"one", Risk, AnyFires, TwoOrMore, Alert}, kinds)
}
