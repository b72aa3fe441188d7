package ui

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
)

// BenchmarkPage reads 20,000 flags of the samples through Kafka into memory, asks for the list meanwhile, and then asks
// for whole pages over HTTP.
func BenchmarkPage(b *testing.B) {
	const flags = 20_000
	var p *testPage
	change := func(c *config.Config) { c.UI.Flags = flags }
	p = startPage(b, change)
	_, samples := sampleMessages(b, p.config, nil)
	begin, stop := time.Now(), make(chan struct{})
	var lists []time.Duration
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
			asked := time.Now()
			if p.get("/incidents").status == http.StatusOK {
				lists = append(lists, time.Since(asked))
			}
		}
	})
	var incident string
	for from := 0; from < flags; from += 1000 {
		batch := make([]kafka.Message, 1000)
		for i := range batch {
			f := samples[(from+i)%len(samples)]
			incident = fmt.Sprintf("%016x%048x", uint64(from+i)*0x9E3779B97F4A7C15, from+i)
			f.IncidentID, f.InteractionID = incident, fmt.Sprint("i-", from+i)
			f.Service, f.Model = fmt.Sprint("service-", i%20), fmt.Sprint("model-", i%7)
			f.DetectedAt = begin.Add(-time.Duration(flags-from-i) * time.Second)
			batch[i] = flagMessage(b, p.config, &f)
		}
		kafkatest.Write(b, p.kafka, batch...)
	}
	for p.server.store.size() < flags {
		time.Sleep(10 * time.Millisecond) //nolint:forbidigo // a benchmark
	}
	close(stop)
	asking.Wait()
	require.NotEmpty(b, lists)
	slices.Sort(lists)
	rate := flags / time.Since(begin).Seconds()
	b.Run("input", func(b *testing.B) { // measured above; a benchmark with parts prints no log
		for b.Loop() {
		}
		b.ReportMetric(rate, "flags/s")
		b.ReportMetric(float64(lists[len(lists)/2].Milliseconds()), "list-p50-ms")
		b.ReportMetric(float64(lists[len(lists)*99/100].Milliseconds()), "list-p99-ms")
	})
	for _, path := range []string{
		"/incidents", "/incidents?service=service-3&model=model-2", "/incidents?detector=citation", "/incidents/" + incident, "/trends", "/review",
	} {
		b.Run(path[:min(len(path), 40)], func(b *testing.B) {
			for b.Loop() {
				require.Equal(b, http.StatusOK, p.get(path).status)
			}
		})
	}
}
