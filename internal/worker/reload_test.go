package worker

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/logtest"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// calibrationText is a calibration under which citation and facts fire at the threshold.
func calibrationText(id string, threshold float64) string {
	return fmt.Sprintf(`format: 1
id: %s
thresholds:
  - {detector: citation, threshold: %v, armed: true}
  - {detector: facts, threshold: %v, armed: true}
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

// TestReloadConfiguration changes the mounted configuration as a kubelet does, by swapping the link to its directory: policy,
// thresholds and log level change, a faulty file changes nothing, and what needs a restart is named.
func TestReloadConfiguration(t *testing.T) {
	b := newWorkerHarness(t)
	mount, versions := t.TempDir(), 0
	swap := func(text string) {
		versions++
		version := filepath.Join(mount, fmt.Sprint("..v", versions))
		require.NoError(t, os.Mkdir(version, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(version, "confab.yaml"), []byte(text), 0o600))
		require.NoError(t, os.Symlink(filepath.Base(version), filepath.Join(mount, "..data_tmp")))
		require.NoError(t, os.Rename(filepath.Join(mount, "..data_tmp"), filepath.Join(mount, "..data")))
	}
	const common = "kafka: {start_offset: earliest, inputs: [{topic: llm.interactions, tenant_from: payload}]}\nalerting: {console: true, %s}\nroles: [detect, alert]\nsampling: {salt: salt}\nadmin: {listen: \"\"}\n"
	swap(fmt.Sprintf(common, "threshold: 2"))
	require.NoError(t, os.Symlink(filepath.Join("..data", "confab.yaml"), filepath.Join(mount, "confab.yaml")))
	b.file = filepath.Join(mount, "confab.yaml")
	b.reload = func() (*config.Config, error) {
		c, err := config.Load(config.LoadOptions{File: b.file})
		if err == nil {
			c.Kafka.SeedBrokers = b.cluster.Seeds()
		}
		return c, err
	}
	var err error
	b.config, err = b.reload()
	require.NoError(t, err)
	b.ticks = make(chan time.Time)
	var log logtest.Buffer
	level := &slog.LevelVar{}
	b.log, b.level = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level})), level
	stop := b.start()
	look := func() { // a content counts once it was seen twice; the third tick says that the second look is over
		for range 3 {
			b.ticks <- time.Time{}
		}
	}
	sent := 0
	flag := func(id string) schemas.Flag {
		t.Helper()
		sent++
		b.produce("llm.interactions", strings.Replace(fmt.Sprintf(ungrounded, id), "{", `{"tenant":"acme",`, 1))
		return b.readFlags(sent)[id]
	}
	before := flag("before")
	require.True(t, before.Alert)
	require.Equal(t, schemas.ActionLog, before.Action)

	swap(fmt.Sprintf(common, "threshold: 3") + "tenants: {acme: {action: BLOCK}}\ndetectors: {citation: {enabled: false}}\nlog: {level: debug}\nserve: {listen: \"127.0.0.1:1\"}\n")
	look()
	after := flag("after")
	require.False(t, after.Alert, "the alert rule has changed")
	require.Equal(t, schemas.ActionBlock, after.Action)
	require.Equal(t, []string{"facts"}, after.Fired)
	require.Equal(t, slog.LevelDebug, level.Level())
	require.Contains(t, log.String(), "alerting.threshold detectors.citation.enabled log.level tenants.acme.action")
	require.Contains(t, log.String(), `msg="changed settings need a restart" settings=[serve.listen]`)
	require.InDelta(t, 1, b.metric(t, "confab_config_restart_required"), 0)

	swap("alerting: {treshold: 1}\n")
	look()
	require.Contains(t, log.String(), "treshold")
	require.InDelta(t, 0, b.metric(t, "confab_config_last_reload_successful"), 0)
	require.Equal(t, schemas.ActionBlock, flag("kept").Action)

	swap(fmt.Sprintf(common, "threshold: 2"))
	look()
	require.True(t, flag("back").Alert)
	require.InDelta(t, 1, b.metric(t, "confab_config_last_reload_successful"), 0)
	require.InDelta(t, 0, b.metric(t, "confab_config_restart_required"), 0)
	require.Equal(t, slog.LevelInfo, level.Level())
	require.NoError(t, stop())
}
