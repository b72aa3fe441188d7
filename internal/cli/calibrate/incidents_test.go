package calibrate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/schemas"
)

// testTraffic is synthetic traffic with a known probability of being bad for every answer. Two detectors have the
// threshold 0.6, an alert needs both, and a share of all answers is sampled.
type testTraffic struct {
	answers []testAnswer
	sampled float64
}

type testAnswer struct {
	id     string
	tenant string
	s      [2]float64
	bad    bool
	deep   bool // sampled
	judged bool // verdict of a deep detector
}

var testDetectors = [2]string{"citation", "grounding"}

const currentThreshold = .6

func newTestTraffic(seed uint64, n int) *testTraffic {
	random := rand.New(rand.NewPCG(seed, 7))
	w := &testTraffic{sampled: .02, answers: make([]testAnswer, n)}
	for i := range w.answers {
		a := &w.answers[i]
		a.id, a.tenant = fmt.Sprintf("%064x", i+1), "default"
		for d := range a.s {
			a.s[d] = math.Pow(random.Float64(), 3)
		}
		a.bad = random.Float64() < .02+.5*a.s[0]+.45*a.s[1]
		a.deep = random.Float64() < w.sampled
	}
	return w
}

func (a *testAnswer) fired(d int) bool { return a.s[d] >= currentThreshold }

// cheap is the number of fast detectors that fired.
func (a *testAnswer) cheap() int { return boolInt(a.fired(0)) + boolInt(a.fired(1)) }

func (a *testAnswer) stratum() measure.Stratum {
	switch {
	case a.cheap() == 2:
		return measure.Alerted
	case a.cheap() == 1, a.deep && a.judged:
		return measure.Unalerted
	}
	return measure.Quiet
}

func (a *testAnswer) flag(pass schemas.Pass) *schemas.Flag {
	f := &schemas.Flag{IncidentID: a.id, Pass: pass, Tenant: a.tenant, Alert: a.stratum() == measure.Alerted}
	for d, name := range testDetectors {
		s := schemas.Signal{Detector: name, Score: a.s[d], Outcome: schemas.Clear, Evidence: []schemas.Evidence{{Excerpt: "secret"}}}
		if a.fired(d) {
			s.Outcome = schemas.Fired
			f.Fired = append(f.Fired, name)
		}
		f.Signals = append(f.Signals, s)
	}
	if pass == schemas.PassDeep && a.judged {
		f.Fired = append(f.Fired, "faithfulness")
	}
	return f
}

// truth is the precision and recall of a detector at a threshold over all answers.
func (w *testTraffic) truth(d int, at float64) (precision, recall float64) {
	var hit, fired, bad float64
	for i := range w.answers {
		a := &w.answers[i]
		bad += float64(boolInt(a.bad))
		if a.s[d] >= at {
			fired++
			hit += float64(boolInt(a.bad))
		}
	}
	return hit / fired, hit / bad
}

// label adds labels for the wanted number of recorded incidents of each stratum.
func (w *testTraffic) label(t *testing.T, seed uint64, wanted [measure.NumStrata]int) *weightedLabels {
	t.Helper()
	return w.labelTenants(t, seed, map[string][measure.NumStrata]int{"default": wanted}).Join()
}

func (w *testTraffic) labelTenants(t *testing.T, seed uint64, wanted map[string][measure.NumStrata]int) *incidentStore {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 8))
	c := newIncidentStore(len(w.answers))
	at := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	left := maps.Clone(wanted)
	for _, i := range random.Perm(len(w.answers)) {
		a := &w.answers[i]
		if h := a.stratum(); left[a.tenant][h] > 0 && (h != measure.Quiet || a.deep) {
			rest := left[a.tenant]
			rest[h]--
			left[a.tenant] = rest
			verdict := schemas.Fine
			if a.bad {
				verdict = schemas.Wrong
			}
			c.AddLabel(schemas.Feedback{IncidentID: a.id, User: "ann", Verdict: verdict, At: at})
		}
	}
	for i := range w.answers {
		a := &w.answers[i]
		if a.cheap() > 0 {
			require.NoError(t, c.AddFlag(a.flag(schemas.PassFast)))
		}
		if a.deep {
			f := a.flag(schemas.PassDeep)
			f.Sampled, f.SampleProbability = true, w.sampled
			require.NoError(t, c.AddFlag(f))
		}
	}
	return c
}

func rowsOfIncidents(fb *weightedLabels) []measure.Row {
	rows := make([]measure.Row, len(fb.Incidents))
	for i := range fb.Incidents {
		rows[i] = fb.Row(&fb.Incidents[i])
	}
	return rows
}

func currentCalibration(t *testing.T) *calibration.Calibration {
	t.Helper()
	f := calibration.File{Format: calibration.Format, ID: "old"}
	for _, d := range testDetectors {
		f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: d, Threshold: currentThreshold, Armed: true})
	}
	f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: "faithfulness", Threshold: .5, Armed: true}, calibration.Threshold{Detector: "citation", Tenant: "acme", Threshold: .65, Armed: true})
	c, err := calibration.New(f)
	require.NoError(t, err)
	return c
}

func calibrateRows(t *testing.T, rows []measure.Row, o thresholds.Options) (calibration.File, thresholds.Report) {
	t.Helper()
	o.Fingerprint, o.Now = "0123456789abcdef", time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	f, r, err := thresholds.Calibrate(rows, o)
	require.NoError(t, err)
	return f, r
}

// Labels mostly of alerts overstate precision. Weights by the probability of being labelled correct it.
func TestWeightedLabelsCorrectTheSelection(t *testing.T) {
	w := newTestTraffic(1, 100_000)
	fb := w.label(t, 1, [measure.NumStrata]int{1600, 800, 800})
	require.False(t, fb.RaiseOnly())
	require.InEpsilon(t, float64(len(w.answers)), fb.Strata[measure.Alerted].Answers+fb.Strata[measure.Unalerted].Answers+fb.Strata[measure.Quiet].Answers, .05)
	rows := rowsOfIncidents(fb)
	o := thresholds.Options{Target: roc.Target{Precision: .57}, Current: currentCalibration(t)}
	f, _ := calibrateRows(t, rows, o)
	plain := rowsOfIncidents(fb)
	for i := range plain {
		plain[i].Weight = 0
	}
	biased, _ := calibrateRows(t, plain, o)
	for d := range testDetectors {
		got, _ := w.truth(d, f.Thresholds[d].Threshold)
		fooled, _ := w.truth(d, biased.Thresholds[d].Threshold)
		_, recall := w.truth(d, currentThreshold)
		at := roc.At(scoredBy(rows, d), currentThreshold)
		t.Logf("%s: threshold %.3f gives %.3f; unweighted %.3f gives %.3f; recall at %.1f %.3f, truly %.3f", testDetectors[d],
			f.Thresholds[d].Threshold, got, biased.Thresholds[d].Threshold, fooled, currentThreshold, at.Recall, recall)
		require.InDelta(t, .57, got, .05)
		require.Less(t, fooled, .42, "labels as they are would have lowered it too far")
		require.InDelta(t, recall, at.Recall, .1)
	}
}

func scoredBy(rows []measure.Row, d int) []roc.Scored {
	scored := make([]roc.Scored, len(rows))
	for i := range rows {
		scored[i] = roc.Scored{Score: rows[i].Signals[d].Score, Positive: rows[i].Positive, Weight: rows[i].Weight}
	}
	return scored
}

// With labels of alerts alone the thresholds are not lowered, although the unweighted labels would allow it.
func TestLabelsOfAlertsAloneLowerNothing(t *testing.T) {
	fb := newTestTraffic(3, 50_000).label(t, 3, [measure.NumStrata]int{300, 0, 0})
	require.True(t, fb.RaiseOnly())
	require.Contains(t, fb.Limitations()[0], "labels of alerts alone")
	rows := rowsOfIncidents(fb)
	for i := range rows { // scores below the current threshold, in alerts of other detectors
		rows[i].Signals[0].Score -= .3
	}
	free := thresholds.Options{Target: roc.Target{Precision: .6}, Current: currentCalibration(t)}
	lower, _ := calibrateRows(t, rows, free)
	require.Less(t, lower.Thresholds[0].Threshold, .5, "free to choose, it would")
	free.RaiseOnly = true
	f, r := calibrateRows(t, rows, free)
	require.InDelta(t, currentThreshold, f.Thresholds[0].Threshold, 0, "stays exactly")
	require.True(t, f.Thresholds[0].Armed)
	require.Empty(t, r.Warnings, "no base rate is requested")

	high := free
	high.Target.Precision = .9
	f, _ = calibrateRows(t, rows, high)
	require.True(t, !f.Thresholds[1].Armed || f.Thresholds[1].Threshold > currentThreshold, "it may be raised")
}

// Two tenants label at different rates, and their answers differ: each is weighted separately.
func TestTenantsAreWeightedSeparately(t *testing.T) {
	w := newTestTraffic(6, 100_000)
	random := rand.New(rand.NewPCG(6, 6))
	for i := range w.answers {
		a := &w.answers[i]
		if a.tenant = "active"; i%5 > 0 { // four of five answers, with a third of the faults
			a.tenant = "calm"
			a.bad = a.bad && random.IntN(3) == 0
		}
	}
	plan := map[string][measure.NumStrata]int{"active": {600, 400, 60}, "calm": {150, 150, 200}}
	fb := w.labelTenants(t, 6, plan).Join()
	truth, _ := w.truth(0, currentThreshold)
	at := func(fb *weightedLabels) float64 {
		return roc.At(scoredBy(rowsOfIncidents(fb), 0), currentThreshold).Precision
	}
	t.Logf("truth %.3f, weighted %.3f", truth, at(fb))
	require.InDelta(t, truth, at(fb), .06)

	alike := w.labelTenants(t, 6, plan)
	for key, r := range alike.recorded { // the weights without tenants
		r.tenant = 1
		alike.recorded[key] = r
	}
	require.Greater(t, at(alike.Join()), truth+.06)

	lost := w.labelTenants(t, 6, map[string][measure.NumStrata]int{"active": {600, 400, 60}}).Join()
	require.Positive(t, lost.Uncovered)
}

// A tenant with labels of alerts alone keeps its threshold.
func TestKeysAreLoweredByTheirOwnLabelsOnly(t *testing.T) {
	w := newTestTraffic(7, 100_000)
	for i := range w.answers {
		if i%2 == 0 {
			w.answers[i].tenant = "alerts only"
		}
	}
	fb := w.labelTenants(t, 7, map[string][measure.NumStrata]int{"default": {300, 300, 300}, "alerts only": {300, 0, 0}}).Join()
	require.True(t, fb.RaiseOnly(), "half of the traffic is unseen")
	rows := rowsOfIncidents(fb)
	for i := range rows {
		rows[i].Signals[0].Score *= .7 // below the current threshold, in alerts too
	}
	f, _ := calibrateRows(t, rows, thresholds.Options{Target: roc.Target{Precision: .5}, Current: currentCalibration(t), RaiseOnly: fb.RaiseOnly()})
	c, err := calibration.New(f)
	require.NoError(t, err)
	at, armed := c.Threshold("citation", "alerts only", "", "")
	require.True(t, armed)
	require.GreaterOrEqual(t, at, currentThreshold)
	at, _ = c.Threshold("citation", "default", "", "")
	require.Less(t, at, currentThreshold, "where all was labelled it may be lowered")
}

func TestThresholdsWithTooFewLabelsAreKept(t *testing.T) {
	fb := newTestTraffic(4, 20_000).label(t, 4, [measure.NumStrata]int{100, 100, 100})
	old := currentCalibration(t)
	f, _ := calibrateRows(t, rowsOfIncidents(fb), thresholds.Options{Target: roc.Target{Precision: .6}, Current: old})
	c, err := calibration.New(f)
	require.NoError(t, err)
	at, armed := c.Threshold("faithfulness", "", "", "")
	require.Equal(t, []any{.5, true}, []any{at, armed}, "a deep look is not calibrated here")
	at, armed = c.Threshold("citation", "acme", "chat", "")
	require.Equal(t, []any{.65, true}, []any{at, armed}, "no label of that tenant")
}

func TestIncidentStoreJoins(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	say := func(id, user string, v schemas.HumanVerdict, minute int) schemas.Feedback {
		return schemas.Feedback{IncidentID: id, User: user, Verdict: v, At: at.Add(time.Duration(minute) * time.Minute)}
	}
	labels := []schemas.Feedback{
		say("changed", "ann", schemas.Wrong, 1), say("changed", "ann", schemas.Fine, 2),
		say("disputed", "ann", schemas.Fine, 1), say("disputed", "bob", schemas.Wrong, 2),
		say("lost", "ann", schemas.Wrong, 1),
		say("old", "ann", schemas.Wrong, 1),
		{IncidentID: "deep", User: "ann", Verdict: schemas.Wrong, At: at, Source: schemas.FromSlack},
		say("nonsense", "ann", "perhaps", 1),
	}
	flags := []schemas.Flag{
		{IncidentID: "changed", Pass: schemas.PassFast, Fired: []string{"citation"}},
		{IncidentID: "disputed", Pass: schemas.PassFast, Fired: []string{"citation", "schema"}, Alert: true},
		{IncidentID: "old", Pass: schemas.PassDeep},
		{IncidentID: "deep", Pass: schemas.PassDeep, Fired: []string{"faithfulness"}, SampleProbability: .25},
		{IncidentID: "deep", Pass: schemas.PassDeep, Fired: []string{"faithfulness"}, SampleProbability: .25}, // repeated
		{IncidentID: "both", Pass: schemas.PassDeep, Fired: []string{"faithfulness", "citation"}, SampleProbability: .25},
		{IncidentID: "both", Pass: schemas.PassFast, Fired: []string{"schema"}},
		{IncidentID: "nonsense", Pass: schemas.PassDeep, SampleProbability: .5},
	}
	join := func(labels []schemas.Feedback, flags []schemas.Flag) *weightedLabels {
		c := newIncidentStore(100)
		for _, l := range labels {
			c.AddLabel(l)
		}
		for i := range flags {
			require.NoError(t, c.AddFlag(&flags[i]))
		}
		return c.Join()
	}
	fb := join(labels, flags)
	require.Equal(t, [measure.NumStrata]stratumCount{
		measure.Alerted:   {Recorded: 1, Answers: 1, Labelled: 1, Positives: 1},
		measure.Unalerted: {Recorded: 3, Answers: 1 + 4 + 1, Labelled: 2, Positives: 1},
		measure.Quiet:     {Recorded: 1, Answers: 2},
	}, fb.Strata)
	require.Equal(t, []int{1, 1, 2}, []int{fb.Expired, fb.UnknownProbability, fb.People})
	forgotten := join(append(slices.Clone(labels), say("changed", "dpo", schemas.Forgotten, 9)), flags)
	require.Len(t, forgotten.Incidents, 2, "forgotten labels do not count")
	require.Len(t, fb.Incidents, 3)
	require.Equal(t, "changed", fb.Incidents[0].IncidentID)
	require.False(t, fb.Incidents[0].Positive)
	require.InDelta(t, 1.5, fb.Incidents[0].Weight, 1e-9)
	require.Equal(t, "deep", fb.Incidents[1].IncidentID)
	require.InDelta(t, 1.5*4, fb.Incidents[1].Weight, 1e-6)
	repeated := append(append([]schemas.Feedback{}, labels...), labels...)
	again := join(repeated, append(flags, flags...))
	require.Equal(t, fb.Incidents, again.Incidents)
	require.Equal(t, fb.Strata, again.Strata)
}

// Partitions are read concurrently: flags come in any order, and some twice.
func TestIncidentStoreIgnoresOrder(t *testing.T) {
	w := newTestTraffic(9, 3000)
	for i := range w.answers {
		w.answers[i].tenant = []string{"a", "b", "c"}[i%3]
		w.answers[i].deep = i%2 == 0
		w.answers[i].judged = i%10 == 0
	}
	var flags []*schemas.Flag
	for i := range w.answers {
		a := &w.answers[i]
		flags = append(flags, a.flag(schemas.PassFast), a.flag(schemas.PassFast))
		if a.deep {
			f := a.flag(schemas.PassDeep)
			f.SampleProbability = .5
			flags = append(flags, f)
		}
	}
	random := rand.New(rand.NewPCG(9, 9))
	join := func() *weightedLabels {
		c := newIncidentStore(len(w.answers))
		for i := range w.answers[:600] {
			a := &w.answers[i]
			verdict := schemas.Fine
			if a.bad {
				verdict = schemas.Wrong
			}
			c.AddLabel(schemas.Feedback{IncidentID: a.id, User: "ann", Verdict: verdict})
		}
		random.Shuffle(len(flags), func(i, j int) { flags[i], flags[j] = flags[j], flags[i] })
		for _, f := range flags {
			require.NoError(t, c.AddFlag(f))
		}
		return c.Join()
	}
	first := join()
	for range 5 {
		require.Empty(t, cmp.Diff(rowsOfIncidents(first), rowsOfIncidents(join()), cmpopts.EquateNaNs()))
	}
}

func TestIncidentStoreIsBounded(t *testing.T) {
	c := newIncidentStore(2)
	for i, want := range []error{nil, nil, ErrTooManyIncidents} {
		require.ErrorIs(t, c.AddFlag(&schemas.Flag{IncidentID: fmt.Sprint(i)}), want)
	}
	require.NoError(t, c.AddFlag(&schemas.Flag{IncidentID: "0", Pass: schemas.PassDeep}))
	require.Len(t, c.recorded, 2)
}

func TestFeedbackKeepsNoText(t *testing.T) {
	fb := newTestTraffic(5, 2000).label(t, 5, [measure.NumStrata]int{10, 10, 10})
	for i := range fb.Incidents {
		for _, s := range fb.Incidents[i].FinalFlag().Signals {
			require.Empty(t, s.Evidence)
		}
	}
}
