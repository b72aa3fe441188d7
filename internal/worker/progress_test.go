package worker

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"
)

// The log says soon that records are evaluated, then once a minute what came since; nothing of an idle worker.
func TestLogProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := prometheus.NewRegistry()
		processed := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "confab_events_processed_total"}, []string{"outcome", "role"})
		refused := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "confab_dlq_records_total"}, []string{"reason"})
		var out bytes.Buffer
		w := &worker{Options: Options{Registry: reg, Logger: slog.New(slog.NewTextHandler(&out, nil)), Now: time.Now}}
		ctx, stop := context.WithCancel(t.Context())
		go func() { _ = w.logProgress(ctx) }()
		lines := func(wait time.Duration) string {
			<-time.After(wait)
			synctest.Wait()
			defer out.Reset()
			return out.String()
		}
		require.Empty(t, lines(5*time.Minute), "idle")
		processed.WithLabelValues(outcomeQuiet, "detect").Add(3)
		processed.WithLabelValues(outcomeFlagged, "detect").Add(2)
		processed.WithLabelValues("stored", "alert").Add(2)
		refused.WithLabelValues("syntax").Inc()
		require.Contains(t, lines(11*time.Second), `msg="evaluated records" records=5 flagged=2 alerts_sent=0 dead_letters=1`)
		processed.WithLabelValues(outcomeQuiet, "detect").Inc()
		require.Empty(t, lines(30*time.Second))
		require.Equal(t, 1, strings.Count(lines(time.Hour), "records=1 flagged=0"))
		processed.WithLabelValues(outcomeQuiet, "detect").Add(4)
		stop()
		require.Contains(t, lines(0), "records=4 flagged=0", "what was done since, at stop")
	})
}
