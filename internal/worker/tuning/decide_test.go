package tuning

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/calibration"
	"confab/calibration/tune"
	"confab/internal/worker/config"
	"confab/schemas"
)

func testCurrent(t *testing.T, threshold float64) *calibration.Calibration {
	t.Helper()
	f := calibration.File{Format: calibration.Format, ID: "old", Risk: []calibration.RiskMap{{A: 1}}}
	for _, d := range testDetectors {
		f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: d, Threshold: threshold, Armed: true})
	}
	c, err := calibration.New(f)
	require.NoError(t, err)
	return c
}

// input is a refit of the traffic.
func (w *testTraffic) input(current *calibration.Calibration, labels ...*schemas.Feedback) *refitInput {
	store := storeTest(maxAnswers, labels, w.flags())
	j := store.join(numOwners, "")
	notes := j.notes()
	return &refitInput{store: store, rows: j.rows, notes: notes, window: week, auto: config.TuningApply, inForce: current, fit: tune.Options{
		Current: current, Policy: alerting.NewPolicy(alerting.PolicyOptions{}), Answers: notes.Answers, PerDay: notes.PerDay,
		Fingerprint: notes.Fingerprint, CreatedBy: "test", Now: testTime,
	}}
}

// TestStoppedFit: who lost the partition, or shuts down, does not fit on.
func TestStoppedFit(t *testing.T) {
	w, labels := learnable(9)
	in := w.input(testCurrent(t, testThreshold), labels...)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := decide(ctx, in)
	require.ErrorIs(t, err, context.Canceled)
}

// agreed are labels of people who agree with the judge, on sampled answers.
func (w *testTraffic) agreed(n int) (labels []*schemas.Feedback) {
	for i := range w.answers {
		if a := &w.answers[i]; a.sampled && len(labels) < n {
			labels = append(labels, personSays(a, fmt.Sprint("u", i%9)))
		}
	}
	return labels
}

func decideTest(t *testing.T, in *refitInput) decision {
	t.Helper()
	d, err := decide(t.Context(), in)
	require.NoError(t, err)
	return d
}

// steady is a calibration that a fit to the traffic does not change.
func (w *testTraffic) steady(t *testing.T) *calibration.Calibration {
	t.Helper()
	current := testCurrent(t, testThreshold)
	for range 20 {
		in := w.input(current)
		f, err := in.fitSteadily(t.Context())
		require.NoError(t, err)
		if len(changesOf(current, &f)) == 0 {
			return current
		}
		next, err := calibration.New(f)
		require.NoError(t, err)
		for _, old := range current.File().Thresholds {
			now, armed := next.Threshold(old.Detector, old.Tenant, old.Operation, old.Model)
			require.True(t, armed)
			require.InDelta(t, old.Threshold, now, maxStep+tolerance, "a step is bounded")
		}
		current = next
	}
	t.Fatal("it never settles")
	return nil
}

// below is traffic whose wrong answers have scores a little below the thresholds.
func below(seed uint64) *testTraffic {
	w := newTestTraffic(seed, 4000)
	for i := range w.answers {
		a := &w.answers[i]
		a.wrong = i%5 == 0
		if a.judged, a.sampled = a.wrong, i%3 == 0 || i%5 == 0; a.wrong {
			a.scores = [2]float64{testThreshold - .01, testThreshold - .02}
		} else {
			a.scores = [2]float64{a.scores[0] * .5, a.scores[1] * .5}
		}
	}
	w.sampled = .5
	for i := range w.answers[:60] { // alerts of today
		w.answers[i].scores = [2]float64{.9, .9}
	}
	return w
}

func TestDecideByTheNumberOfAnswers(t *testing.T) {
	w := newTestTraffic(1, 20_000)
	in := w.input(testCurrent(t, testThreshold))
	require.Equal(t, Applied, decideTest(t, in).outcome)
	for i := range in.rows {
		if i >= minJudged-1 { // of an earlier week
			in.rows[i].at = testTime.Add(-week - 1)
		}
	}
	d := decideTest(t, in)
	require.Equal(t, TooFew, d.outcome)
	require.Contains(t, d.words[0], fmt.Sprintf("%d answers were judged since", minJudged-1))
	in.window = week / 7
	require.NotEqual(t, TooFew, decideTest(t, in).outcome, "fewer days need fewer")
}

func TestDecideAppliesWithinBounds(t *testing.T) {
	w := newTestTraffic(1, 20_000)
	current := testCurrent(t, testThreshold)
	in := w.input(current)
	d := decideTest(t, in)
	require.Equal(t, Applied, d.outcome)
	require.True(t, strings.HasPrefix(d.file.ID, "2026-11-23-"+in.notes.Fingerprint[:8]))
	next, err := calibration.New(d.file)
	require.NoError(t, err)
	before, flooded := tune.Cost(rowsOf(in.rows), in.fit.Policy, current)
	after, left := tune.Cost(rowsOf(in.rows), in.fit.Policy, next)
	require.Less(t, after+left, before+flooded)
	require.Equal(t, d, decideTest(t, w.input(current)), "every replica decides the same")
	w.steady(t)

	in.set = map[string]float64{"citation": .7, "facts": .7}
	d = decideTest(t, in)
	require.NotContains(t, fmt.Sprint(d.words), "threshold of", "the configuration sets them")
	in.set, in.auto = nil, config.TuningPropose
	d = decideTest(t, in)
	require.Equal(t, Proposed, d.outcome)
	in.auto, in.held = config.TuningApply, true
	d = decideTest(t, in)
	require.Equal(t, Proposed, d.outcome)
	require.Contains(t, fmt.Sprint(d.words), "someone went back")
}

// TestAlertsOutsideOfTheRangeAreProposed: half to twice today's alerts are applied, others are for a person to decide.
func TestAlertsOutsideOfTheRangeAreProposed(t *testing.T) {
	w := below(2)
	in := w.input(testCurrent(t, testThreshold), w.agreed(300)...)
	d := decideTest(t, in)
	require.Equal(t, Proposed, d.outcome, d.words)
	require.Contains(t, fmt.Sprint(d.words), "half to twice")
	next, err := calibration.New(d.file)
	require.NoError(t, err)
	require.Greater(t, in.alerts(next), mostMore*in.alerts(in.fit.Current))
}

// TestNeverWorseOnLabelsOfPeople: what the judge asks for is not done where people say otherwise.
func TestNeverWorseOnLabelsOfPeople(t *testing.T) {
	w := below(3)
	current, lower := testCurrent(t, testThreshold), testCurrent(t, testThreshold-.03)
	in := w.input(current)
	missed := func(r *judgedRow) bool { return *r.judge && r.Signals[0].Score < testThreshold }
	for i := range in.rows { // a judge that is always right
		if in.rows[i].Wrong = 0; *in.rows[i].judge {
			in.rows[i].Wrong = 1
		}
	}
	require.Empty(t, in.worse(lower))
	people := 0
	for i := range in.rows {
		if r := &in.rows[i]; missed(r) && people < 12 {
			r.By, r.Wrong = tune.Person, 0
			people++
		}
	}
	require.Equal(t, "12 answers that people labelled", in.worse(lower))
	for i := range in.rows {
		if missed(&in.rows[i]) {
			in.rows[i].Wrong = 0
		}
	}
	require.Contains(t, in.worse(lower), "answers that were held out")
	for i := range in.rows {
		in.rows[i].Group = "one conversation" // which is not held out
	}
	require.Contains(t, in.worse(lower), "only 0 could be held out")
}

// TestNobodyMovesAnythingAlone: someone sends many answers, or labels many, so that thresholds would rise. They move no further than
// without that one.
func TestNobodyMovesAnythingAlone(t *testing.T) {
	newTraffic := func() *testTraffic {
		w := newTestTraffic(4, 3000)
		for i := range w.answers {
			w.answers[i].service = []string{"shop", "bot", "mail"}[i%3]
		}
		return w
	}
	current := newTraffic().steady(t)
	honest := newTraffic().input(current)
	train, _ := split(honest.rows)
	f, _, err := tune.Fit(rowsOf(train), honest.fit)
	require.NoError(t, err)
	alone, err := calibration.New(f)
	require.NoError(t, err)
	for name, hostile := range map[string]func(a *testAnswer) (label *schemas.Feedback){
		"service":      func(a *testAnswer) *schemas.Feedback { a.service = "evil"; return nil },
		"tenant":       func(a *testAnswer) *schemas.Feedback { a.tenant = "evil"; return nil },
		"conversation": func(a *testAnswer) *schemas.Feedback { a.conversation = "evil"; return nil },
		"person":       func(a *testAnswer) *schemas.Feedback { a.sampled = false; return personSays(a, "mallory") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTraffic()
			var labels []*schemas.Feedback
			random := rand.New(rand.NewPCG(9, 9))
			for i := range 3000 {
				a := testAnswer{
					id: fmt.Sprintf("%064x", random.Uint64()), tenant: "default", service: "bot", conversation: fmt.Sprint("x", i),
					scores: [2]float64{.7 + .3*random.Float64(), .7 + .3*random.Float64()}, sampled: random.Float64() < w.sampled,
				}
				if l := hostile(&a); l != nil {
					labels = append(labels, l)
				}
				w.answers = append(w.answers, a)
			}
			in := w.input(current, labels...)
			unbounded := rowsOf(in.rows)
			for i := range unbounded {
				unbounded[i].Weight = 1
			}
			f, _, err := tune.Fit(unbounded, in.fit)
			require.NoError(t, err)
			all, err := calibration.New(f)
			require.NoError(t, err)
			f, err = in.fitSteadily(t.Context())
			require.NoError(t, err)
			next, err := calibration.New(f)
			require.NoError(t, err)
			moved := false
			for _, old := range current.File().Thresholds {
				at := func(c *calibration.Calibration) float64 {
					at, _ := c.Threshold(old.Detector, "default", "", "")
					return at
				}
				most := max(at(current), at(alone))
				require.LessOrEqual(t, at(next), most+tolerance, old.Detector)
				moved = moved || at(all) > most+leastStep
			}
			require.True(t, moved, "all rows without a bound would move something further")
		})
	}
}
