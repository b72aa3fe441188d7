package tune

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/shares"
	"confab/detectors/standard"
	"confab/internal/model"
)

// labelled is an answer that grounding and facts scored.
func labelled(wrong bool, grounding, facts float64) Row {
	r := Row{Row: measure.Row{Tenant: "default", Fused: math.NaN(), Positive: wrong, Signals: []measure.Signal{
		{Detector: "grounding", Score: grounding, HasScore: true},
		{Detector: "facts", Score: facts, HasScore: true},
		{Detector: "schema"},
	}}}
	r.Wrong = shares.Indicator(wrong)
	return r
}

// traffic of n answers: the scores of grounding are around .75 for wrong and .5 for right ones, raised for both.
func someTraffic(rng *rand.Rand, n int, base, raised float64) (rows []Row) {
	for range n {
		wrong := rng.Float64() < base
		facts := 0.0
		if wrong && rng.IntN(4) == 0 {
			facts = 0.9
		}
		at := raised + 0.8*rng.NormFloat64() + shares.Indicator(wrong)
		rows = append(rows, labelled(wrong, math.Round(1e4*model.Logistic(at))/1e4, facts))
	}
	return rows
}

func answersOf(rows []Row) (out []measure.Row) {
	for i := range rows {
		out = append(out, rows[i].Row)
	}
	return out
}

func shipped(t *testing.T) *calibration.Calibration {
	t.Helper()
	c, err := calibration.Default()
	require.NoError(t, err)
	return c
}

func options(t *testing.T) Options {
	t.Helper()
	return Options{Current: shipped(t), Policy: twoOrMore{}, Fingerprint: "0123456789abcdef", CreatedBy: "confab tune test", Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
}

func mustFit(t *testing.T, rows []Row, o Options) (*calibration.Calibration, Report) {
	t.Helper()
	f, r, err := Fit(rows, o)
	require.NoError(t, err)
	c, err := calibration.New(f)
	require.NoError(t, err)
	return c, r
}

func thresholdOf(t *testing.T, c *calibration.Calibration, detector, operation string) float64 {
	t.Helper()
	at, armed := c.Threshold(detector, "default", operation, "m")
	require.True(t, armed)
	return at
}

func TestNoLabelsChangeNothing(t *testing.T) {
	t.Parallel()
	f, r, err := Fit(nil, options(t))
	require.NoError(t, err)
	require.Equal(t, shipped(t).File(), f)
	require.NotEmpty(t, r.Kept)
	_, _, err = Fit(nil, Options{})
	require.ErrorContains(t, err, "no calibration in force")
}

// Rows in any order give the same file and report.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	rows := someTraffic(rng, 120, 0.2, 0)
	for i := range rows {
		rows[i].Operation, rows[i].Tenant, rows[i].Model = []string{"", "chat", "search"}[i%3], []string{"a", "b"}[i%2], "m"
		rows[i].Weight, rows[i].By = float64(1+i%5), Source(i%3)
	}
	o := options(t)
	o.Answers = answersOf(someTraffic(rng, 50, 0.2, 0))
	f, r, err := Fit(rows, o)
	require.NoError(t, err)
	for range 5 {
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rng.Shuffle(len(o.Answers), func(i, j int) { o.Answers[i], o.Answers[j] = o.Answers[j], o.Answers[i] })
		again, report, err := Fit(rows, o)
		require.NoError(t, err)
		require.Equal(t, f, again)
		require.Equal(t, r, report)
	}
}

// Few labels move a threshold a little, many decide it, and the report says in words what became of each.
func TestLabelsMoveThresholds(t *testing.T) {
	t.Parallel()
	moved := func(n int, raised float64) (float64, Report) {
		c, r := mustFit(t, someTraffic(rand.New(rand.NewPCG(3, uint64(n))), n, 0.15, raised), options(t))
		return thresholdOf(t, c, "grounding", "") - thresholdOf(t, shipped(t), "grounding", ""), r
	}
	few, _ := moved(20, -1.5)
	some, _ := moved(100, -1.5)
	many, r := moved(800, -1.5)
	require.LessOrEqual(t, math.Abs(few), 0.08)
	require.Less(t, some, 0.0)
	require.Less(t, many, -0.1, "right answers are quieter than public ones: room for a lower threshold")
	require.True(t, slices.ContainsFunc(r.Changes, func(c Change) bool {
		return c.Name == "grounding" && strings.Contains(c.Why, "of fine answers it flags")
	}), r.Changes)
	require.True(t, slices.ContainsFunc(r.Kept, func(s string) bool { return strings.HasPrefix(s, "facts stays at 0.5: no other") }), r.Kept)
	require.True(t, slices.ContainsFunc(r.Kept, func(s string) bool { return strings.Contains(s, "schema") }), r.Kept)
	loud, _ := moved(800, 1)
	require.Greater(t, loud, 0.05, "a detector that flags every third right answer")
}

// That no fine answer was flagged is no proof that none ever is: a detector that fires does not make an answer surely wrong.
func TestPrecisionLeavesDoubt(t *testing.T) {
	t.Parallel()
	var rows []Row
	for i := range 60 {
		r := labelled(i%2 == 0, 0.5, 0)
		r.Signals = append(r.Signals, measure.Signal{Detector: "confidence", Score: []float64{0.95, 0.5}[i%2], HasScore: true})
		rows = append(rows, r)
	}
	c, _ := mustFit(t, rows, options(t))
	list := c.File().Thresholds
	at := slices.IndexFunc(list, func(r calibration.Threshold) bool { return r.Detector == "confidence" })
	require.Less(t, list[at].Threshold, 0.98)
	require.InDelta(t, 1, list[at].Precision, 0.02)
	require.InDelta(t, 0.9, list[at].PrecisionLow, 0.05)
	require.InDelta(t, 0.07, list[at].FalseAlarmsHigh, 0.02)
}

func TestFileNamesTheLabels(t *testing.T) {
	t.Parallel()
	o := options(t)
	rows := someTraffic(rand.New(rand.NewPCG(4, 4)), 30, 0.2, 0)
	rows[0].Model, rows[1].Model, rows[2].Model = "m-2", "m-1", "m-2"
	c, _ := mustFit(t, rows, o)
	f := c.File()
	require.Equal(t, []string{"m-1", "m-2"}, f.Data.Models)
	require.Equal(t, "2026-12-01-01234567", f.ID)
	require.Equal(t, len(rows), f.Data.Rows)
	require.Empty(t, c.StalenessWarnings("test", f.Model))
	rows[0].Model = "m-3"
	o.Current = c
	again, _ := mustFit(t, rows, o)
	require.Equal(t, []string{"m-1", "m-2", "m-3"}, again.File().Data.Models, "models of earlier labels stay")
}

func TestRefitStartsWhereLabelsStarted(t *testing.T) {
	t.Parallel()
	o := options(t)
	rows := someTraffic(rand.New(rand.NewPCG(5, 5)), 60, 0.15, -1.5)
	first, r := mustFit(t, rows, o)
	require.NotEmpty(t, r.Changes)
	o.Current = first
	second, r := mustFit(t, rows, o)
	require.Equal(t, first.File(), second.File(), "no label counts twice")
	require.Empty(t, r.Changes)
}

// Of a few alerts on answers that people found wrong all are left, whatever the minimum risk and the other labels.
func TestRightAlertsStay(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Policy = minimumRisk(0.93)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rows := someTraffic(rng, 20+rng.IntN(80), 0.1, 1.5*rng.Float64()-0.5)
		rows = append(rows, labelled(true, 0.81, 0.9), labelled(true, 0.9, 0.9), labelled(false, 0.85, 0.9), labelled(false, 0.95, 0))
		c, r := mustFit(t, rows, o)
		was, is := 0, 0
		for _, row := range sortRows(rows) {
			if Alerts(&row.Row, o.Policy, o.Current) && row.Positive {
				was++
				is += boolInt(Alerts(&row.Row, o.Policy, c))
			}
		}
		require.GreaterOrEqual(t, was, 2)
		require.GreaterOrEqual(t, is, was-was/10, "%v", r.Changes)
		require.Positive(t, r.After.Alerts.Value)
	}
}

// minimumRisk is a rule of two detectors with a configured minimum.
type minimumRisk float64

func (m minimumRisk) Holds(_ string, fired []string, risk, _ float64) bool {
	return len(fired) >= 2 && risk >= float64(m)
}

// anyOne is a rule of one detector.
type anyOne struct{}

func (anyOne) Holds(_ string, fired []string, risk, minRisk float64) bool {
	return len(fired) >= 1 && (math.IsNaN(risk) || risk >= minRisk)
}

func TestForecastIsOfTheConfiguredRule(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	o := options(t)
	o.Policy, o.PerDay = anyOne{}, 500
	o.Answers = answersOf(someTraffic(rng, 400, 0.1, 0.3))
	c, r := mustFit(t, someTraffic(rng, 60, 0.1, 0.3), o)
	for _, f := range []struct {
		Forecast
		c *calibration.Calibration
	}{{r.Before, o.Current}, {r.After, c}} {
		alerts := 0.0
		for i := range o.Answers {
			alerts += shares.Indicator(Alerts(&o.Answers[i], o.Policy, f.c))
		}
		require.InDelta(t, alerts*500/400, f.Alerts.Value, 1)
		require.Equal(t, f.Flags, f.Alerts, "every flag alerts")
		for _, i := range []Interval{f.Flags, f.Alerts, f.Right, f.Found, r.BaseRate} {
			require.LessOrEqual(t, i.Low, i.Value)
			require.GreaterOrEqual(t, i.High, i.Value)
			require.Less(t, i.Low, i.High)
		}
		require.Less(t, f.Right.High, 0.9)
	}
}

// Alerts that a judge confirms are fewer and more often right.
func TestForecastOfConfirmedAlerts(t *testing.T) {
	t.Parallel()
	rows := someTraffic(rand.New(rand.NewPCG(8, 8)), 200, 0.1, 0.3)
	o := options(t)
	o.Policy = anyOne{}
	_, alone := mustFit(t, rows, o)
	o.Policy = judged{}
	_, confirmed := mustFit(t, rows, o)
	require.Less(t, confirmed.Before.Alerts.Value, alone.Before.Alerts.Value)
	require.Greater(t, confirmed.Before.Right.Value, alone.Before.Right.Value)
	require.Equal(t, alone.Before.Flags, confirmed.Before.Flags)
}

type judged struct{ anyOne }

func (judged) Confirms(string, []string) bool { return true }

// A number of alerts to spend is spent, up or down, on the highest risks; where it cannot be, the report says how many there are.
func TestSpendAlerts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	rows := someTraffic(rng, 300, 0.15, 0)
	o := options(t)
	o.Policy, o.PerDay = anyOne{}, 1000
	o.Answers = answersOf(someTraffic(rng, 1000, 0.15, 0))
	_, free := mustFit(t, rows, o)
	right := 0.0
	for _, n := range []float64{10, 25, 50} {
		o.Alerts = n
		c, r := mustFit(t, rows, o)
		require.InDelta(t, n, r.After.Alerts.Value, 0.2*n)
		minRisk, _ := c.AlertRisk()
		require.Positive(t, minRisk)
		require.Greater(t, r.After.Right.Value, free.After.Right.Value)
		require.Greater(t, n*r.After.Right.Value, right, "more alerts find more")
		right = n * r.After.Right.Value
	}
	o.Alerts = 900
	_, r := mustFit(t, rows, o)
	require.InDelta(t, 900, r.After.Alerts.Value, 100, "who asks for them gets them")
	o.Alerts, o.PerDay = 200, 1_000_000 // an answer of the log stands for a thousand
	_, r = mustFit(t, rows, o)
	require.Contains(t, r.Kept, "200 alerts were asked for, there are about 1000: no fewer can be told apart among these answers; a longer log can")
}

// Who asks for more alerts than the rule can give gets no fewer alerts and flags than who does not ask, and hears which rule can.
func TestMoreAlertsAreNeverFewer(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 31))
		all := someTraffic(rng, 45+rng.IntN(200), 0.15, rng.Float64()-1)
		for i := range all {
			all[i].Model = []string{"m", "n"}[i%2]
			all[i].Signals[0].Score = model.Logistic(model.Logit(all[i].Signals[0].Score) + float64(i%2))
		}
		o := options(t)
		o.Answers = answersOf(all)
		rows := all[:40]
		_, free := mustFit(t, rows, o)
		for _, n := range []float64{50, 200, 900} {
			o.Alerts = n
			_, r := mustFit(t, rows, o)
			for _, s := range r.Kept {
				if strings.Contains(s, "alerts were asked for, there are about ") && !strings.Contains(s, "no fewer") {
					require.GreaterOrEqual(t, r.After.Log.Alerts, free.After.Log.Alerts, "%d: %v", seed, s)
					require.GreaterOrEqual(t, r.After.Log.Flags, free.After.Log.Flags, "%d: %v", seed, s)
					require.Contains(t, s, "alerting.threshold: 1, which one detector reaches, would give more, and more wrong ones; ")
				}
			}
			free = r
		}
	}
}

// An operation whose right answers score lower gets a threshold of its own; the others keep the common one.
func TestKeys(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 11))
	quiet, loud := someTraffic(rng, 400, 0.15, -0.8), someTraffic(rng, 200, 0.15, 1.5)
	for i := range quiet {
		quiet[i].Operation = "chat"
	}
	for i := range loud {
		loud[i].Operation = "summarize"
	}
	o := options(t)
	c, r := mustFit(t, slices.Concat(quiet, loud), o)
	require.Greater(t, thresholdOf(t, c, "grounding", "summarize"), thresholdOf(t, c, "grounding", "chat")+0.05)
	require.True(t, slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Name == "grounding (chat)" }), r.Changes)
	require.Greater(t, thresholdOf(t, c, "grounding", "other"), thresholdOf(t, c, "grounding", "chat"), "what is not known has the common one")
	o.Current = c
	again, _ := mustFit(t, slices.Concat(loud, quiet), o)
	require.Equal(t, c.File(), again.File())
}

func TestKeysOfPeopleStay(t *testing.T) {
	t.Parallel()
	o := options(t)
	f := o.Current.File()
	f.Thresholds = append(slices.Clone(f.Thresholds),
		calibration.Threshold{Detector: "grounding", Operation: "legal", Threshold: 0.6, Armed: true},
		calibration.Threshold{Detector: "facts", Tenant: "x", Threshold: 1})
	for i := range f.Thresholds {
		if f.Thresholds[i].Detector == "grounding" && f.Thresholds[i].Operation == "" {
			f.Thresholds[i].Armed = false
		}
	}
	var err error
	o.Current, err = calibration.New(f)
	require.NoError(t, err)
	c, r := mustFit(t, someTraffic(rand.New(rand.NewPCG(13, 13)), 100, 0.15, -1), o)
	at, armed := c.Threshold("grounding", "default", "legal", "")
	require.True(t, armed)
	require.InDelta(t, 0.6, at, 0)
	_, armed = c.Threshold("facts", "x", "", "")
	require.False(t, armed)
	_, armed = c.Threshold("grounding", "default", "", "")
	require.False(t, armed, "labels arm nothing")
	require.True(t, slices.ContainsFunc(r.Kept, func(s string) bool { return strings.HasPrefix(s, "grounding does not fire") }), r.Kept)
}

// What the report calls unchanged is unchanged in the file, and a minimum risk that moves with the map is reported.
func TestRiskThatStays(t *testing.T) {
	t.Parallel()
	stayed, moved := 0, 0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 23))
		o := options(t)
		f := o.Current.File()
		f.Alert = &calibration.Alert{MinRisk: 0.5}
		var err error
		o.Current, err = calibration.New(f)
		require.NoError(t, err)
		rows := someTraffic(rng, 1+rng.IntN(40), 0.2, 0)
		if seed%5 == 0 { // nothing that a risk is made of
			rows = []Row{{Row: measure.Row{Fused: math.NaN(), Signals: []measure.Signal{{Detector: "schema", Score: 1, HasScore: true}}}, Wrong: 1}}
		}
		c, r := mustFit(t, rows, o)
		changed := func(name string) bool {
			return slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Name == name })
		}
		if !changed("risk") {
			stayed++
			require.Equal(t, f.Risk, c.File().Risk)
		}
		require.Equal(t, *f.Alert != *c.File().Alert, changed("alert.min_risk"))
		moved += boolInt(changed("alert.min_risk"))
	}
	require.Positive(t, stayed)
	require.Positive(t, moved)
}

// With many labels the risk is that of the traffic at an even prior; with few it stays near the one in force.
func TestRiskMap(t *testing.T) {
	t.Parallel()
	before := calibration.RiskMap{A: 1}
	for _, base := range []float64{0.1, 0.5} {
		rng := rand.New(rand.NewPCG(17, 17))
		var rows []Row
		for range 6000 {
			r := labelled(false, model.Logistic(1.5*rng.NormFloat64()), 0)
			r.FuseScores(isFused)
			p := model.Logistic(0.6*r.Fused - 0.5 + model.Logit(base))
			r.Wrong = shares.Indicator(rng.Float64() < p)
			rows = append(rows, r)
		}
		many := fitRisk(rows, base, before)
		require.InDelta(t, 0.6, many.A, 0.08)
		require.InDelta(t, -0.5, many.B, 0.15)
		require.Equal(t, []float64{1, 0}, many.Prior)
		few := fitRisk(rows[:10], base, before)
		require.InDelta(t, 1, few.A, 0.35)
		require.Equal(t, many, fitRisk(rows, base, many), "starts at the map before the labels")
	}
	unfused := labelled(true, 0.9, 0)
	require.Equal(t, before, fitRisk([]Row{unfused}, 0.1, before))
}

// Weights say how many answers a row stands for; a probability is a part of a wrong and of a right answer.
func TestSampleWeighs(t *testing.T) {
	t.Parallel()
	rows := []Row{labelled(true, 0.9, 0), labelled(true, 0.9, 0), labelled(false, 0.2, 0), labelled(false, 0.2, 0)}
	none := labelled(true, 0.5, 0).Row
	s := newSample(rows, []measure.Row{none}, []measure.Row{none})
	require.InDelta(t, priorWrong+2, s.wrong, 1e-9)
	require.InDelta(t, priorRight+2, s.right, 1e-9)
	require.InDelta(t, (priorBase*priorBaseShare+2)/(priorBase+4), s.base.mean(), 1e-9)
	for i := range rows {
		rows[i].Weight = 3
	}
	require.Equal(t, s.base, newSample(rows, []measure.Row{none}, []measure.Row{none}).base, "equal weights say nothing")
	rows[3].Weight = 300
	s = newSample(rows, []measure.Row{none}, []measure.Row{none})
	require.InDelta(t, priorRight+1, s.right, 0.05, "one row stands for nearly all right answers")
	require.Less(t, s.base.mean(), 0.15)
	rows[3].Weight, rows[3].Wrong = 3, 0.5
	s = newSample(rows, []measure.Row{none}, []measure.Row{none})
	require.InDelta(t, priorWrong+2.5, s.wrong, 1e-9)
	require.InDelta(t, priorRight+1.5, s.right, 1e-9)
}

// TestDetectorsAreThoseOfTheSuite holds the lists of this package to the suite.
func TestDetectorsAreThoseOfTheSuite(t *testing.T) {
	t.Parallel()
	known, err := embeddedPrior()
	require.NoError(t, err)
	for _, e := range standard.Fast(standard.Dependencies{}) {
		require.Equal(t, !e.Independent, isFused(e.Name), e.Name)
		require.Contains(t, known.names, e.Name)
	}
}

// Answers composed for the prior measure what those of the traffic do, and are flagged as public answers are.
func TestPriorIsThatOfPublicAnswers(t *testing.T) {
	t.Parallel()
	known, err := embeddedPrior()
	require.NoError(t, err)
	like := []measure.Row{labelled(true, 0.5, 0).Row}
	c := shipped(t)
	for _, wrong := range []bool{true, false} {
		fired := map[string]float64{}
		rows := known.compose(like, wrong, c)
		for i := range rows {
			require.Len(t, rows[i].Signals, 2)
			for _, name := range firedNames(&rows[i], c) {
				fired[name] += 1 / float64(len(rows))
			}
		}
		if wrong {
			require.InDelta(t, 0.1, fired["grounding"], 0.06)
			continue
		}
		require.Less(t, fired["grounding"], 0.05)
		require.Less(t, fired["facts"], 0.02)
	}
	own := measure.Row{Signals: []measure.Signal{{Detector: "own", HasScore: true}}}
	f := c.File()
	f.Thresholds = append(slices.Clone(f.Thresholds), calibration.Threshold{Detector: "own", Threshold: 0.4, Armed: true})
	c, err = calibration.New(f)
	require.NoError(t, err)
	n := 0
	for _, r := range known.compose([]measure.Row{own}, true, c) {
		n += len(firedNames(&r, c))
	}
	require.InDelta(t, unknownFound, float64(n)/atoms, 0.02)
}

func ExampleFit() {
	current, err := calibration.Default()
	if err != nil {
		panic(err)
	}
	var rows []Row
	for i := range 30 {
		rows = append(rows, labelled(i%10 == 0, 0.3+float64(i%7)/20, 0))
	}
	_, report, err := Fit(rows, Options{Current: current, Policy: twoOrMore{}, Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Labels.Rows, report.Labels.Wrong)
	fmt.Println(report.Kept[len(report.Kept)-1])
	// Output:
	// 30 3
	// citation, confidence, schema, technical, tools, consistency: could check none of the labelled answers, so nothing changes
}

// Odd rows (all wrong, all fine, no scores, scores of 0 and 1, weights of a million, one row) give a valid file and a report that can be
// written, whatever their order.
func TestOddRows(t *testing.T) {
	t.Parallel()
	names := []string{"grounding", "citation", "facts", "technical", "schema", "confidence", "mine"}
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 7))
		rows := make([]Row, 1+rng.IntN(40))
		for i := range rows {
			r := &rows[i]
			r.Tenant, r.Model = []string{"", "a", "=x\x00"}[rng.IntN(3)], []string{"", "日"}[rng.IntN(2)]
			r.Weight = math.Pow(1e6, rng.Float64()*float64(seed%2))
			r.Wrong = []float64{0, 1, rng.Float64(), float64(rng.IntN(2))}[seed/2%4]
			for _, k := range rng.Perm(len(names)) {
				score := []float64{0, 1, 1e-300, 1 - 1e-16, rng.Float64()}[rng.IntN(5)]
				r.Signals = append(r.Signals, measure.Signal{Detector: names[k], Score: score, HasScore: rng.IntN(3) > 0})
			}
		}
		o := options(t)
		o.Answers, o.Alerts = answersOf(rows)[:rng.IntN(len(rows))], []float64{0, 1e-3, 1e6}[rng.IntN(3)]
		f, report, err := Fit(rows, o)
		require.NoError(t, err, seed)
		_, err = json.Marshal(report)
		require.NoError(t, err, seed)
		for _, at := range f.Thresholds {
			require.True(t, at.Threshold > 0 && at.Threshold <= 1, "%d: %v", seed, at)
		}
		rng.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
		again, _, err := Fit(rows, o)
		require.NoError(t, err)
		require.Equal(t, f, again, seed)
	}
}

// Whether the rule holds does not depend on whether the risk is asked for.
func TestHoldsIsAlerts(t *testing.T) {
	t.Parallel()
	rng, holding := rand.New(rand.NewPCG(1, 2)), 0
	for _, minRisk := range []float64{0, 0.3, 0.7} {
		r := newRule(twoOrMore{}, shipped(t))
		r.minRisk = minRisk
		for _, row := range someTraffic(rng, 200, 0.5, 0) {
			fuse(&row.Row)
			for _, fired := range [][]string{nil, {"grounding"}, {"grounding", "facts"}} {
				_, want := r.alerts(&row.Row, fired)
				require.Equal(t, want, r.holds(&row.Row, fired))
				holding += boolInt(want)
			}
		}
	}
	require.Greater(t, holding, 200)
	require.Less(t, holding, 600, "the minimum keeps some back")
}
