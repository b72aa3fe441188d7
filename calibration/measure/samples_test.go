package measure

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

func TestRecordedSamplesAreMeasured(t *testing.T) {
	suite := func(entries []detectors.Entry) *detectors.Suite {
		known, err := calibration.Default()
		require.NoError(t, err)
		s, err := detectors.NewSuite(detectors.Options{
			Detectors: entries, Thresholds: known, Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
		})
		require.NoError(t, err)
		return s
	}
	row := func(answer string, samples ...string) *schemas.Labelled {
		r := &schemas.Labelled{Interaction: schemas.Interaction{Answer: answer}, Labelled: true, Label: 1}
		for _, s := range samples {
			r.Samples = append(r.Samples, schemas.Sample{Answer: s})
		}
		return r
	}
	m := &measureRun{Options: Options{Evaluate: suite(standard.Fast(standard.Dependencies{})).Evaluate}}
	last := func(r Row) Signal { return r.Signals[len(r.Signals)-1] }

	differ := last(m.measure(t.Context(), row("1932", "1940", "1887", "1901", "1950"), "1"))
	require.Equal(t, Signal{Detector: "consistency", Outcome: schemas.Skipped, Score: 1, HasScore: true}, differ)
	agree := last(m.measure(t.Context(), row("1932", "1932", "1932"), "2"))
	require.True(t, agree.HasScore)
	require.Zero(t, agree.Score)
	one := last(m.measure(t.Context(), row("1932", "1932"), "3"))
	require.Equal(t, Signal{Detector: "consistency", Outcome: schemas.NotCheckable}, one)
	require.Len(t, m.measure(t.Context(), row("1932"), "4").Signals, len(standard.Fast(standard.Dependencies{})), "no samples, no signal")

	asks := &measureRun{Options: Options{Evaluate: suite(append(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})...)).Evaluate}}
	require.Len(t, asks.measure(t.Context(), row("1932", "1932", "1932"), "5").Signals, len(standard.Fast(standard.Dependencies{}))+len(standard.Deep(standard.Dependencies{})))

	known, err := calibration.Default()
	require.NoError(t, err)
	fires := m.measure(t.Context(), row("1932", "1940", "1887"), "6")
	require.True(t, fires.FiredBy(known, len(fires.Signals)-1), "judged by the starting limit")
}
