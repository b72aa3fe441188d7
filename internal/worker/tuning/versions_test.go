package tuning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/logtest"
	"confab/internal/worker/incidents"
)

const testTopic = "llm.calibrations"

// testVersion is a version whose detectors fire at the threshold.
func testVersion(id, base, parent string, at time.Time, threshold float64) Version {
	text := "format: 1\nid: " + id + "\nthresholds:\n"
	for _, name := range testDetectors {
		text += fmt.Sprintf("  - {detector: %s, threshold: %v, armed: true}\n", name, threshold)
	}
	return Version{ID: id, Base: base, Parent: parent, At: at, Words: []string{"w"}, Calibration: text}
}

func fetched(t *testing.T, key string, value any) *kafka.FetchedRecord {
	t.Helper()
	m, err := record(testTopic, key, value)
	require.NoError(t, err)
	return &kafka.FetchedRecord{Topic: testTopic, Key: m.Key, Value: m.Value}
}

func newTestTopic(t *testing.T) kafka.Config {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{testTopic: 1}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return kafka.Config{SeedBrokers: c.Seeds()}
}

func write(t *testing.T, k kafka.Config, key string, value any) {
	t.Helper()
	m, err := record(testTopic, key, value)
	require.NoError(t, err)
	require.NoError(t, incidents.Produce(t.Context(), k, m))
}

// TestDamagedRecordsChangeNothing: what is no valid version, choice or refit leaves the state as it was.
func TestDamagedRecordsChangeNothing(t *testing.T) {
	good := testVersion("v1", "base", "", testTime, .5)
	s := new(State)
	require.NoError(t, s.apply(fetched(t, versionPrefix+"v1", good)))
	require.NoError(t, s.apply(fetched(t, keyInForce, Choice{Version: "v1", At: testTime})))
	alter := func(change func(*Version)) *kafka.FetchedRecord {
		v := good
		change(&v)
		return fetched(t, versionPrefix+"v1", v)
	}
	value := func(key, text string) *kafka.FetchedRecord {
		return &kafka.FetchedRecord{Topic: testTopic, Key: []byte(key), Value: []byte(text)}
	}
	for name, r := range map[string]*kafka.FetchedRecord{
		"not JSON":             value(versionPrefix+"v1", "{"),
		"empty":                value(versionPrefix+"v1", ""),
		"two values":           value(keyInForce, `{"version":"v1"} {}`),
		"unknown field":        value(keyInForce, `{"name":"v1"}`),
		"a list":               value(keyRefit, `[]`),
		"told nothing":         value(keyTold, `"soon"`),
		"foreign key":          value("llm", `{}`),
		"no key":               {Topic: testTopic, Value: []byte(`{}`)},
		"another's id":         alter(func(v *Version) { v.ID = "v2" }),
		"another calibration":  alter(func(v *Version) { v.Calibration = testVersion("v2", "", "", testTime, .5).Calibration }),
		"no base":              alter(func(v *Version) { v.Base = "" }),
		"no calibration":       alter(func(v *Version) { v.Calibration = "" }),
		"newer format":         alter(func(v *Version) { v.Calibration = strings.Replace(v.Calibration, "format: 1", "format: 9", 1) }),
		"threshold outside":    alter(func(v *Version) { v.Calibration = strings.Replace(v.Calibration, "0.5", "7", 1) }),
		"threshold not number": alter(func(v *Version) { v.Calibration = strings.Replace(v.Calibration, "0.5", ".nan", 1) }),
		"huge":                 value(versionPrefix+"v1", `{"id":"v1","base":"b","calibration":"`+strings.Repeat("#", 2<<20)+`"}`),
	} {
		require.Error(t, s.apply(r), name)
		require.Equal(t, &good, s.Current(), name)
	}
	require.NoError(t, s.apply(value(keyInForce, `{"version":"unknown","at":"2026-11-23T00:00:00Z"}`)))
	require.Nil(t, s.Current(), "a version that nobody knows is not in force")
	require.NoError(t, s.apply(&kafka.FetchedRecord{Key: []byte(keyInForce)}))
	require.NoError(t, s.apply(&kafka.FetchedRecord{Key: []byte(versionPrefix + "v1")}))
	require.Empty(t, s.List())
}

// TestFilesThatChangeWin: a version holds for the calibration and the model that it was made from.
func TestFilesThatChangeWin(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calibration.yaml")
	put := func(threshold float64) confab.Tuning {
		require.NoError(t, os.WriteFile(file, []byte(testVersion("mine", "", "", testTime, threshold).Calibration), 0o600))
		read, err := confab.ReadTuning(file, "")
		require.NoError(t, err)
		return read
	}
	files := put(.5)
	base, err := BaseOf(files)
	require.NoError(t, err)
	embeddedBase, err := BaseOf(confab.Tuning{})
	require.NoError(t, err)
	require.NotEqual(t, base, embeddedBase)

	v := testVersion("v1", base, "", testTime, .4)
	s := &State{Versions: map[string]*Version{"v1": &v}, InForce: Choice{Version: "v1"}}
	idOver := func(files confab.Tuning) string {
		over, version, err := s.Over(files)
		require.NoError(t, err)
		cal, err := over.ParseCalibration()
		require.NoError(t, err)
		require.Equal(t, version != nil, cal.ID() == "v1")
		return cal.ID()
	}
	require.Equal(t, "v1", idOver(files))
	require.Equal(t, "mine", idOver(put(.6)), "the file has changed since")
	require.Equal(t, "v1", idOver(put(.5)), "it is the old one again")
	require.NotEqual(t, "v1", idOver(confab.Tuning{}))
	_, _, err = s.Over(files.WithCalibration(file, []byte("format: 1\n")))
	require.ErrorContains(t, err, "calibration_file "+file, "a damaged file is reported as without versions")
}

func TestGoBackAndAccept(t *testing.T) {
	k := newTestTopic(t)
	require.ErrorContains(t, Rollback(t.Context(), k, testTopic, testTime), "the calibration file is in force")
	require.ErrorContains(t, Accept(t.Context(), k, testTopic, "v2", testTime), "no such version")
	for i, parent := range []string{"gone", "v0", "v1"} {
		v := testVersion(fmt.Sprint("v", i), "base", parent, testTime.Add(time.Duration(i)*week), .5)
		write(t, k, versionPrefix+v.ID, v)
	}
	write(t, k, keyInForce, Choice{Version: "v1", At: testTime})
	write(t, k, keyRefit, Refit{At: testTime.Add(time.Hour), Outcome: Proposed, Version: "v2"})
	state := func() *State {
		s, err := ReadState(t.Context(), k, testTopic)
		require.NoError(t, err)
		return s
	}
	require.Equal(t, "v2", state().Pending().ID)
	require.Equal(t, "v2", state().List()[0].ID)

	require.NoError(t, Accept(t.Context(), k, testTopic, "v2", testTime.Add(2*time.Hour)))
	require.Equal(t, []any{"v2", false}, []any{state().Current().ID, state().InForce.Held})
	require.Nil(t, state().Pending(), "it is not proposed any more")
	for _, want := range []string{"v1", "v0"} {
		require.NoError(t, Rollback(t.Context(), k, testTopic, testTime.Add(3*time.Hour)))
		require.Equal(t, []any{want, true}, []any{state().Current().ID, state().InForce.Held})
	}
	require.ErrorContains(t, Rollback(t.Context(), k, testTopic, testTime), "gone, before v0, is not kept any more")
	require.NoError(t, Accept(t.Context(), k, testTopic, "v2", testTime.Add(4*time.Hour)))
	require.False(t, state().InForce.Held)
	write(t, k, keyInForce, Choice{Version: "damaged"})
	require.ErrorContains(t, Rollback(t.Context(), k, testTopic, testTime), "damaged, which was put in force, is damaged")
	require.ErrorContains(t, Accept(t.Context(), k, testTopic, "v9", testTime), "v9")
}

// TestFollower: it shows no version of the past while it reads the topic again, and reports damaged records without their content.
func TestFollower(t *testing.T) {
	k := newTestTopic(t)
	write(t, k, versionPrefix+"v1", testVersion("v1", "b", "", testTime, .5))
	write(t, k, keyInForce, Choice{Version: "v1"})
	require.NoError(t, incidents.Produce(t.Context(), k,
		kafka.Message{Topic: testTopic, Key: []byte(versionPrefix + "v1"), Value: []byte(`{"id":"v1","base":"b","calibration":"format: 1\nsecret: 1"}`)},
		kafka.Message{Topic: testTopic, Key: []byte("other"), Value: []byte("secret")}))
	var log logtest.Buffer
	registry := prometheus.NewRegistry()
	f := NewFollower(FollowerOptions{Kafka: k, Topic: testTopic, Registry: registry, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.Nil(t, f.State().Current())
	f.Load(t.Context())
	require.Equal(t, "v1", f.State().Current().ID)
	go func() { _ = f.Run(t.Context()) }()
	write(t, k, versionPrefix+"v2", testVersion("v2", "b", "v1", testTime, .5))
	write(t, k, keyInForce, Choice{Version: "v2"})
	require.Eventually(t, func() bool { return f.State().Current().ID == "v2" }, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, testutil.GatherAndCompare(registry, bytes.NewBufferString(`
# HELP confab_calibration_records_ignored_total Records of kafka.topics.calibrations that do not count, by reason: foreign (an unknown key), unreadable (no valid calibration).
# TYPE confab_calibration_records_ignored_total counter
confab_calibration_records_ignored_total{reason="foreign"} 1
confab_calibration_records_ignored_total{reason="unreadable"} 1
`), "confab_calibration_records_ignored_total"))
	require.Contains(t, log.String(), "partition=0 offset=2")
	require.Contains(t, log.String(), "confab tune --versions")

	var none *Follower
	require.Nil(t, none.State().Current())
	missing := NewFollower(FollowerOptions{Kafka: k, Topic: "none", Registry: prometheus.NewRegistry(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	missing.Load(t.Context())
	require.Nil(t, missing.State().Current())
	require.Contains(t, log.String(), "create the topic with `confab topics apply`")
}

func TestRecordsAreBounded(t *testing.T) {
	v := testVersion("v1", "b", "", testTime, .5)
	v.Calibration += strings.Repeat("#", maxRecordBytes)
	_, err := record(testTopic, versionPrefix+"v1", v)
	require.ErrorContains(t, err, "remove thresholds of single tenants")
	m, err := record(testTopic, keyInForce, Choice{Version: "v1", At: testTime, Held: true})
	require.NoError(t, err)
	require.True(t, json.Valid(m.Value))
}
