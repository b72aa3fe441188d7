package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"
)

func TestEmbeddedSamplesAreValid(t *testing.T) {
	story, err := readSamples(embeddedSamples)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(story), 12)
	for _, s := range story {
		require.NotEmpty(t, s.Title)
		_, first, err := s.record(0, time.Time{})
		require.NoError(t, err)
		_, second, err := s.record(1, time.Time{})
		require.NoError(t, err)
		if s.Interaction != nil {
			require.NotEqual(t, first, second, "a second round has ids of its own")
		}
	}
}

func TestReadSamplesNamesTheBadLine(t *testing.T) {
	_, err := readSamples([]byte("{}\nnot json\n"))
	require.ErrorContains(t, err, "line 2")
	_, err = readSamples(nil)
	require.ErrorContains(t, err, "there are none")
}

func TestDemoEndsWithTheWorkersError(t *testing.T) {
	broken := errors.New("no worker")
	_, err := Run(t.Context(), Options{
		Out: io.Discard, Once: true, Topics: map[string]int32{"in": 1, "out": 1}, Input: "in", Results: []string{"out"},
		Run: func(context.Context, []string, io.Writer) error { return broken },
	})
	require.ErrorIs(t, err, broken)
}

func TestDemoInterruptedPrintsTheSummary(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	_, err := Run(ctx, Options{
		Out: &out, Topics: map[string]int32{"in": 1, "out": 1}, Input: "in", Results: []string{"out"},
		Run: func(ctx context.Context, _ []string, _ io.Writer) error { cancel(); <-ctx.Done(); return nil },
	})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(out.String(), "0 flagged, 0 alerted, 0 dead letters\n"), out.String())
}

func TestAllDelivered(t *testing.T) {
	registry := prometheus.NewRegistry()
	_, err := AllDelivered(registry)
	require.ErrorContains(t, err, "confab_alert_pending_incidents")
	pending := promauto.With(registry).NewGauge(prometheus.GaugeOpts{Name: "confab_alert_pending_incidents"})
	for value, want := range map[float64]bool{0: true, 2: false} {
		pending.Set(value)
		done, err := AllDelivered(registry)
		require.NoError(t, err)
		require.Equal(t, want, done)
	}
}
