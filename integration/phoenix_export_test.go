//go:build integration

package integration_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/schemas"
	flagjson "confab/schemas/json"
)

// phoenixSpan is a span as Phoenix lists it.
type phoenixSpan struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Context struct {
		TraceID string `json:"trace_id"`
		SpanID  string `json:"span_id"`
	} `json:"context"`
	Kind       string         `json:"span_kind"`
	Parent     string         `json:"parent_id"`
	Attributes map[string]any `json:"attributes"`
}

// TestPhoenixExport sends spans of the role export to a real Phoenix: they lie under the evaluated span, the query of
// docs/export.md finds those of alerts, and a repeat adds none.
func TestPhoenixExport(t *testing.T) {
	p := startPhoenix(t)
	spans, err := os.ReadFile("../examples/presets/otlp/openinference.traces.binpb")
	require.NoError(t, err)
	status, _ := p.request(t, http.MethodPost, "/v1/traces", "application/x-protobuf", spans)
	require.Equal(t, http.StatusOK, status)
	evaluated := p.spans(t, "span_kind=LLM", 8)

	brokers, err := embedded.Start(embedded.Options{Topics: map[string]int32{"llm.incidents": 3, "llm.interactions.dlq": 1}})
	require.NoError(t, err)
	t.Cleanup(brokers.Close)
	producer, err := kafka.NewProducer(kafka.Config{SeedBrokers: brokers.Seeds()})
	require.NoError(t, err)
	t.Cleanup(producer.Close)
	put := func(i int) {
		of := evaluated[i]
		value, err := flagjson.AppendFlag(nil, &schemas.Flag{
			IncidentID: "incident-" + of.Context.SpanID, Pass: schemas.PassFast, TraceID: of.Context.TraceID, SpanID: of.Context.SpanID,
			DetectedAt: time.Now(), Alert: i == 0, Fired: []string{"grounding"}, Risk: new(0.9), Recommendation: schemas.Block,
			Signals: []schemas.Signal{{Detector: "grounding", Outcome: schemas.Fired, Score: 0.8}},
		})
		require.NoError(t, err)
		require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.incidents", Partition: kafka.AnyPartition, Value: value}))
	}
	for _, i := range []int{0, 1, 2, 0} { // the first one is repeated
		put(i)
	}
	config := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(config, []byte("kafka: {seed_brokers: ["+strings.Join(brokers.Seeds(), ",")+"]}\n"+
		"export:\n  traces: {url: \""+p.url+"\"}\n  resource: {openinference.project.name: default}\n"), 0o600))
	w := startWorker(t, buildWorker(t), config, "export")

	all := p.spans(t, "name=confab.evaluation", 3)
	alerts := p.spans(t, "attribute=alert.fired:true", 1)
	require.Equal(t, evaluated[0].Context.SpanID, alerts[0].Parent)
	require.Equal(t, evaluated[0].Context.TraceID, alerts[0].Context.TraceID)
	assert.InDelta(t, 0.9, alerts[0].Attributes["confab.risk"], 0)
	assert.Equal(t, "fired", alerts[0].Attributes["confab.detector.grounding.outcome"])
	put(0)
	require.Eventually(t, func() bool {
		return w.scrape(t).sum("confab_events_processed_total", `role="export-traces"`, `outcome="delivered"`) == 5
	}, 30*time.Second, 100*time.Millisecond)
	require.Len(t, p.spans(t, "name=confab.evaluation", len(all)), 3, "a repeat adds none")
	w.stop(t)
}

// spans waits for n spans that the query of the REST API finds.
func (p phoenix) spans(t *testing.T, query string, n int) []phoenixSpan {
	t.Helper()
	var listed struct {
		Data []phoenixSpan `json:"data"`
	}
	var body []byte
	require.Eventually(t, func() bool {
		_, body = p.request(t, http.MethodGet, "/v1/projects/default/spans?limit=100&"+query, "", nil)
		listed.Data = nil
		return json.Unmarshal(body, &listed) == nil && len(listed.Data) == n
	}, 30*time.Second, 200*time.Millisecond, "%s", query)
	return listed.Data
}
