package detectors

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/logtest"
	"confab/schemas"
)

type fakeDetector struct {
	name   string
	detect func(ctx context.Context, doc *Document) (Finding, error)
}

func (f fakeDetector) Detect(ctx context.Context, doc *Document) (Finding, error) {
	return f.detect(ctx, doc)
}

type fakeOptions struct{ Limit int }

// fakeEntry describes a detector with a fixed result.
func fakeEntry(name string, finding Finding, err error) Entry {
	return fakeFunc(name, func(context.Context, *Document) (Finding, error) { return finding, err })
}

func fakeFunc(name string, detect func(context.Context, *Document) (Finding, error)) Entry {
	return EventEntry(name, schemas.Factual, func() fakeOptions { return fakeOptions{} }, func(fakeOptions) (Detector, error) {
		return fakeDetector{name, detect}, nil
	})
}

func scoredFinding(score float64) Finding { return Finding{Score: score} }

// newTestSuite returns a suite with the threshold 0.5. change may adjust its options.
func newTestSuite(t testing.TB, change func(*Options), entries ...Entry) *Suite {
	t.Helper()
	o := Options{
		Detectors:  entries,
		Thresholds: fixedThresholds{limit: 0.5},
		Now:        func() time.Time { return time.Time{} },
		Redact:     func(s string) string { return strings.ReplaceAll(s, "secret", "[x]") },
		Version:    "1.2.3", Calibration: "cal-1",
	}
	if change != nil {
		change(&o)
	}
	s, err := NewSuite(o)
	require.NoError(t, err)
	return s
}

func TestSuiteNeedsDetectors(t *testing.T) {
	o := Options{Thresholds: fixedThresholds{limit: 0.5}, Now: time.Now, Redact: strings.ToLower}
	_, err := NewSuite(o)
	require.EqualError(t, err, "make detector suite: no detectors: take them from standard.Fast, or add your own")
	o.Detectors = []Entry{{Name: "d"}}
	_, err = NewSuite(o)
	require.EqualError(t, err, `make detector suite: detector "d": its entry needs Name and New`)
}

// A detector that is off for a tenant leaves no signal there.
func TestDetectorsOffByTenant(t *testing.T) {
	s := newTestSuite(t, func(o *Options) { o.Off = map[string][]string{"": {"a"}, "acme": {"b"}, "all": nil} },
		fakeEntry("a", scoredFinding(1), nil), fakeEntry("b", scoredFinding(1), nil))
	for tenant, want := range map[string][]string{"": {"b"}, "default": {"b"}, "acme": {"a"}, "all": {"a", "b"}} {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x", Tenant: tenant})
		var ran []string
		for _, r := range e.Readings() {
			ran = append(ran, r.Detector)
		}
		e.Release()
		require.Equal(t, want, ran, tenant)
	}
}

func TestOutcomes(t *testing.T) {
	for name, tt := range map[string]struct {
		entry  Entry
		limits fixedThresholds
		want   Reading
	}{
		"above":         {fakeEntry("d", scoredFinding(0.6), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Fired, Score: 0.6, Threshold: 0.5}},
		"at":            {fakeEntry("d", scoredFinding(0.5), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Fired, Score: 0.5, Threshold: 0.5}},
		"below":         {fakeEntry("d", scoredFinding(0.4), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Clear, Score: 0.4, Threshold: 0.5}},
		"not armed":     {fakeEntry("d", scoredFinding(0.9), nil), fixedThresholds{limit: 0.5, off: map[string]bool{"d": true}}, Reading{Outcome: schemas.Skipped, Score: 0.9, Reason: ReasonNotArmed}},
		"no limit":      {fakeEntry("d", scoredFinding(0.9), nil), fixedThresholds{limit: math.NaN()}, Reading{Outcome: schemas.Skipped, Score: 0.9, Reason: ReasonNotArmed}},
		"not checkable": {fakeEntry("d", Finding{NotCheckable: "no sources", Score: 1}, nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.NotCheckable, Reason: "no sources"}},
		"error":         {fakeEntry("d", scoredFinding(1), errors.New("no")), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Failed}},
		"nan":           {fakeEntry("d", scoredFinding(math.NaN()), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Failed, Reason: ReasonBadScore}},
		"infinite":      {fakeEntry("d", scoredFinding(math.Inf(1)), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Failed, Reason: ReasonBadScore}},
		"above one":     {fakeEntry("d", scoredFinding(1.01), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Failed, Reason: ReasonBadScore}},
		"negative":      {fakeEntry("d", scoredFinding(-0.01), nil), fixedThresholds{limit: 0.5}, Reading{Outcome: schemas.Failed, Reason: ReasonBadScore}},
		"zero at zero":  {fakeEntry("d", scoredFinding(0), nil), fixedThresholds{}, Reading{Outcome: schemas.Fired}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSuite(t, func(o *Options) { o.Thresholds = tt.limits }, tt.entry)
			e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
			defer e.Release()
			require.Len(t, e.Readings(), 1)
			got := e.Readings()[0]
			require.Equal(t, tt.want.Outcome, got.Outcome)
			require.InDelta(t, tt.want.Score, got.Score, 0)
			require.InDelta(t, tt.want.Threshold, got.Threshold, 0)
			require.Equal(t, tt.want.Reason, got.Reason)
			require.Equal(t, tt.want.Outcome == schemas.Fired, e.AnyFired())
		})
	}
}

// Only a signal that fired carries the detector's reason: it describes a fault.
func TestAClearSignalHasNoReason(t *testing.T) {
	for name, tt := range map[string]struct {
		entry Entry
		off   map[string]bool
		want  string
	}{
		"fired":         {fakeEntry("d", Finding{Score: 0.5, Reason: "a figure is wrong"}, nil), nil, "a figure is wrong"},
		"clear":         {fakeEntry("d", Finding{Score: 0.4, Reason: "a figure is wrong"}, nil), nil, ""},
		"not armed":     {fakeEntry("d", Finding{Score: 0.9, Reason: "a figure is wrong"}, nil), map[string]bool{"d": true}, ReasonNotArmed},
		"not checkable": {fakeEntry("d", Finding{NotCheckable: ReasonNoSources, Reason: "a figure is wrong"}, nil), nil, ReasonNoSources},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSuite(t, func(o *Options) { o.Thresholds = fixedThresholds{limit: 0.5, off: tt.off} }, tt.entry)
			e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
			defer e.Release()
			f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			require.Equal(t, tt.want, f.Signals[0].Reason)
		})
	}
}

// A detector does not run if a field that it reads is malformed.
func TestMalformedFields(t *testing.T) {
	entry := fakeEntry("d", scoredFinding(1), nil).Reading("sources", "messages")
	s := newTestSuite(t, nil, entry, fakeEntry("all", scoredFinding(1), nil))
	for _, tt := range []struct {
		malformed []string
		want      schemas.Outcome
	}{
		{nil, schemas.Fired},
		{[]string{"tags"}, schemas.Fired},
		{[]string{"tags", "messages"}, schemas.NotCheckable},
		{[]string{"sources"}, schemas.NotCheckable},
	} {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x", Malformed: tt.malformed})
		require.Equal(t, tt.want, e.Readings()[0].Outcome, tt.malformed)
		require.Equal(t, tt.want == schemas.NotCheckable, e.Readings()[0].Reason == ReasonMalformed)
		require.Equal(t, schemas.Fired, e.Readings()[1].Outcome, "it reads none of the fields")
		e.Release()
	}
}

func TestThresholdIsLookedUpByTenantOperationAndModel(t *testing.T) {
	var asked []string
	s := newTestSuite(t, func(o *Options) {
		o.Thresholds = thresholdFunc(func(detector, tenant, operation, model string) (float64, bool) {
			asked = append(asked, detector+"/"+tenant+"/"+operation+"/"+model)
			return 1, true
		})
	}, fakeEntry("a", scoredFinding(0.1), nil), fakeEntry("b", Finding{NotCheckable: "no"}, nil))
	s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x", Tenant: "t", Operation: "o", Model: "m"}).Release()
	require.Equal(t, []string{"a/t/o/m"}, asked)
}

type thresholdFunc func(detector, tenant, operation, model string) (float64, bool)

func (f thresholdFunc) Threshold(detector, tenant, operation, model string) (float64, bool) {
	return f(detector, tenant, operation, model)
}

func TestPanicFailsOneSignal(t *testing.T) {
	var log strings.Builder
	reg := prometheus.NewPedanticRegistry()
	entries := []Entry{
		fakeEntry("first", scoredFinding(0.9), nil),
		fakeFunc("broken", func(_ context.Context, d *Document) (Finding, error) { panic(d.Answer()) }),
		fakeEntry("last", scoredFinding(0.8), nil),
	}
	s := newTestSuite(t, func(o *Options) {
		o.Metrics = NewMetrics(reg, Names(entries))
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	}, entries...)
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "the answer"})
	defer e.Release()
	require.Equal(t, []string{"first", "last"}, e.Fired())
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	require.Equal(t, schemas.Failed, f.Signals[1].Outcome)
	require.Equal(t, ReasonPanic, f.Signals[1].Reason)
	require.Contains(t, log.String(), "detector=broken")
	require.Contains(t, log.String(), "suite_test.go", "the stack names the place")
	require.NotContains(t, log.String(), "the answer", "the text stays out of the log")
	require.InDelta(t, 1, testutil.ToFloat64(s.rules[1].metrics.runs[schemas.Failed]), 0)
}

func TestCanceledContextSkipsRemainingRules(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := newTestSuite(t, nil,
		fakeFunc("first", func(context.Context, *Document) (Finding, error) { cancel(); return scoredFinding(0.9), nil }),
		fakeFunc("second", func(context.Context, *Document) (Finding, error) { panic("not reached") }))
	e := s.Evaluate(ctx, &schemas.Interaction{Answer: "x"})
	defer e.Release()
	require.Equal(t, schemas.Fired, e.Readings()[0].Outcome)
	require.Equal(t, schemas.Skipped, e.Readings()[1].Outcome)
	require.Equal(t, ReasonDeadline, e.Readings()[1].Reason)
}

func TestEmptyAnswerIsNotCheckableForProse(t *testing.T) {
	prose := fakeEntry("prose", scoredFinding(0.9), nil)
	prose.Prose = true
	s := newTestSuite(t, nil, prose, fakeEntry("event", scoredFinding(0.9), nil))
	for _, answer := range []string{"", " \n\t", "\u00a0"} {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: answer})
		require.Equal(t, schemas.NotCheckable, e.Readings()[0].Outcome)
		require.Equal(t, ReasonEmptyAnswer, e.Readings()[0].Reason)
		require.Equal(t, schemas.Fired, e.Readings()[1].Outcome)
		e.Release()
	}
}

func TestNewSuiteErrors(t *testing.T) {
	good := Options{Thresholds: fixedThresholds{}, Now: time.Now, Redact: strings.Clone}
	for name, tt := range map[string]struct {
		change func(*Options)
		want   []string
	}{
		"no thresholds": {func(o *Options) { o.Thresholds = nil }, []string{"Thresholds"}},
		"no clock":      {func(o *Options) { o.Now = nil }, []string{"Now"}},
		"no redactor":   {func(o *Options) { o.Redact = nil }, []string{"Redact"}},
		"twice":         {func(o *Options) { o.Detectors = append(o.Detectors, o.Detectors[0]) }, []string{"a is listed twice"}},
		"several errors": {func(o *Options) {
			o.Settings = map[string]any{"z": 1, "a": "text"}
			o.Detectors = append(o.Detectors, EventEntry("b", "", func() int { return 1 }, func(int) (Detector, error) {
				return nil, errors.New("window: must be at least 1")
			}))
		}, []string{"detectors.z: no such detector; there are a, b", "detectors.a: options of a are string", "detectors.b: window: must be at least 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			o.Detectors = []Entry{fakeEntry("a", scoredFinding(0), nil)}
			tt.change(&o)
			s, err := NewSuite(o)
			require.Nil(t, s)
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestSettingsReachTheDetector(t *testing.T) {
	var built []int
	entry := EventEntry("a", "", func() fakeOptions { return fakeOptions{Limit: 7} }, func(o fakeOptions) (Detector, error) {
		built = append(built, o.Limit)
		return fakeDetector{name: "a"}, nil
	})
	newTestSuite(t, nil, entry)
	newTestSuite(t, func(o *Options) {
		options := entry.NewOptions().(*fakeOptions)
		options.Limit++
		o.Settings = map[string]any{"a": options}
	}, entry)
	require.Equal(t, []int{7, 8}, built)
}

func TestMetricsOfEachDetector(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	entries := []Entry{fakeEntry("a", scoredFinding(0.7), nil), fakeEntry("brand-new", Finding{NotCheckable: "no"}, nil)}
	m := NewMetrics(reg, Names(entries))
	require.Equal(t, 2*len(schemas.Outcomes()), testutil.CollectAndCount(m.runs), "series exist before the first event")
	clock := time.Unix(0, 0)
	s := newTestSuite(t, func(o *Options) {
		o.Metrics = m
		o.Now = func() time.Time { clock = clock.Add(time.Millisecond); return clock }
	}, entries...)
	for range 3 {
		s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"}).Release()
	}
	require.InDelta(t, 3, testutil.ToFloat64(m.runs.WithLabelValues("a", "fired")), 0)
	require.InDelta(t, 3, testutil.ToFloat64(m.runs.WithLabelValues("brand-new", "not_checkable")), 0)
	families, err := reg.Gather()
	require.NoError(t, err)
	sums := map[string]float64{}
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			if h := metric.GetHistogram(); h != nil {
				require.NotEmpty(t, h.GetBucket(), "classic buckets")
				require.NotNil(t, h.Schema, "native buckets")
				sums[f.GetName()+"/"+metric.GetLabel()[0].GetValue()] = h.GetSampleSum()
			}
		}
	}
	require.InDeltaMapValues(t, map[string]float64{
		"confab_detector_duration_seconds/a": 0.003, "confab_detector_duration_seconds/brand-new": 0.003,
		"confab_detector_score/a": 2.1, "confab_detector_score/brand-new": 0,
	}, sums, 1e-9)
	newTestSuite(t, func(o *Options) { o.Metrics = m }, entries...) // a reloaded suite shares them
}

func TestPooledEvaluationsAreIndependent(t *testing.T) {
	s := newTestSuite(t, nil, fakeFunc("long", func(_ context.Context, d *Document) (Finding, error) {
		return Finding{Score: math.Min(1, float64(len(d.Answer()))/10), Evidence: d.Evidence(Evidence{Start: 0, End: len(d.Answer()), Source: -1})}, nil
	}))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				answer := strings.Repeat("x", 1+(g+i)%10)
				e := s.Evaluate(t.Context(), &schemas.Interaction{ID: answer, Answer: answer})
				f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
				e.Release()
				if f.InteractionID != answer || len(f.Signals) != 1 || (len(answer) >= 5) != (len(f.Fired) == 1) ||
					len(f.Fired) == 1 && f.Signals[0].Evidence[0].Excerpt != answer {
					t.Errorf("flag of %q is %+v", answer, f)
				}
			}
		})
	}
	wg.Wait()
}

// fixedThresholds has one limit for all detectors except those in named; NaN disarms.
type fixedThresholds struct {
	limit float64
	named map[string]float64
	off   map[string]bool
}

func (f fixedThresholds) Threshold(detector, _, _, _ string) (float64, bool) {
	if limit, ok := f.named[detector]; ok {
		return limit, !f.off[detector]
	}
	return f.limit, !f.off[detector]
}

// unsafeString returns a string that shares memory with b, as a decoder does.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// halfBuilt is a shared part of a document, which panics half-way the first time that it is built.
type halfBuilt struct{ words, sum int }

func halfBuiltOf(d *Document, fail *bool) *halfBuilt {
	h, fresh := Scratch[halfBuilt](d)
	if fresh {
		h.words += len(d.Tokens())
		if *fail {
			*fail = false
			panic("half-way")
		}
		h.sum = h.words
	}
	return h
}

// What a panic leaves half built is built again: by the next detectors, and for the next interaction.
func TestPanicLeavesNothingHalfBuilt(t *testing.T) {
	fail := true
	var sums []int
	reader := func(name string) Entry {
		return fakeFunc(name, func(_ context.Context, d *Document) (Finding, error) {
			require.Equal(t, "models", d.Attached())
			sums = append(sums, halfBuiltOf(d, &fail).sum)
			return Finding{}, nil
		})
	}
	s := newTestSuite(t, nil, reader("first"), reader("second"), reader("third"))
	evaluate := func(answer string) []schemas.Outcome {
		e := s.EvaluateWith(t.Context(), &schemas.Interaction{Answer: answer}, "models")
		defer e.Release()
		outcomes := make([]schemas.Outcome, 0, len(e.Readings()))
		for _, r := range e.Readings() {
			outcomes = append(outcomes, r.Outcome)
		}
		return outcomes
	}
	require.Equal(t, []schemas.Outcome{schemas.Failed, schemas.Clear, schemas.Clear}, evaluate("three plain words"))
	require.Equal(t, []int{3, 3}, sums)
}

// Of a detector that panics at every record, one stack a minute is logged.
func TestPanicsAreLoggedOnceAMinute(t *testing.T) {
	var log logtest.Buffer
	now := time.Unix(1000, 0)
	broken := func(name string) Entry {
		return fakeFunc(name, func(context.Context, *Document) (Finding, error) { panic("secret") })
	}
	s := newTestSuite(t, func(o *Options) {
		o.Now = func() time.Time { return now }
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	}, broken("one"), broken("two"))
	lines := func() int { return strings.Count(log.String(), "detector panicked") }
	for range 100 {
		s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"}).Release()
	}
	require.Equal(t, 2, lines(), "one of each")
	now = now.Add(time.Minute)
	for range 100 {
		s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"}).Release()
	}
	require.Equal(t, 4, lines())
	require.NotContains(t, log.String(), "secret")
}
