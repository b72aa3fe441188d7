package load

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds int, ends, lag int64) sample {
	return sample{at: start.Add(time.Duration(seconds) * time.Second), ends: ends, lag: lag}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		samples []sample
		want    time.Duration
		known   bool
	}{
		"nothing is left":           {[]sample{at(0, 100, 0)}, 0, true},
		"the first sample":          {[]sample{at(0, 100, 50)}, 0, false},
		"50 a second, 100 left":     {[]sample{at(0, 100, 100), at(2, 200, 100)}, 2 * time.Second, true},
		"nothing is read":           {[]sample{at(0, 100, 100), at(2, 200, 200)}, 0, false},
		"offsets were reset":        {[]sample{at(0, 100, 0), at(2, 100, 100)}, 0, false},
		"only the window counts":    {[]sample{at(0, 1000, 0), at(20, 1000, 0), at(30, 2000, 900)}, 90 * time.Second, true},
		"a slow clock":              {[]sample{at(0, 100, 100), at(0, 200, 100)}, 0, false},
		"old samples are forgotten": {[]sample{at(0, 100, 100), at(1, 100, 100), at(11, 110, 100), at(12, 120, 100)}, 55 * time.Second, true},
	} {
		var e estimator
		var got time.Duration
		var known bool
		for _, s := range tt.samples {
			got, known = e.add(s)
		}
		require.Equal(t, tt.known, known, name)
		require.Equal(t, tt.want, got, name)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	limits := [2]time.Duration{time.Minute, 5 * time.Minute}
	for _, tt := range []struct {
		present int
		behind  time.Duration
		want    int
	}{
		{LevelNone, 59 * time.Second, LevelNone},
		{LevelNone, time.Minute, LevelBehind},
		{LevelNone, 5 * time.Minute, LevelFar},
		{LevelBehind, 30 * time.Second, LevelBehind},
		{LevelBehind, 29 * time.Second, LevelNone},
		{LevelFar, 150 * time.Second, LevelFar},
		{LevelFar, 149 * time.Second, LevelBehind},
		{LevelFar, 0, LevelNone},
	} {
		require.Equal(t, tt.want, next(tt.present, tt.behind, limits), "%+v", tt)
	}
	limits[1] = limits[0]
	require.Equal(t, LevelFar, next(LevelNone, time.Minute, limits), "equal limits: level 2 at once")
}

// harness is a monitor whose group makes the progress that a test says.
type harness struct {
	*Monitor
	log      bytes.Buffer
	now      time.Time
	progress kafka.GroupProgress
	err      error
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	h := &harness{now: start}
	h.Monitor = NewMonitor(Options{
		Shed: true, Behind: time.Minute, FarBehind: 5 * time.Minute, Group: "g", Registry: prometheus.NewRegistry(),
		Logger:   slog.New(slog.NewTextHandler(&h.log, nil)),
		Progress: func(context.Context, string) (kafka.GroupProgress, error) { return h.progress, h.err },
		Now:      func() time.Time { return h.now },
	})
	return h
}

// after sets what the group has done a second later, and returns the level.
func (h *harness) after(ends, lag int64) int {
	h.now = h.now.Add(time.Second)
	h.progress = kafka.GroupProgress{Ends: ends, Lag: lag}
	h.update(context.Background())
	return h.Level()
}

func TestMonitor(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	require.Equal(t, 0, h.after(1000, 1000))
	require.Equal(t, 1, h.after(1100, 1090), "10 a second, 1090 behind: 109 s")
	h.err = errors.New("no broker")
	require.Equal(t, 1, h.after(0, 0), "the level stays while the cluster does not answer")
	h.err = nil
	require.Equal(t, 0, h.after(1100, 0))
	require.Contains(t, h.log.String(), "level=WARN")
	require.Contains(t, h.log.String(), "confab replay")
	require.Contains(t, h.log.String(), "no broker")
}

func TestOffMeasuresOnly(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.opts.Shed = false
	h.after(1000, 1000)
	require.Equal(t, 0, h.after(1100, 1090))
	require.InDelta(t, 109, testutil.ToFloat64(h.behind), 0.1)
}

func TestRangesAreLogged(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	note := func(partition int32, level int, offsets ...int64) {
		for _, offset := range offsets {
			h.Note("t", partition, offset, level)
		}
	}
	note(0, 0, 1, 2)
	note(0, 1, 3, 4, 6)
	note(1, 1, 100)
	note(0, 2, 7, 8)
	note(0, 0, 9, 10)
	note(1, 1, 50) // read again after a rebalance
	h.ranges.closeAll()
	var got []string
	for line := range strings.Lines(h.log.String()) {
		_, fields, _ := strings.Cut(strings.TrimSpace(line), "topic=t ")
		got = append(got, fields)
	}
	require.Equal(t, []string{
		"partition=0 from=3 to=6 level=1", "partition=0 from=7 to=8 level=2", "partition=1 from=100 to=100 level=1", "partition=1 from=50 to=50 level=1",
	}, got)
}

func TestNilMonitor(t *testing.T) {
	t.Parallel()
	var m *Monitor
	m.Note("t", 0, 1, 0)
	require.Equal(t, 0, m.Level())
}
