package worker

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/internal/kafka"
	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
	"confab/internal/worker/tuning"
	"confab/schemas"
	"confab/schemas/json"
)

// learn makes the topic of versions.
func (b *workerHarness) learn() {
	b.t.Helper()
	b.config.Tuning.Auto = config.TuningApply
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(b.t, err)
	defer admin.Close()
	_, _, err = admin.ApplyTopics(b.t.Context(), resources.TopicSpecs(b.config, resources.Sizing{Partitions: 2}))
	require.NoError(b.t, err)
}

func (b *workerHarness) putVersion(key string, value any) {
	b.t.Helper()
	text, err := stdjson.Marshal(value)
	require.NoError(b.t, err)
	b.putRaw(key, text)
}

func (b *workerHarness) putRaw(key string, text []byte) {
	b.t.Helper()
	require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{Topic: "llm.calibrations", Key: []byte(key), Value: text}))
}

// replica is another worker with the same configuration and cluster.
func (b *workerHarness) replica() *workerHarness {
	other := *b
	other.registry = prometheus.NewRegistry()
	return &other
}

// calibrations are those of flags of new answers, in every partition.
func (b *workerHarness) calibrations(sent *int) map[string]bool {
	b.t.Helper()
	for p := range int32(2) {
		*sent++
		require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
			Topic: "llm.interactions", Partition: p, Value: fmt.Appendf(nil, ungrounded, fmt.Sprint("i-", *sent)),
		}))
	}
	ids := map[string]bool{}
	for _, r := range b.read("llm.incidents", *sent) {
		var f schemas.Flag
		require.NoError(b.t, json.DecodeFlag(r.Value, &f))
		if f.InteractionID == fmt.Sprint("i-", *sent) || f.InteractionID == fmt.Sprint("i-", *sent-1) {
			ids[f.Calibration] = true
		}
	}
	return ids
}

// TestReplicasFollowVersions: both replicas have the version in force, whether their file can be written or not. A damaged or foreign
// record changes nothing, going back has an effect at once, and a file that a person changes wins.
func TestReplicasFollowVersions(t *testing.T) {
	b := newWorkerHarness(t)
	b.learn()
	file := filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(file, []byte(calibrationText("file", 0.5)), 0o400))
	b.config.CalibrationFile, b.config.Roles = file, []config.Role{config.RoleDetect}
	files, err := confab.ReadTuning(file, "")
	require.NoError(t, err)
	base, err := tuning.BaseOf(files)
	require.NoError(t, err)
	version := func(id, parent string) tuning.Version {
		return tuning.Version{ID: id, Base: base, Parent: parent, At: time.Now(), Calibration: calibrationText(id, 0.4)}
	}
	b.putVersion("version/v1", version("v1", ""))
	b.putVersion("in_force", tuning.Choice{Version: "v1", At: time.Now()})

	first, second := b.replica(), b.replica()
	first.start()
	second.start()
	sent := 0
	follows := func(want string) {
		t.Helper()
		eventually(t, func() bool {
			ids := b.calibrations(&sent)
			return len(ids) == 1 && ids[want]
		}, time.Minute, 10*time.Millisecond, "both measure by %s", want)
	}
	require.Equal(t, map[string]bool{"v1": true}, b.calibrations(&sent), "from the first answer on")
	eventually(t, func() bool {
		return first.metric(t, "confab_events_processed_total") > 0 && second.metric(t, "confab_events_processed_total") > 0 || len(b.calibrations(&sent)) == 0
	}, time.Minute, 10*time.Millisecond, "each has a partition")

	b.putVersion("version/v2", version("v2", "v1"))
	b.putVersion("in_force", tuning.Choice{Version: "v2", At: time.Now()})
	follows("v2")
	b.putRaw("version/v2", []byte(`{"id":"v2","base":"`+base+`","calibration":"format: 1\nthresholds: 7"}`))
	b.putRaw("garbage", []byte{0xff})
	for _, r := range []*workerHarness{first, second} {
		eventually(t, func() bool {
			return r.metric(t, "confab_calibration_records_ignored_total", "reason", "unreadable") == 1 &&
				r.metric(t, "confab_calibration_records_ignored_total", "reason", "foreign") == 1
		}, time.Minute, 10*time.Millisecond)
	}
	require.Equal(t, map[string]bool{"v2": true}, b.calibrations(&sent))

	require.NoError(t, tuning.Rollback(t.Context(), b.kafka, "llm.calibrations", time.Now()))
	follows("v1")

	require.NoError(t, os.Rename(newFile(t, calibrationText("mine", 0.6)), file))
	follows("mine")
	require.NoError(t, os.Rename(newFile(t, calibrationText("file", 0.5)), file))
	follows("v1")
}

func newFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "new.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o400))
	return name
}

// TestWorkerLearns: the judge's verdicts on last day's answers change the calibration of a running worker, on-call is told, and the way
// back is one call.
func TestWorkerLearns(t *testing.T) {
	b, _ := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.learn()
	b.config.Tuning.Every = 24 * time.Hour
	b.refits = make(chan time.Time)
	began := time.Now()
	until := began.UTC().Truncate(24 * time.Hour)
	b.now = func() time.Time { return until.Add(12*time.Hour + time.Since(began)) } // or the window ends during the test
	for i := range 600 {
		f := schemas.Flag{
			IncidentID: fmt.Sprintf("%064x", i), InteractionID: fmt.Sprint("old-", i), ConversationID: fmt.Sprint(i), Pass: schemas.PassDeep,
			Tenant: schemas.DefaultTenant, DetectedAt: until.Add(-time.Hour), Sampled: true, SampleProbability: 1,
		}
		score, second, verdict := .1, .1, schemas.Clear
		if i%4 == 0 {
			score, second, verdict = .9, .9, schemas.Fired
		}
		if i%8 == 2 {
			score = .52
		}
		for name, score := range map[string]float64{"citation": score, "facts": second} {
			f.Signals = append(f.Signals, schemas.Signal{Detector: name, Outcome: schemas.Clear, Score: score})
		}
		f.Signals = append(f.Signals, schemas.Signal{Detector: schemas.JudgeDetector, Outcome: verdict})
		value, err := json.AppendFlag(nil, &f)
		require.NoError(t, err)
		require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.incidents", Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value}))
		if i%2 == 0 {
			verdict := map[schemas.Outcome]schemas.HumanVerdict{schemas.Fired: schemas.Wrong, schemas.Clear: schemas.Fine}[verdict]
			b.label(f.IncidentID, verdict)
		}
	}
	stop := b.start()
	state := func() *tuning.State {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		s, err := tuning.ReadState(ctx, b.kafka, "llm.calibrations")
		require.NoError(t, err)
		return s
	}
	eventually(t, func() bool {
		select {
		case b.refits <- time.Time{}:
		case <-time.After(time.Second):
		}
		return state().Refit.Outcome != ""
	}, time.Minute, 100*time.Millisecond, "the owner of the partition refits")
	s := state()
	require.Contains(t, []tuning.Outcome{tuning.Applied, tuning.Proposed}, s.Refit.Outcome, s.Refit.Words)
	require.InDelta(t, 1, b.metric(t, "confab_tuning_refits_total", "outcome", string(s.Refit.Outcome)), 0)
	eventually(t, func() bool { return state().Told.Equal(s.Refit.At) }, time.Minute, 100*time.Millisecond, "on-call is told")
	require.Contains(t, b.console.String(), "NOTICE")
	require.Contains(t, b.console.String(), s.Refit.Version)
	require.NoError(t, stop())
}
