package evaluation_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/internal/datatest"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/livetest"
	"confab/schemas"
	"confab/schemas/json"
)

// lower is a calibration whose thresholds are all 0.3, and strict one whose citation is not armed.
func lower(t *testing.T) string {
	return livetest.Calibration(t, func(text string) string {
		return regexp.MustCompile(`(?m)^    threshold: .*$`).ReplaceAllString(text, "    threshold: 0.3")
	})
}

func strict(t *testing.T) string {
	return livetest.Calibration(t, func(text string) string { return strings.Replace(text, "armed: true", "armed: false", 1) })
}

func newEvaluator(t *testing.T, calibration string) *confab.Evaluator {
	t.Helper()
	c := config.Default()
	c.CalibrationFile = calibration
	v, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	return v
}

// What a second calibration makes of the findings is what measuring with it gives, and the evaluation stays as it was.
func TestJudgeByIsMeasuringAgain(t *testing.T) {
	v := newEvaluator(t, "")
	at := time.Unix(1_700_000_000, 0)
	changed := 0
	for _, other := range []*confab.Evaluator{newEvaluator(t, lower(t)), newEvaluator(t, strict(t))} {
		for _, line := range datatest.Rows(t, "ragtruth")[:60] {
			var row schemas.Labelled
			require.NoError(t, json.DecodeLabelled(line, &row))
			e := v.Suite.Evaluate(t.Context(), &row.Interaction)
			before := v.Flag(e, schemas.Origin{}, at)
			fired, risk := e.JudgeBy(other.Suite)
			fired = append([]string{}, fired...)
			require.Equal(t, before, v.Flag(e, schemas.Origin{}, at))
			e.Release()
			again := other.Suite.Evaluate(t.Context(), &row.Interaction)
			want := other.Flag(again, schemas.Origin{}, at)
			again.Release()
			require.Equal(t, want.Fired, fired)
			if len(fired) > 0 {
				require.Equal(t, want.Risk, risk)
			}
			if len(before.Fired) != len(fired) {
				changed++
			}
		}
	}
	require.Greater(t, changed, 10)
}

func TestDifferencesAreCounted(t *testing.T) {
	v, reg := newEvaluator(t, ""), prometheus.NewRegistry()
	c := config.Default()
	for name, d := range c.Detectors {
		d.Enabled = name == "citation" || name == "grounding"
	}
	j, err := evaluation.NewShadow(c, reg, func(c *config.Config) (confab.Options, error) { return evaluation.FastOptions(c, nil, nil) })
	require.NoError(t, err)
	observe := func(text string) {
		in := &schemas.Interaction{}
		require.NoError(t, json.NewDecoder(json.Options{}).Decode(fmt.Appendf(nil, text, "i"), in))
		e := v.Suite.Evaluate(t.Context(), in)
		defer e.Release()
		if !e.AnyFired() {
			j.Observe(e, v.Policy, nil)
			return
		}
		f := v.Flag(e, schemas.Origin{}, time.Now())
		j.Observe(e, v.Policy, &f)
	}
	load := func(file string) {
		c.ShadowCalibrationFile = file
		commit, err := j.Reload(c, confab.Tuning{})
		require.NoError(t, err)
		commit()
	}
	requireCounts := func(want string) {
		t.Helper()
		names := []string{"confab_shadow_verdicts_total", "confab_shadow_detectors_total"}
		require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(metricsHelp+want), names...))
	}
	load("")
	observe(livetest.Ungrounded)
	requireCounts(counts(map[string]int{}))

	load(strict(t))
	observe(livetest.Ungrounded)
	observe(livetest.Grounded)
	want := map[string]int{"alert lost": 1, "alert none": 1, "flag none": 2, "block none": 1, "block lost": 1, "citation lost": 1}
	requireCounts(counts(want))

	load("")
	observe(livetest.Ungrounded)
	requireCounts(counts(want))
	c.ShadowCalibrationFile = t.TempDir() + "/missing.yaml"
	_, err = j.Reload(c, confab.Tuning{})
	require.ErrorContains(t, err, "shadow_calibration_file: open ")
}

const metricsHelp = `# HELP confab_shadow_detectors_total Detectors that fire by one calibration only: gained by shadow_calibration_file, or lost.
# TYPE confab_shadow_detectors_total counter
# HELP confab_shadow_verdicts_total Interactions judged by shadow_calibration_file too, by verdict (flag, alert, block) and what it would change: none, gained, lost.
# TYPE confab_shadow_verdicts_total counter
`

// counts are the series, of which those of want are not 0.
func counts(want map[string]int) string {
	var b strings.Builder
	for _, detector := range []string{"citation", "grounding"} {
		for _, change := range []string{"gained", "lost"} {
			fmt.Fprintf(&b, "confab_shadow_detectors_total{change=%q,detector=%q} %d\n", change, detector, want[detector+" "+change])
		}
	}
	for _, verdict := range []string{"flag", "alert", "block"} {
		for _, change := range []string{"none", "gained", "lost"} {
			fmt.Fprintf(&b, "confab_shadow_verdicts_total{change=%q,verdict=%q} %d\n", change, verdict, want[verdict+" "+change])
		}
	}
	return b.String()
}

// The worker writes what the calibration in force decides, and counts what the second one would.
func TestWorkerJudgesTwice(t *testing.T) {
	file := lower(t)
	s := livetest.New(t, func(c *config.Config) { c.ShadowCalibrationFile = file })
	s.Produce(t, 0, fmt.Sprintf(livetest.Grounded, "good"), fmt.Sprintf(livetest.Ungrounded, "bad"))
	s.Run(t)
	require.Len(t, s.Read(t, "llm.incidents"), 1)
	families, err := s.Registry.Gather()
	require.NoError(t, err)
	total := 0.0
	for _, f := range families {
		if f.GetName() == "confab_shadow_verdicts_total" {
			for _, m := range f.GetMetric() {
				total += m.GetCounter().GetValue()
			}
		}
	}
	require.InDelta(t, 6, total, 0, "two interactions, three verdicts")
}
