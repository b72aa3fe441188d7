package standard

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

// The tests of this file run for every listed detector.

func buildDetector(t testing.TB, e detectors.Entry) detectors.Detector {
	t.Helper()
	d, err := e.New(nil)
	require.NoError(t, err)
	return d
}

func allDetectors(t testing.TB) []detectors.Entry {
	t.Helper()
	m, err := DefaultModel()
	require.NoError(t, err)
	deps := Dependencies{Baselines: typicalBaselines{}, Model: m}
	return append(Fast(deps), Deep(deps)...)
}

func TestStandardIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range allDetectors(t) {
		t.Run(e.Name, func(t *testing.T) {
			require.Regexp(t, `^[a-z][a-z_]*$`, e.Name, "a metric label and a configuration key")
			require.False(t, seen[e.Name], "listed twice")
			seen[e.Name] = true
			require.NotEmpty(t, e.Type)

			options := reflect.ValueOf(e.NewOptions())
			require.Equal(t, reflect.Pointer, options.Kind(), "options are decoded into")
			another := reflect.ValueOf(e.NewOptions())
			require.True(t, options.Elem().Type().Size() == 0 || options.Pointer() != another.Pointer(), "each call returns new options")
			for _, field := range reflect.VisibleFields(options.Elem().Type()) {
				require.NotEmpty(t, field.Tag.Get("yaml"), "option %s has a key", field.Name)
			}
			_, err := e.New(e.NewOptions())
			require.NoError(t, err, "the defaults are valid")
			_, err = e.New("nonsense")
			require.ErrorContains(t, err, e.Name)
		})
	}
	require.NotEmpty(t, seen)
}

// TestDetectorsReadOnly runs every detector twice on one document and requires equal findings.
func TestDetectorsReadOnly(t *testing.T) {
	in := detectortest.Event(3)
	in.ResponseSchema = `{"type":"object"}`
	for _, e := range Fast(Dependencies{}) {
		t.Run(e.Name, func(t *testing.T) {
			d := buildDetector(t, e)
			var doc detectors.Document
			doc.Reset(in)
			first, err := d.Detect(t.Context(), &doc)
			require.NoError(t, err)
			second, err := d.Detect(t.Context(), &doc)
			require.NoError(t, err)
			require.Equal(t, first, second)
			require.Equal(t, detectortest.Event(3).Sources, in.Sources)
			require.Equal(t, detectortest.Event(3).Answer, in.Answer)
		})
	}
}

// TestAllocationBudget requires that no detector allocates on a quiet typical event once its storage has grown.
func TestAllocationBudget(t *testing.T) {
	events := detectortest.Events(16)
	for _, e := range Fast(Dependencies{}) {
		t.Run(e.Name, func(t *testing.T) {
			d := buildDetector(t, e)
			var doc detectors.Document
			run := func() {
				for _, in := range events {
					doc.Reset(in)
					if _, err := d.Detect(t.Context(), &doc); err != nil {
						t.Error(err)
					}
				}
			}
			run()
			require.Zero(t, testing.AllocsPerRun(10, run), "own allocations a quiet event; find them with go test -bench Detectors/%s -benchmem", e.Name)
		})
	}
}

func TestEvaluateAllocatesNothing(t *testing.T) {
	if testing.CoverMode() != "" || raceEnabled {
		t.Skip("instrumented builds drop pooled values at random")
	}
	events := detectortest.Events(16)
	s := standardSuite(t)
	run := func() {
		for _, in := range events {
			s.Evaluate(t.Context(), in).Release()
		}
	}
	run()
	require.Less(t, testing.AllocsPerRun(20, run), 1.0, "own allocations over %d quiet events", len(events))
}

// standardSuite returns a suite of the fast detectors with the default model, threshold 1, and the changes applied.
func standardSuite(t testing.TB, changes ...func(*detectors.Options)) *detectors.Suite {
	t.Helper()
	m, err := DefaultModel()
	require.NoError(t, err)
	return detectortest.NewSuite(t, func(o *detectors.Options) {
		o.Fusion, o.Thresholds = m.Fuser(), detectortest.Thresholds{Limit: 1}
		for _, change := range changes {
			change(o)
		}
	}, Fast(Dependencies{Baselines: typicalBaselines{}, Model: m})...)
}

func TestTypicalEvent(t *testing.T) {
	for seed := range uint64(8) {
		in := detectortest.Event(seed)
		size := len(in.Answer)
		for _, s := range in.Sources {
			size += len(s.Text)
			require.Len(t, strings.Fields(s.Text), 150)
		}
		require.InDelta(t, 6000, size, 1200, "bytes of text")
		require.InDelta(t, 125, len(strings.Fields(in.Answer)), 6)
		e := standardSuite(t).Evaluate(t.Context(), in)
		require.False(t, e.AnyFired(), "%v", e.Fired())
		require.False(t, e.Truncated())
		for _, r := range e.Readings() {
			require.Contains(t, []schemas.Outcome{schemas.Clear, schemas.NotCheckable}, r.Outcome, r.Detector)
		}
		e.Release()
	}
}

// The alert rule knows who a judge is and whom it may overrule.
func TestJudgeAndTextDetectors(t *testing.T) {
	require.ElementsMatch(t, []string{"citation", "grounding", "facts"}, TextDetectors())
	require.Contains(t, detectors.Names(Deep(Dependencies{})), schemas.JudgeDetector)
}
