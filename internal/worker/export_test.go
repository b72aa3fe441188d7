package worker

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"confab/internal/kafka"
	"confab/internal/logtest"
	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// collector receives OTLP. Its fault is asked for every request: true means that it wrote a reply.
type collector struct {
	*httptest.Server
	fault atomic.Pointer[func(w http.ResponseWriter, incidents []string) bool]
	tries atomic.Int32

	mu      sync.Mutex
	decoded map[string]string // spans of the request that fault is asked about
	events  map[string]string // incident by event id
	spans   map[string]string // incident by trace and span id
	count   map[string]int    // receipts of an incident's risk or span
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{events: map[string]string{}, spans: map[string]string{}, count: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) fail(f func(w http.ResponseWriter, incidents []string) bool) { c.fault.Store(&f) }

func (c *collector) serve(w http.ResponseWriter, r *http.Request) {
	c.tries.Add(1)
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	raw, _ := io.ReadAll(z)
	events, spans, incidents := decodeOTLP(r.URL.Path, raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decoded = spans
	if fault := c.fault.Load(); fault != nil && (*fault)(w, incidents) {
		return
	}
	c.keep(events, spans, incidents)
}

func (c *collector) keep(events, spans map[string]string, incidents []string) {
	maps.Copy(c.events, events)
	maps.Copy(c.spans, spans)
	for _, incident := range incidents {
		c.count[incident]++
	}
}

func (c *collector) incidents() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.count)
}

// decodeOTLP reads a request by the official types.
func decodeOTLP(path string, raw []byte) (events, spans map[string]string, incidents []string) {
	events, spans = map[string]string{}, map[string]string{}
	if path == "/v1/logs" {
		var all logspb.LogsData
		if proto.Unmarshal(raw, &all) == nil && len(all.GetResourceLogs()) > 0 {
			for _, r := range all.GetResourceLogs()[0].GetScopeLogs()[0].GetLogRecords() {
				incident := keyValue(r.GetAttributes(), "confab.incident_id")
				events[keyValue(r.GetAttributes(), "log.record.uid")] = incident
				incidents = append(incidents, incident)
			}
		}
	} else {
		var all tracepb.TracesData
		if proto.Unmarshal(raw, &all) == nil && len(all.GetResourceSpans()) > 0 {
			for _, s := range all.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() {
				incident := keyValue(s.GetAttributes(), "confab.incident_id")
				spans[hex.EncodeToString(s.GetTraceId())+hex.EncodeToString(s.GetSpanId())] = incident
				incidents = append(incidents, incident)
			}
		}
	}
	slices.Sort(incidents)
	return events, spans, slices.Compact(incidents)
}

func keyValue(all []*commonpb.KeyValue, key string) string {
	for _, kv := range all {
		if kv.GetKey() == key {
			return kv.GetValue().GetStringValue()
		}
	}
	return ""
}

// newExportHarness is a worker with the role export alone.
func newExportHarness(t *testing.T, logs, traces *collector) *workerHarness {
	t.Helper()
	b := newWorkerHarness(t)
	b.config.Alerting.Console, b.config.Roles = false, []config.Role{config.RoleExport}
	if logs != nil {
		b.config.Export.Logs.URL = logs.URL
	}
	if traces != nil {
		b.config.Export.Traces.URL = traces.URL
	}
	return b
}

const exportTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// putFlags writes n flags with two events each, and returns their incidents.
func (b *workerHarness) putFlags(n int, change func(i int, f *schemas.Flag)) (incidents []string) {
	b.t.Helper()
	for i := range n {
		f := &schemas.Flag{
			IncidentID: fmt.Sprint("incident-", i), Pass: schemas.PassFast, InteractionID: fmt.Sprint("r-", i), Tenant: "default",
			TraceID: exportTrace, SpanID: "00f067aa0ba902b7", DetectedAt: time.Unix(1_800_000_000, 0).UTC(), Risk: new(0.9),
			Fired: []string{"grounding"}, Alert: true, Recommendation: schemas.Block,
			Signals: []schemas.Signal{{Detector: "grounding", Outcome: schemas.Fired, Score: 0.8}},
		}
		if change != nil {
			change(i, f)
		}
		value, err := json.AppendFlag(nil, f)
		require.NoError(b.t, err)
		require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
			Topic: "llm.incidents", Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value,
			Headers: []kafka.Header{{Key: "traceparent", Value: []byte("00-" + exportTrace + "-00f067aa0ba902b7-01")}},
		}))
		incidents = append(incidents, f.IncidentID)
	}
	return incidents
}

func (b *workerHarness) exported(destination, outcome string) float64 {
	return b.metric(b.t, "confab_events_processed_total", "role", "export-"+destination, "outcome", outcome)
}

func (b *workerHarness) waitExported(destination, outcome string, n int) {
	b.t.Helper()
	eventually(b.t, func() bool { return b.exported(destination, outcome) >= float64(n) }, 30*time.Second, 5*time.Millisecond,
		"%s %s", destination, outcome)
}

// withEvaluations adds the topic, which the harness has no need of otherwise.
func withEvaluations(t *testing.T, b *workerHarness) {
	t.Helper()
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(t, err)
	defer admin.Close()
	b.config.Export.Evaluations = true
	_, _, err = admin.ApplyTopics(t.Context(), []kafka.TopicSpec{{Name: "llm.evaluations", Partitions: 3, ReplicationFactor: 1}})
	require.NoError(t, err)
}

// lagOf are the flags that the group has not committed.
func lagOf(t *testing.T, b *workerHarness, group string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	lag, err := kafka.NewLagMonitor(kafka.LagOptions{Config: b.kafka, Groups: []string{group}, Registry: registry})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- lag.Run(ctx) }()
	eventually(t, func() bool { n, err := testutil.GatherAndCount(registry); return err == nil && n == 3 }, 20*time.Second, time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	return (&workerHarness{registry: registry}).metric(t, "confab_consumer_lag_records", "group", group)
}

// A dead destination delays its own group only, and gets everything once it answers: each flag at least once, under one id.
func TestDeadDestinationDelaysNoOther(t *testing.T) {
	logs, traces := newCollector(t), newCollector(t)
	b := newExportHarness(t, logs, traces)
	withEvaluations(t, b)
	logs.fail(func(w http.ResponseWriter, _ []string) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	incidents := b.putFlags(30, nil)
	stop := b.start()
	b.waitExported("traces", "delivered", 30)
	b.waitExported("evaluations", "delivered", 30)
	eventually(t, func() bool { return logs.tries.Load() >= 3 }, 20*time.Second, 5*time.Millisecond)
	require.Zero(t, b.exported("logs", "delivered"))
	require.Zero(t, logs.incidents())
	eventually(t, func() bool { return lagOf(t, b, "confab-export-traces") == 0 }, 20*time.Second, 5*time.Millisecond)
	require.InDelta(t, 30, lagOf(t, b, "confab-export-logs"), 0)

	require.NoError(t, stop(), "a dead destination holds no shutdown")
	b.registry = prometheus.NewRegistry()
	logs.fault.Store(nil)
	stop = b.start()
	b.waitExported("logs", "delivered", 30)
	require.NoError(t, stop())
	require.Len(t, logs.events, 60, "grounding and risk of each")
	require.Len(t, traces.spans, 30)
	for _, incident := range incidents {
		require.Equal(t, 1, traces.count[incident], "the offsets are committed: the restart repeats nothing")
	}

	for _, r := range b.read("llm.evaluations", 30) {
		events, _, of := decodeOTLP("/v1/logs", r.Value)
		require.Equal(t, []string{string(r.Key)}, of)
		require.Equal(t, "application/x-protobuf", headerOf(r.Headers, "content-type"))
		require.Equal(t, string(r.Key)+"/fast", headerOf(r.Headers, "ce_id"))
		require.Equal(t, "00-"+exportTrace+"-00f067aa0ba902b7-01", headerOf(r.Headers, "traceparent"))
		for id := range events {
			require.Equal(t, string(r.Key), logs.events[id], "the same ids as at the endpoint")
		}
	}
}

// Faults of an endpoint in the middle of the work: nothing is lost, and what is repeated has the same ids.
func TestFaultsLoseNothing(t *testing.T) {
	for name, fault := range map[string]func(c *collector, n int32, w http.ResponseWriter, incidents []string) bool{
		"throttled": func(_ *collector, n int32, w http.ResponseWriter, _ []string) bool {
			if n <= 2 {
				w.Header().Set("Retry-After", "0.2")
				w.WriteHeader(http.StatusTooManyRequests)
			}
			return n <= 2
		},
		"gateway": func(_ *collector, n int32, w http.ResponseWriter, _ []string) bool {
			if n%2 == 1 {
				w.WriteHeader(http.StatusBadGateway)
			}
			return n%2 == 1
		},
		"reset after it accepted": func(c *collector, n int32, w http.ResponseWriter, incidents []string) bool {
			if n > 2 {
				return false
			}
			c.keep(nil, c.decoded, incidents)
			if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = conn.Close()
			}
			return true
		},
		"wrong token": func(_ *collector, n int32, w http.ResponseWriter, _ []string) bool {
			if n <= 2 {
				w.WriteHeader(http.StatusUnauthorized)
			}
			return n <= 2
		},
	} {
		t.Run(name, func(t *testing.T) {
			traces := newCollector(t)
			b := newExportHarness(t, nil, traces)
			var n atomic.Int32
			traces.fail(func(w http.ResponseWriter, incidents []string) bool { return fault(traces, n.Add(1), w, incidents) })
			incidents := b.putFlags(12, nil)
			stop := b.start()
			b.waitExported("traces", "delivered", 12)
			require.NoError(t, stop())
			require.Greater(t, b.metric(t, "confab_batch_retries_total", "role", "export-traces"), 0.0)
			require.Len(t, traces.spans, 12, "one id each, however often it was sent")
			for _, incident := range incidents {
				require.GreaterOrEqual(t, traces.count[incident], 1)
			}
		})
	}
}

// What an endpoint refuses for good is counted, and delays nothing.
func TestRefusedFlagsAreCounted(t *testing.T) {
	traces := newCollector(t)
	b := newExportHarness(t, nil, traces)
	traces.fail(func(w http.ResponseWriter, incidents []string) bool {
		if slices.Contains(incidents, "incident-3") {
			w.WriteHeader(http.StatusBadRequest)
			return true
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write([]byte{0x0a, 0x02, 0x08, 0x02}) // partial_success: two spans rejected
		return false
	})
	b.putFlags(10, func(i int, f *schemas.Flag) {
		if i >= 8 {
			f.TraceID, f.Pass = "no trace", schemas.PassDeep
		}
	})
	stop := b.start()
	b.waitExported("traces", "delivered", 7)
	b.waitExported("traces", "rejected", 1)
	b.waitExported("traces", "no_trace_id", 2)
	require.NoError(t, stop())
	require.Len(t, traces.spans, 7)
	require.Positive(t, b.metric(t, "confab_export_items_rejected_total", "path", "/v1/traces"))
}

func TestExportOnly(t *testing.T) {
	for only, want := range map[string]int{config.ExportAll: 6, config.ExportFired: 4, config.ExportAlerts: 2} {
		t.Run(only, func(t *testing.T) {
			logs := newCollector(t)
			b := newExportHarness(t, logs, nil)
			b.config.Export.Only = only
			b.putFlags(6, func(i int, f *schemas.Flag) {
				if f.Alert = i < 2; i >= 4 {
					f.Fired = nil
				}
			})
			stop := b.start()
			b.waitExported("logs", "delivered", want)
			b.waitExported("logs", "not_selected", 6-want)
			require.NoError(t, stop())
			require.Equal(t, want, logs.incidents())
		})
	}
}

// A flag of a producer without trace ids is placed by the traceparent header of its record.
func TestTraceOfTheHeader(t *testing.T) {
	traces := newCollector(t)
	b := newExportHarness(t, nil, traces)
	b.putFlags(1, func(_ int, f *schemas.Flag) { f.TraceID, f.SpanID = "", "" })
	stop := b.start()
	b.waitExported("traces", "delivered", 1)
	require.NoError(t, stop())
	for id := range traces.spans {
		require.True(t, strings.HasPrefix(id, exportTrace))
	}
	require.Len(t, traces.spans, 1)
}

// Headers are secrets; they reach the endpoint and no log.
func TestExportHeaders(t *testing.T) {
	var got atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(s.Close)
	b := newExportHarness(t, nil, nil)
	log := &logtest.Buffer{}
	b.log = slog.New(slog.NewTextHandler(log, nil))
	b.config.Export.Logs.URL, b.config.Export.Logs.Headers = s.URL, redact.Secret("authorization=Bearer%20s3cret")
	b.putFlags(1, nil)
	stop := b.start()
	eventually(t, func() bool {
		return got.Load() != nil && b.metric(t, "confab_batch_retries_total", "role", "export-logs") > 0
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, stop())
	require.Equal(t, "Bearer s3cret", got.Load())
	require.Contains(t, log.String(), "deliver 1 flags to logs")
	require.Contains(t, log.String(), "correct the credentials under export.logs")
	require.NotContains(t, log.String(), "s3cret")
}
