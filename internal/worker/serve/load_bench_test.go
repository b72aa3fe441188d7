package serve

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"confab"
	"confab/internal/datatest"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/schemas"
	"confab/schemas/json"
)

// benchRows are interactions of labelled rows as JSON.
func benchRows(b *testing.B) (rows [][]byte) {
	b.Helper()
	for _, line := range datatest.Rows(b, "ragtruth")[:500] {
		var row struct {
			Interaction stdjson.RawMessage `json:"interaction"`
		}
		require.NoError(b, stdjson.Unmarshal(line, &row))
		rows = append(rows, row.Interaction)
	}
	return rows
}

// BenchmarkCheck measures requests over loopback by the number of connections, at full load and at 200 requests a second,
// with the bare evaluation for comparison. Its metrics are latencies in microseconds.
func BenchmarkCheck(b *testing.B) {
	rows := benchRows(b)
	c := config.Default()
	options, err := evaluation.FastOptions(c, nil, nil)
	require.NoError(b, err)
	evaluator, err := evaluation.New(c, options)
	require.NoError(b, err)
	b.Run("evaluation", func(b *testing.B) {
		decoder := json.NewDecoder(json.Options{})
		for i := range b.N {
			var in schemas.Interaction
			require.NoError(b, decoder.Decode(rows[i%len(rows)], &in))
			_ = evaluator.Evaluate(context.Background(), &in, schemas.Origin{}, time.Now())
		}
	})
	var current atomic.Pointer[confab.Evaluator]
	current.Store(evaluator)
	s, err := New(Options{
		Config: c, Evaluator: &current, Registry: prometheus.NewRegistry(), Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(b, err)
	server := httptest.NewServer(s.Handler())
	b.Cleanup(server.Close)
	for _, connections := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) { load(b, server.URL, rows, connections, rate.Inf) })
	}
	b.Run("rate=200", func(b *testing.B) { load(b, server.URL, rows, 8, 200) })
}

func load(b *testing.B, url string, rows [][]byte, connections int, limit rate.Limit) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	pace := rate.NewLimiter(limit, 1)
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	done := make(chan error, connections)
	b.ResetTimer()
	for range connections {
		go func() {
			for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
				if err := pace.Wait(context.Background()); err != nil {
					done <- err
					return
				}
				began := time.Now()
				resp, err := client.Post(url+"/v1/check", "application/json", bytes.NewReader(rows[i%len(rows)])) //nolint:noctx // a benchmark
				if err != nil {
					done <- err
					return
				}
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if took[i] = time.Since(began); err != nil || resp.StatusCode != http.StatusOK {
					done <- fmt.Errorf("status %d: %w", resp.StatusCode, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range connections {
		require.NoError(b, <-done)
	}
	b.StopTimer()
	slices.Sort(took)
	for _, p := range []float64{0.5, 0.99, 0.999} {
		b.ReportMetric(float64(took[int(p*float64(len(took)-1))].Microseconds()), fmt.Sprintf("p%g-us", p*100))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}
