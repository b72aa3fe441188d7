package worker

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/evaluation"
	"confab/internal/logtest"
	"confab/schemas"
	"confab/schemas/json"
)

// calibrationText is a calibration under which citation and grounding fire at the threshold.
func calibrationText(id string, threshold float64) string {
	return fmt.Sprintf(`format: 1
id: %s
thresholds:
  - {detector: citation, threshold: %v, armed: true}
  - {detector: grounding, threshold: %v, armed: true}
`, id, threshold, threshold)
}

// TestReload changes the calibration of a running worker: a batch after the change is measured by the new one, a broken
// file changes only the metric, and a good one resets it.
func TestReload(t *testing.T) {
	b := newWorkerHarness(t)
	file := filepath.Join(t.TempDir(), "calibration.yaml")
	put := func(content string) { require.NoError(t, os.WriteFile(file, []byte(content), 0o600)) }
	put(calibrationText("first", 0.5))
	b.config.CalibrationFile, b.config.Roles = file, []config.Role{config.RoleDetect}
	b.ticks = make(chan time.Time)
	var log logtest.Buffer
	b.log = slog.New(slog.NewTextHandler(&log, nil))
	stop := b.start()
	look := func() { // a content counts once it was seen twice; the third tick says that the second look is over
		for range 3 {
			b.ticks <- time.Time{}
		}
	}
	sent := 0
	next := func() schemas.Flag {
		t.Helper()
		sent++
		b.produce("llm.interactions", fmt.Sprintf(ungrounded, fmt.Sprint("i-", sent)))
		flags := b.read("llm.incidents", sent)
		var f schemas.Flag
		for i := range flags { // of two partitions, in any order
			require.NoError(t, json.DecodeFlag(flags[i].Value, &f))
			if f.InteractionID == fmt.Sprint("i-", sent) {
				return f
			}
		}
		t.Fatal("no flag of the last interaction")
		return f
	}
	successful := func() float64 { return b.metric(t, "confab_config_last_reload_successful") }

	require.Equal(t, "first", next().Calibration)
	require.InDelta(t, 1, successful(), 0)
	look()
	require.Equal(t, "first", next().Calibration, "the same content changes nothing")
	require.NotContains(t, log.String(), "reloaded")

	put("format: 2\n")
	look()
	require.InDelta(t, 0, successful(), 0)
	require.Equal(t, "first", next().Calibration)
	require.Contains(t, log.String(), "format: 2 is newer than this binary reads (1): upgrade confab")
	look()
	require.Equal(t, 1, bytes.Count([]byte(log.String()), []byte("reload rejected")), "once for each refused file")

	other := file + ".new"
	require.NoError(t, os.WriteFile(other, []byte(calibrationText("second", 0.4)), 0o600))
	require.NoError(t, os.Rename(other, file))
	look()
	f := next()
	require.Equal(t, "second", f.Calibration)
	require.InDelta(t, 0.4, f.Signals[0].Threshold, 0)
	require.InDelta(t, 1, successful(), 0)
	require.Positive(t, b.metric(t, "confab_config_last_reload_success_timestamp_seconds"))
	require.NoError(t, stop())
}

// reloaderOf makes a reloader of the files of c.
func reloaderOf(t *testing.T, c *config.Config, log *slog.Logger) *tuningReloader {
	t.Helper()
	v, err := evaluation.NewFast(c, nil, log)
	require.NoError(t, err)
	d := &detectHandler{}
	d.evaluator.Store(v)
	w := &worker{Options: Options{Config: c, Logger: log, Now: time.Now, reloadTick: make(chan time.Time)}}
	w.metrics = w.newMetrics(prometheus.NewRegistry())
	return w.newReloader(&d.evaluator)
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
			r := reloaderOf(t, c, slog.New(slog.DiscardHandler))
			r.check(t.Context())
			require.Equal(t, "one", r.evaluator.Load().Calibration())
			ways.change(t, dir, calibrationText("two", 0.5))
			r.check(t.Context())
			require.Equal(t, "one", r.evaluator.Load().Calibration(), "it may be half written")
			r.check(t.Context())
			require.Equal(t, "two", r.evaluator.Load().Calibration())
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
	const model = `{"format":1,"id":"m-%s"}`
	putModel := func(content string) { require.NoError(t, os.WriteFile(c.ModelFile, []byte(content), 0o600)) }
	writeFile(t, dir, calibrationText("one", 0.5))
	putModel(fmt.Sprintf(model, "1"))
	var log bytes.Buffer
	r := reloaderOf(t, c, slog.New(slog.NewTextHandler(&log, nil)))
	first := r.evaluator.Load()
	for _, tt := range []struct {
		name, says string
		change     func()
	}{
		{"gone", "no such file", func() { require.NoError(t, os.Remove(c.CalibrationFile)) }},
		{"not YAML", "yaml", func() { writeFile(t, dir, "format: [") }},
		{"out of range", "thresholds[0].threshold: 7 is outside 0 to 1", func() { writeFile(t, dir, calibrationText("one", 7)) }},
		{"empty", "the file is empty", func() { writeFile(t, dir, "") }},
		{"a model of a newer format", "the model has format 2", func() { writeFile(t, dir, calibrationText("one", 0.5)); putModel(`{"format":2}`) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log.Reset()
			tt.change()
			r.check(t.Context())
			r.check(t.Context())
			require.Same(t, first, r.evaluator.Load())
			require.Contains(t, log.String(), tt.says)
			require.Contains(t, log.String(), "restore the old one")
		})
	}
	putModel(fmt.Sprintf(model, "2"))
	writeFile(t, dir, calibrationText("one", 0.5)+"model: m-1\ncreated_by: confab calibrate v0\n")
	log.Reset()
	r.check(t.Context())
	r.check(t.Context())
	require.NotSame(t, first, r.evaluator.Load())
	require.Contains(t, log.String(), "fitted with the learned model m-1 and m-2 is in force")
	require.Contains(t, log.String(), "written by")
}

func TestNoReloaderWithoutFiles(t *testing.T) {
	require.Nil(t, reloaderOf(t, config.Default(), slog.New(slog.DiscardHandler)))
}
