package worker

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors/standard"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

// reloaderOf makes a reloader of the files of c.
func reloaderOf(t *testing.T, c *config.Config, log *slog.Logger) (*reloader, *atomic.Pointer[confab.Evaluator]) {
	t.Helper()
	v, err := evaluation.NewFast(c, nil, log)
	require.NoError(t, err)
	var e atomic.Pointer[confab.Evaluator]
	e.Store(v)
	r := newReloader(reloadOptions{Config: c, Logger: log, Now: time.Now, Metrics: newReloadMetrics(prometheus.NewRegistry(), time.Now)})
	r.Add(evaluatorTarget(&e, func(c *config.Config) (confab.Options, error) { return evaluation.FastOptions(c, nil, log) }))
	return r, &e
}

// TestReloadDetectsEveryKindOfChange: a new content is applied after it was read twice.
func TestReloadDetectsEveryKindOfChange(t *testing.T) {
	for name, ways := range map[string]struct {
		lay, change func(t *testing.T, dir, content string)
	}{
		"written over": {writeFile, writeFile},
		"renamed over": {writeFile, func(t *testing.T, dir, content string) {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "tmp"), []byte(content), 0o600))
			require.NoError(t, os.Rename(filepath.Join(dir, "tmp"), filepath.Join(dir, "calibration.yaml")))
		}},
		"removed, then written": {writeFile, func(t *testing.T, dir, content string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Join(dir, "calibration.yaml")))
			writeFile(t, dir, content)
		}},
		"a ConfigMap's swap": {writeConfigMap, writeConfigMap},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ways.lay(t, dir, calibrationText("one", 0.5))
			c := config.Default()
			c.CalibrationFile = filepath.Join(dir, "calibration.yaml")
			r, e := reloaderOf(t, c, slog.New(slog.DiscardHandler))
			r.check(t.Context())
			require.Equal(t, "one", e.Load().Calibration())
			ways.change(t, dir, calibrationText("two", 0.5))
			r.check(t.Context())
			require.Equal(t, "one", e.Load().Calibration(), "it may be half written")
			r.check(t.Context())
			require.Equal(t, "two", e.Load().Calibration())
		})
	}
}

func writeFile(t *testing.T, dir, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "calibration.yaml"), []byte(content), 0o600))
}

// writeConfigMap writes like a kubelet: a directory per version, a link to it, and links through that one.
func writeConfigMap(t *testing.T, dir, content string) {
	t.Helper()
	there, err := os.ReadDir(dir)
	require.NoError(t, err)
	version := filepath.Join(dir, fmt.Sprint("..v", len(there)))
	require.NoError(t, os.Mkdir(version, 0o700))
	writeFile(t, version, content)
	require.NoError(t, os.Symlink(filepath.Base(version), filepath.Join(dir, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	if _, err := os.Lstat(filepath.Join(dir, "calibration.yaml")); err != nil {
		require.NoError(t, os.Symlink(filepath.Join("..data", "calibration.yaml"), filepath.Join(dir, "calibration.yaml")))
	}
}

func TestReloadKeepsTheLastGoodFiles(t *testing.T) {
	dir := t.TempDir()
	c := config.Default()
	c.CalibrationFile, c.ModelFile = filepath.Join(dir, "calibration.yaml"), filepath.Join(dir, "model.json")
	model := fmt.Sprintf(`{"format":%d,"id":"m-%%s"}`, standard.ModelFormat)
	putModel := func(content string) { require.NoError(t, os.WriteFile(c.ModelFile, []byte(content), 0o600)) }
	writeFile(t, dir, calibrationText("one", 0.5))
	putModel(fmt.Sprintf(model, "1"))
	var log bytes.Buffer
	r, e := reloaderOf(t, c, slog.New(slog.NewTextHandler(&log, nil)))
	first := e.Load()
	for _, tt := range []struct {
		name, says string
		change     func()
	}{
		{"gone", "no such file", func() { require.NoError(t, os.Remove(c.CalibrationFile)) }},
		{"not YAML", "yaml", func() { writeFile(t, dir, "format: [") }},
		{"out of range", "thresholds[0].threshold: 7 is outside 0 to 1", func() { writeFile(t, dir, calibrationText("one", 7)) }},
		{"empty", "the file is empty", func() { writeFile(t, dir, "") }},
		{"a model of a newer format", "the model has format 99", func() { writeFile(t, dir, calibrationText("one", 0.5)); putModel(`{"format":99}`) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log.Reset()
			tt.change()
			r.check(t.Context())
			r.check(t.Context())
			require.Same(t, first, e.Load())
			require.Contains(t, log.String(), tt.says)
			require.Contains(t, log.String(), "restore the old one")
		})
	}
	putModel(fmt.Sprintf(model, "2"))
	writeFile(t, dir, calibrationText("one", 0.5)+"model: m-1\ncreated_by: confab tune v0\n")
	log.Reset()
	r.check(t.Context())
	r.check(t.Context())
	require.NotSame(t, first, e.Load())
	require.Contains(t, log.String(), "fitted with the learned model m-1 and m-2 is in force")
	require.Contains(t, log.String(), "written by")
}

// A file under which no rule can hold is put in force, named in the log and counted.
func TestUnreachableRulesAreNamed(t *testing.T) {
	dir := t.TempDir()
	c := config.Default()
	c.CalibrationFile = filepath.Join(dir, "calibration.yaml")
	c.Alerting.MinRisk = new(0.5)
	writeFile(t, dir, calibrationText("one", 0.5)+riskMap())
	var log bytes.Buffer
	r, e := reloaderOf(t, c, slog.New(slog.NewTextHandler(&log, nil)))
	unreachable := func() float64 { return testutil.ToFloat64(r.o.Metrics.unreachable) }
	require.Zero(t, unreachable())
	writeFile(t, dir, calibrationText("two", 0.5))
	r.check(t.Context())
	r.check(t.Context())
	require.Equal(t, "two", e.Load().Calibration())
	require.Contains(t, log.String(), "alert rule can never hold")
	require.InDelta(t, 1, unreachable(), 0, "the minimum without a risk")
	writeFile(t, dir, calibrationText("three", 0.5)+riskMap())
	r.check(t.Context())
	r.check(t.Context())
	require.Zero(t, unreachable())
}

// Without files there is nothing to follow: Run waits for its end.
func TestNothingToFollow(t *testing.T) {
	r, _ := reloaderOf(t, config.Default(), slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, r.Run(ctx))
}

// Hot settings are copied, all others need a restart.
func TestHotSettings(t *testing.T) {
	load := func(text string) *config.Config {
		file := filepath.Join(t.TempDir(), "confab.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		c, err := config.Load(config.LoadOptions{File: file})
		require.NoError(t, err)
		return c
	}
	const changed = `
alerting: {preset: by_detector, threshold: 1, min_risk: 0.5, weights: {schema: 2}, muted: [facts], high: {min_risk: 0.8}}
recommendation: {flag: 0.2, block: 0.9}
limits: {max_sources: 10}
flags: {excerpts: none}
skip_operations: [poem]
log: {level: warn}
detectors: {facts: {enabled: false}}
tenants: {acme: {action: BLOCK, alerting: {threshold: 5}, limits: {max_sources: 5}, recommendation: {flag: 0.1}, llm: {opt_out: true}}}
`
	running, loaded := config.Default(), load(changed+"workers: 7\nkafka: {client_id: other}\n")
	loaded.Alerting.Channel, loaded.CalibrationFile, loaded.ModelFile, loaded.SchemasDir = "C1", "calibration.yaml", "model.json", "schemas"
	next, applied, cold, err := merge(running, loaded)
	require.NoError(t, err)
	require.Equal(t, []string{"kafka.client_id", "tenants.acme.llm.opt_out", "workers"}, cold)
	require.Equal(t, []string{
		"alerting.channel", "alerting.high.min_risk", "alerting.min_risk", "alerting.muted", "alerting.preset", "alerting.threshold", "alerting.weights.schema",
		"calibration_file", "detectors.facts.enabled", "flags.excerpts", "limits.max_sources", "log.level", "model_file", "recommendation.block",
		"recommendation.flag", "schemas_dir", "skip_operations", "tenants.acme.action", "tenants.acme.alerting.threshold",
		"tenants.acme.limits.max_sources", "tenants.acme.recommendation.flag",
	}, applied)
	require.Equal(t, running.Workers, next.Workers)
	_, again, rest, err := merge(next, loaded)
	require.NoError(t, err)
	require.Empty(t, again, "every hot setting is in force")
	require.Equal(t, cold, rest)
}
