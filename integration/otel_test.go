//go:build integration

package integration_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"confab/integration"
)

const (
	topicSpans     = "otel.spans"
	topicSpansJSON = "otel.spans.json"
	topicLogs      = "otel.logs"
)

// otelUses are rows of examples/presets/record/otlp_instruments.py, with the text that a span or log record of each holds
// when the model has answered.
var otelUses = []otelUse{
	{name: "genai", spanText: `"content":"It is Lima."`, joined: true},
	{name: "genai.events", logText: "It is Lima."},
	{name: "openllmetry.tasks", spanText: `"content": "It is Lima."`},
	{name: "openllmetry.events", logText: "It is Lima."},
	{name: "openinference", spanText: "It is Lima.", joined: true},
}

type otelUse struct {
	name, spanText, logText string

	// joined says that a retriever's span with passages belongs to the answers. A task of OpenLLMetry is no retriever, and a
	// log record is not joined.
	joined bool
}

// askedOf is the number of questions to the model; one of them is an error, one has a wrong answer.
const askedOf = 5

// TestSpans sends the spans of a RAG program with real instrumentations, which calls a real language-model server, through
// the OpenTelemetry Collector to three brokers, in both encodings that its Kafka exporter has for OTLP. A worker with
// examples/otel/confab.yaml flags the answer that the model made up, and none of the fine ones.
func TestSpans(t *testing.T) {
	integration.RequireEngine(t)
	lap := stopwatch(t)
	python := otelPython(t)
	model, err := integration.StartModel(t.Context(), integration.RequirePython(t), integration.ModelOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	lap("python")
	collector := buildCollector(t)
	lap("collector built")
	cluster := startCluster(t, integration.ClusterOptions{})
	createTopics(t, cluster, topicSpans, topicSpansJSON, topicLogs)
	confab := startSpanReader(t, cluster)
	otlp := startCollector(t, collector, cluster)
	require.NoError(t, model.Await(t.Context()))
	lap("brokers, collector")

	for _, use := range otelUses {
		run := exec.CommandContext(t.Context(), python, "../examples/presets/record/otlp_rag.py",
			"--use", use.name, "--llm", strings.TrimSuffix(model.URL(), "/v1"), "--otlp", otlp, "--facts", "--service", use.name)
		run.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%s: %s", use.name, out)
	}
	lap("program")

	spans := awaitSpans(t, cluster, topicSpans, protoSpans, func(got *serviceSpans, _ string) bool { return len(got.traces) == askedOf })
	lap("spans in Kafka")
	fromJSON := awaitSpans(t, cluster, topicSpansJSON, jsonSpans, func(got *serviceSpans, service string) bool {
		return len(got.spans) >= len(spans[service].spans)
	})
	logs := awaitLogs(t, cluster)
	flags := confab.awaitFlags(t)
	lap("flags")
	for _, use := range otelUses {
		t.Run(use.name, func(t *testing.T) {
			requireUse(t, spans[use.name], use.spanText)
			requireWholeTraces(t, spans[use.name])
			requireKeyedTraces(t, fromJSON[use.name])
			assert.Equal(t, spans[use.name].spansOf(), fromJSON[use.name].spansOf(), "the same spans in both topics")
			assert.Contains(t, logs[use.name], use.logText)
			requireFault(t, use, flags[use.name])
		})
	}
}

// serviceSpans are the spans of one service.
type serviceSpans struct {
	spans  []*tracepb.Span
	traces map[string][]integration.Record // a record for each span, by trace id
	text   strings.Builder                 // every attribute
}

// spansOf returns the number of spans by trace id.
func (s *serviceSpans) spansOf() map[string]int {
	n := map[string]int{}
	for trace, records := range s.traces {
		n[trace] = len(records)
	}
	return n
}

// requireWholeTraces expects one record for each trace: what groupbytrace is for.
func requireWholeTraces(t *testing.T, got *serviceSpans) {
	t.Helper()
	for trace, records := range got.traces {
		for _, r := range records {
			assert.Equal(t, records[0].RecordPosition, r.RecordPosition, "trace %s", trace)
		}
	}
}

// requireKeyedTraces expects the trace id as key, so one partition for each trace, but a record for each library in it:
// that is what partition_traces_by_id does.
func requireKeyedTraces(t *testing.T, got *serviceSpans) {
	t.Helper()
	for trace, records := range got.traces {
		positions := map[integration.RecordPosition]bool{}
		for _, r := range records {
			assert.Equal(t, trace, r.Key)
			assert.Equal(t, records[0].Partition, r.Partition, "trace %s", trace)
			positions[r.RecordPosition] = true
		}
		assert.Greater(t, len(positions), 1, "records of trace %s", trace)
	}
}

// requireUse expects all requests, all but one of which the model answered.
func requireUse(t *testing.T, got *serviceSpans, text string) {
	t.Helper()
	require.NotNil(t, got)
	assert.Len(t, got.traces, askedOf)
	assert.Contains(t, got.text.String(), text)
	failed, answered := 0, 0
	for _, s := range got.spans {
		switch {
		case s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR:
			failed++
		case isModelSpan(s):
			answered++
		}
	}
	assert.Equal(t, askedOf-1, answered, "spans of answered calls")
	assert.GreaterOrEqual(t, failed, 1, "spans of the call that was too long")
}

func isModelSpan(s *tracepb.Span) bool {
	for _, a := range s.GetAttributes() {
		if v := a.GetValue().GetStringValue(); (a.GetKey() == "gen_ai.operation.name" && v == "chat") || (a.GetKey() == "openinference.span.kind" && v == "LLM") {
			return true
		}
	}
	return false
}

func protoSpans(raw []byte) (*tracepb.TracesData, error) {
	var data tracepb.TracesData // the same message as an export request
	return &data, proto.Unmarshal(raw, &data)
}

// jsonSpans decodes OTLP JSON, whose ids are in hex: protojson takes them for base 64, which is undone here.
func jsonSpans(raw []byte) (*tracepb.TracesData, error) {
	var data tracepb.TracesData
	if err := protojson.Unmarshal(raw, &data); err != nil {
		return nil, err
	}
	for _, resource := range data.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				s.TraceId = fromHexTakenForBase64(s.GetTraceId())
			}
		}
	}
	return &data, nil
}

func fromHexTakenForBase64(b []byte) []byte {
	id, _ := hex.DecodeString(base64.StdEncoding.EncodeToString(b))
	return id
}

// awaitSpans returns the spans of each service once every one has enough.
func awaitSpans(
	t *testing.T, c *integration.Cluster, topic string, decode func([]byte) (*tracepb.TracesData, error), enough func(*serviceSpans, string) bool,
) map[string]*serviceSpans {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got map[string]*serviceSpans
	require.NoError(t, integration.Await(ctx, "all requests are in "+topic, func(ctx context.Context) (bool, error) {
		records, err := integration.ReadRecords(ctx, c.Seeds(), topic)
		if err != nil {
			return false, err
		}
		got = map[string]*serviceSpans{}
		for _, r := range records {
			data, err := decode(r.Value)
			require.NoError(t, err)
			collectSpans(got, data, r)
		}
		for _, use := range otelUses {
			if got[use.name] == nil || !enough(got[use.name], use.name) {
				return false, nil
			}
		}
		return true, nil
	}))
	return got
}

// collectSpans adds the spans of a record.
func collectSpans(got map[string]*serviceSpans, data *tracepb.TracesData, r integration.Record) {
	for _, resource := range data.GetResourceSpans() {
		name := ""
		for _, a := range resource.GetResource().GetAttributes() {
			if a.GetKey() == "service.name" {
				name = a.GetValue().GetStringValue()
			}
		}
		service := got[name]
		if service == nil {
			service = &serviceSpans{traces: map[string][]integration.Record{}}
			got[name] = service
		}
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				trace := hex.EncodeToString(s.GetTraceId())
				service.spans = append(service.spans, s)
				service.traces[trace] = append(service.traces[trace], r)
				for _, a := range s.GetAttributes() {
					service.text.WriteString(a.GetValue().GetStringValue() + "\n")
				}
			}
		}
	}
}

// awaitLogs returns the log records of each service as text, once those that should have some do.
func awaitLogs(t *testing.T, c *integration.Cluster) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got map[string]string
	require.NoError(t, integration.Await(ctx, "log records are in "+topicLogs, func(ctx context.Context) (bool, error) {
		records, err := integration.ReadRecords(ctx, c.Seeds(), topicLogs)
		if err != nil {
			return false, err
		}
		got = map[string]string{}
		for _, r := range records {
			var data logspb.LogsData
			require.NoError(t, proto.Unmarshal(r.Value, &data))
			for _, resource := range data.GetResourceLogs() {
				for _, a := range resource.GetResource().GetAttributes() {
					if a.GetKey() == "service.name" {
						got[a.GetValue().GetStringValue()] += protojson.Format(resource)
					}
				}
			}
		}
		for _, use := range otelUses {
			if use.logText != "" && !strings.Contains(got[use.name], use.logText) {
				return false, nil
			}
		}
		return true, nil
	}))
	return got
}

func createTopics(t *testing.T, c *integration.Cluster, topics ...string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	defer client.Close()
	created, err := kadm.NewClient(client).CreateTopics(t.Context(), 3, 3, map[string]*string{"max.message.bytes": new("8388608")}, topics...)
	require.NoError(t, err)
	for _, one := range created {
		require.NoError(t, one.Err)
	}
}
