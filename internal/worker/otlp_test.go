package worker

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

// otlpSpan is a span in OTLP JSON: its id, parent, start in milliseconds, and attributes.
func otlpSpan(id, parent string, start int, attributes ...string) string {
	list := make([]string, 0, len(attributes)/2)
	for i := 0; i < len(attributes); i += 2 {
		list = append(list, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, attributes[i], attributes[i+1]))
	}
	return fmt.Sprintf(`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":%q,"parentSpanId":%q,"name":"s","startTimeUnixNano":"%d000000","endTimeUnixNano":"%d000000","attributes":[%s]}`,
		id, parent, start, start+5, strings.Join(list, ","))
}

func otlpRecord(spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"help-desk"}}]},"scopeSpans":[{"spans":[` +
		strings.Join(spans, ",") + `]}]}]}`
}

const (
	otlpDocuments = `[{"id":"shipping","content":"Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."}]`
	otlpClaim     = "The lifetime warranty covers theft everywhere [9]. Express parcels cost 30 euros [1]."
)

func otlpAnswer(id, parent string, start int, text string) string {
	return otlpSpan(id, parent, start, "gen_ai.operation.name", "chat", "gen_ai.response.id", "resp-"+id[15:],
		"gen_ai.output.messages", fmt.Sprintf(`[{"role":"assistant","parts":[{"type":"text","content":%q}]}]`, text))
}

const otlpTopic = "otlp_spans"

// newOTLPInput is an input of spans with its topic.
func newOTLPInput(t *testing.T, b *workerHarness) {
	t.Helper()
	b.config.Kafka.Inputs = append(b.config.Kafka.Inputs, config.Input{
		Topic: otlpTopic, Format: config.FormatOTLPJSON, TenantFrom: config.TenantFixed, Tenant: "acme", SourcesFrom: "auto",
	})
	require.NoError(t, b.config.Validate())
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	_, _, err = admin.ApplyTopics(t.Context(), resources.TopicSpecs(b.config, resources.Sizing{Partitions: 2}))
	require.NoError(t, err)
}

// Of one record every span has an outcome of its own: flags with its index, a dead letter of it alone.
func TestSpansOfOneRecord(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Emit = config.EmitAll
	newOTLPInput(t, b)
	stop := b.start()
	cut := otlpSpan("00000000000000a5", "00000000000000a1", 40, "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assi`)
	b.produce(otlpTopic, otlpRecord(
		otlpSpan("00000000000000a2", "00000000000000a1", 10, "gen_ai.operation.name", "retrieval", "gen_ai.retrieval.documents", otlpDocuments),
		otlpAnswer("00000000000000a3", "00000000000000a1", 20, otlpClaim),
		cut,
		otlpAnswer("00000000000000a4", "00000000000000a1", 30, "Standard parcels leave the Rotterdam warehouse within two working days [1]."),
		otlpSpan("00000000000000a1", "", 1),
	))
	flags := map[string]schemas.Flag{}
	for _, r := range b.read("llm.incidents", 2) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		flags[f.InteractionID] = f
	}
	wrong, right := flags["resp-3"], flags["resp-4"]
	require.Equal(t, []string{"citation", "facts"}, wrong.Fired)
	require.Equal(t, 1, wrong.Origin.Index)
	require.Equal(t, "acme", wrong.Tenant)
	require.Equal(t, "help-desk", wrong.Service)
	require.Equal(t, schemas.SourcesFromRetriever, wrong.SourcesFrom)
	require.Empty(t, right.Fired)
	require.Equal(t, 3, right.Origin.Index)

	letters := b.read("llm.interactions.dlq", 1)
	require.Equal(t, "bad_answer", headerOf(letters[0].Headers, "confab-reason"))
	require.Equal(t, "2", headerOf(letters[0].Headers, "confab-index"))
	require.Equal(t, "0", headerOf(letters[0].Headers, "__connect.errors.offset"))
	require.JSONEq(t, otlpRecord(cut), string(letters[0].Value), "the span alone, with its resource")
	require.NoError(t, stop())
	for outcome, n := range map[string]float64{"answer": 2, "rejected": 1, "context": 1, "other": 1, "unknown": 0} {
		require.InDelta(t, n, b.metric(t, "confab_otlp_spans_total", "topic", otlpTopic, "outcome", outcome), 0, outcome)
	}
	require.InDelta(t, 3, b.metric(t, "confab_interactions_total", "role", "detect"), 0)
}

// Spans that serve receives over gRPC and HTTP are flagged by detect as the tenant of their login.
func TestServeReceivesSpans(t *testing.T) {
	const token = "a token that nobody guesses"
	b := newWorkerHarness(t)
	newOTLPInput(t, b)
	in := &b.config.Kafka.Inputs[1]
	in.Format, in.TenantFrom, in.TenantHeader = config.FormatOTLPProto, config.TenantHeader, "tenant"
	b.config.Serve.OTLPTopic = otlpTopic
	b.config.Serve.Auth.Logins = []config.Login{{Name: "collector", Token: token, Tenants: []string{"shop"}}}
	require.NoError(t, b.config.Validate())
	url := strings.TrimSuffix(b.startServing(config.RoleServe, config.RoleDetect), "/v1/check")

	document := otlpSpan("00000000000000a2", "00000000000000a1", 10, "gen_ai.operation.name", "retrieval", "gen_ai.retrieval.documents", otlpDocuments)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/traces", strings.NewReader(otlpRecord(document, otlpAnswer("00000000000000a3", "00000000000000a1", 20, otlpClaim))))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusOK, resp.StatusCode)

	var request coltracepb.ExportTraceServiceRequest
	require.NoError(t, protojson.Unmarshal([]byte(otlpRecord(document, otlpAnswer("00000000000000a4", "00000000000000a1", 20, otlpClaim))), &request))
	for _, s := range request.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() { // protojson takes ids in hexadecimal for base 64
		s.TraceId, s.SpanId, s.ParentSpanId = fromHex(t, s.GetTraceId()), fromHex(t, s.GetSpanId()), fromHex(t, s.GetParentSpanId())
	}
	conn, err := grpc.NewClient(strings.TrimPrefix(url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = coltracepb.NewTraceServiceClient(conn).Export(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token), &request)
	require.NoError(t, err)

	for _, f := range decodeFlags(t, b, 2) {
		require.Equal(t, "shop", f.Tenant)
		require.Equal(t, schemas.SourcesFromRetriever, f.SourcesFrom)
		require.Equal(t, []string{"citation", "facts"}, f.Fired)
	}
}

func fromHex(t *testing.T, base64Bytes []byte) []byte {
	t.Helper()
	id, err := hex.DecodeString(base64.StdEncoding.EncodeToString(base64Bytes))
	require.NoError(t, err)
	return id
}

// A sampled span goes on alone: the deep pass has the same ids, index and sources as the fast one.
func TestSampledSpan(t *testing.T) {
	b, _ := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.config.Emit = config.EmitAll
	newOTLPInput(t, b)
	b.start()
	b.produce(otlpTopic, otlpRecord(
		otlpSpan("00000000000000a2", "00000000000000a1", 10, "gen_ai.operation.name", "retrieval", "gen_ai.retrieval.documents", otlpDocuments),
		otlpSpan("00000000000000a3", "00000000000000a1", 20, "gen_ai.operation.name", "chat",
			"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"When do parcels leave?"}]}]`,
			"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"Within two working days [1]."}]}]`,
			"tag.tags", `["medical"]`),
	))
	var fast, deep schemas.Flag
	for _, r := range b.read("llm.incidents", 2) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		if f.Pass == schemas.PassDeep {
			deep = f
		} else {
			fast = f
		}
	}
	require.Equal(t, fast.IncidentID, deep.IncidentID)
	require.Equal(t, fast.Origin, deep.Origin)
	require.Equal(t, 1, deep.Origin.Index)
	require.Equal(t, schemas.SourcesFromRetriever, deep.SourcesFrom)
	require.Equal(t, fast.Signals, deep.Signals[:len(fast.Signals)], "the fast rules say the same")

	copies := b.read("llm.interactions.sampled", 1)
	require.NotContains(t, string(copies[0].Value), "resourceSpans")
	var in schemas.Interaction
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(copies[0].Value, &in))
	require.Equal(t, "5b8efff798038103d269b633813fc60c-00000000000000a3", in.ID)
}

// A copy is read as the record was, whatever its sources are from.
func TestCopiesOfSpans(t *testing.T) {
	input := config.Input{Topic: otlpTopic, Format: config.FormatOTLPJSON, TenantFrom: config.TenantFixed, Tenant: "acme", SourcesFrom: "auto"}
	system := `[{"role":"user","parts":[{"type":"text","content":"Context:\n[1] Parcels leave within two days.\n\nQuestion: When?"}]}]`
	toolPart := `[{"role":"user","parts":[{"type":"text","content":"When?"}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":"Parcels leave within two days."}]}]`
	answer := `[{"role":"assistant","parts":[{"type":"text","content":"In two days."}]}]`
	record := otlpRecord(
		otlpSpan("00000000000000a3", "", 20, "gen_ai.operation.name", "chat", "gen_ai.output.messages", answer, "gen_ai.input.messages", system),
		otlpSpan("00000000000000a4", "", 20, "gen_ai.operation.name", "chat", "gen_ai.output.messages", answer, "gen_ai.input.messages", toolPart),
		otlpSpan("00000000000000a5", "", 20, "gen_ai.operation.name", "chat", "gen_ai.output.messages", answer, "rag.sources_json", `["Parcels leave."]`),
		otlpSpan("00000000000000a6", "", 20, "gen_ai.operation.name", "chat", "gen_ai.output.messages", answer, "rag.sources_json", `["cut`),
		strings.Replace(otlpSpan("00000000000000a7", "", 20, "gen_ai.operation.name", "chat", "gen_ai.output.messages", answer),
			"00000000000000a7", "", 1),
	)
	codec := records.NewInteractionCodec([]config.Input{input}, "c", 1<<20)
	sampled := records.NewSampledCodec([]config.Input{input}, "c", 1<<20)
	raw := &consumer.Raw{Topic: otlpTopic, Partition: 3, Offset: 7, Value: []byte(record)}
	list, err := codec.Decode(t.Context(), raw, nil)
	require.NoError(t, err)
	require.Len(t, list, 5)
	from := make([]string, 0, len(list))
	for i, in := range list {
		from = append(from, in.SourcesFrom+" "+in.NoSources)
		r := consumer.Record[*schemas.Interaction]{Value: in, Topic: otlpTopic, Partition: 3, Offset: 7, Index: raw.IndexOf(i)}
		value, headers, err := codec.Copy(&r)
		require.NoError(t, err)
		at := schemas.Origin{Topic: otlpTopic, Partition: 3, Offset: 7, Index: r.Index}
		headers = append(headers, kafka.Header{Key: "confab-origin", Value: at.Header("acme")})
		copied, err := sampled.Decode(t.Context(), &consumer.Raw{Topic: "llm.interactions.sampled", Value: value, Headers: headers}, nil)
		require.NoError(t, err)
		require.Len(t, copied, 1)
		require.Empty(t, cmp.Diff(in, copied[0], cmpopts.IgnoreFields(schemas.Interaction{}, "Scratch"), cmpopts.EquateEmpty()))
	}
	require.Equal(t, []string{"prompt no_retriever_span", "tool_messages ", "field ", "none no_retriever_span", "none no_retriever_span"}, from)
	require.Equal(t, "c/otlp_spans/3/7/4", list[4].ID, "its place in the record")
}
