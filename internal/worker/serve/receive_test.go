package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
)

const (
	spanTopic = "otel.spans"
	shopToken = "0123456789abcdef"
	allToken  = "0123456789abcdeg"
)

// receiver is a server that receives OTLP, with its broker.
type receiver struct {
	*Server

	url    string
	log    *bytes.Buffer
	broker *embedded.Cluster
	kafka  kafka.Config
}

func newReceiver(t *testing.T, change func(c *config.Config)) *receiver {
	t.Helper()
	broker, err := embedded.Start(embedded.Options{Topics: map[string]int32{spanTopic: 1}})
	require.NoError(t, err)
	t.Cleanup(broker.Close)
	r := &receiver{broker: broker, kafka: kafka.Config{SeedBrokers: broker.Seeds()}}
	producer, err := kafka.NewProducer(r.kafka)
	require.NoError(t, err)
	t.Cleanup(producer.Close)
	r.Server, r.url, r.log = newServer(t, func(c *config.Config) {
		in := config.DefaultInput(spanTopic)
		in.Format, in.TenantFrom, in.TenantHeader = config.FormatOTLPProto, config.TenantHeader, "tenant"
		c.Kafka.Inputs, c.Serve.OTLPTopic = append(c.Kafka.Inputs, in), spanTopic
		c.Serve.Auth.Logins = []config.Login{
			{Name: "shop", Token: shopToken, Tenants: []string{"shop"}}, {Name: "collector", Token: allToken, Tenants: []string{"*"}},
		}
		if change != nil {
			change(c)
		}
	}, func(o *Options) { o.Produce = producer.Produce })
	return r
}

// stored are the records that are durable.
func (r *receiver) stored(t *testing.T) []kafka.FetchedRecord {
	t.Helper()
	return kafkatest.ReadAll(t, r.kafka, spanTopic)
}

// dial returns the connection of a client of gRPC and a context with its token.
func (r *receiver) dial(t *testing.T, token string, more ...string) (context.Context, *grpc.ClientConn) {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(r.url, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return metadata.AppendToOutgoingContext(ctx, append([]string{"authorization", "Bearer " + token}, more...)...), conn
}

// spans are an export request of a span for each trace and text.
func spans(texts ...string) *coltracepb.ExportTraceServiceRequest {
	scope := &tracepb.ScopeSpans{}
	for i, text := range texts {
		scope.Spans = append(scope.Spans, &tracepb.Span{
			TraceId: bytes.Repeat([]byte{byte(i%3 + 1)}, 16), SpanId: bytes.Repeat([]byte{byte(i + 1)}, 8), Name: text,
		})
	}
	return &coltracepb.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{scope}}}}
}

func logRecords(text string) *collogspb.ExportLogsServiceRequest {
	body := &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: text}}
	return &collogspb.ExportLogsServiceRequest{ResourceLogs: []*logspb.ResourceLogs{{ScopeLogs: []*logspb.ScopeLogs{{
		LogRecords: []*logspb.LogRecord{{TimeUnixNano: 1, Body: body}},
	}}}}}
}

func marshal(t *testing.T, m proto.Message) string {
	t.Helper()
	b, err := proto.Marshal(m)
	require.NoError(t, err)
	return string(b)
}

const spanJSON = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01010101010101010101010101010101","spanId":"0101010101010101","name":"chat"}]}]}]}`

// post sends an export request over HTTP.
func (r *receiver) post(t *testing.T, path, kind, body string, headers ...string) *answer {
	t.Helper()
	return send(t, "POST", r.url+path, body, append([]string{"Content-Type", kind, "Authorization", "Bearer " + shopToken}, headers...)...)
}

// Over HTTP and gRPC, whole and compressed, the bytes that were sent are records of the login's tenant when the answer comes.
func TestReceive(t *testing.T) {
	r := newReceiver(t, nil)
	traces, logs := marshal(t, spans("chat")), marshal(t, logRecords("hello"))
	var want []string
	stored := func(name, value, tenant string) {
		t.Helper()
		want = append(want, value)
		all := r.stored(t)
		require.Len(t, all, len(want), name)
		last := all[len(all)-1]
		require.Equal(t, value, string(last.Value), name)
		require.Equal(t, []kafka.Header{{Key: "tenant", Value: []byte(tenant)}}, last.Headers, name)
	}
	for name, c := range map[string]struct{ path, kind, body, stored, encoding string }{
		"spans":        {"/v1/traces", kindProto, traces, traces, ""},
		"spans, gzip":  {"/v1/traces", kindProto, compress(t, traces), traces, "gzip"},
		"logs":         {"/v1/logs", kindProto, logs, logs, ""},
		"JSON":         {"/v1/traces", kindJSON, " \n" + spanJSON + "\n", spanJSON, ""},
		"JSON, gzip":   {"/v1/traces", "application/json; charset=utf-8", compress(t, spanJSON), spanJSON, "gzip"},
		"JSON of logs": {"/v1/logs", kindJSON, `{"resourceLogs":[]}`, `{"resourceLogs":[]}`, ""},
	} {
		got := r.post(t, c.path, c.kind, c.body, "Content-Encoding", c.encoding)
		require.Equal(t, http.StatusOK, got.status, "%s: %s", name, got.body)
		require.True(t, strings.HasPrefix(c.kind, got.header.Get("Content-Type")), name)
		require.Equal(t, map[bool]string{true: "{}", false: ""}[got.header.Get("Content-Type") == kindJSON], got.body, name)
		stored(name, c.stored, "shop")
	}
	got := r.post(t, "/v1/traces", kindProto, "")
	require.Equal(t, http.StatusOK, got.status, "an empty request")

	ctx, conn := r.dial(t, allToken, "x-confab-tenant", "bank")
	for _, options := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
		traced, err := coltracepb.NewTraceServiceClient(conn).Export(ctx, spans("chat"), options...)
		require.NoError(t, err)
		require.Nil(t, traced.GetPartialSuccess())
		stored("gRPC", traces, "bank")
		logged, err := collogspb.NewLogsServiceClient(conn).Export(ctx, logRecords("hello"), options...)
		require.NoError(t, err)
		require.Nil(t, logged.GetPartialSuccess())
		stored("gRPC, logs", logs, "bank")
	}
	require.InDelta(t, 2, testutil.ToFloat64(r.metrics.requests.WithLabelValues(coltracepb.TraceService_Export_FullMethodName, "200")), 0)
}

// A request that is too large for one record becomes several, which keep traces together; a span that is too large alone is
// a partial success.
func TestReceiveLargeRequests(t *testing.T) {
	r := newReceiver(t, func(c *config.Config) { c.Kafka.MaxRecordBytes = 2048 })
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("%02d %s", i, strings.Repeat("x", 150)))
	}
	texts = append(texts, strings.Repeat("y", 3000))
	got := r.post(t, "/v1/traces", kindProto, marshal(t, spans(texts...)))
	require.Equal(t, http.StatusOK, got.status, got.body)
	var reply coltracepb.ExportTraceServiceResponse
	require.NoError(t, proto.Unmarshal([]byte(got.body), &reply))
	require.Equal(t, int64(1), reply.GetPartialSuccess().GetRejectedSpans())
	require.Contains(t, reply.GetPartialSuccess().GetErrorMessage(), "kafka.max_record_bytes")
	require.Contains(t, r.log.String(), `"spans refused","principal":"shop","tenant":"shop","spans":1`)
	var names []string
	for _, record := range r.stored(t) {
		require.LessOrEqual(t, len(record.Value), 2048)
		var part coltracepb.ExportTraceServiceRequest
		require.NoError(t, proto.Unmarshal(record.Value, &part))
		for _, span := range part.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans() {
			names = append(names, span.GetName())
		}
	}
	require.ElementsMatch(t, texts[:30], names)

	ctx, conn := r.dial(t, allToken)
	_, err := coltracepb.NewTraceServiceClient(conn).Export(ctx, spans(texts[30]))
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	for _, body := range []string{marshal(t, spans(texts[30])), strings.Replace(spanJSON, "chat", texts[30], 1)} {
		kind := map[bool]string{true: kindJSON, false: kindProto}[body[0] == '{']
		require.Equal(t, http.StatusRequestEntityTooLarge, r.post(t, "/v1/traces", kind, body).status)
	}
}

// Without a broker nothing is acknowledged, the sender is told to send it again, and what waits is bounded.
func TestReceiveWithoutBroker(t *testing.T) {
	r := newReceiver(t, func(c *config.Config) { c.Serve.Deadline, c.Serve.MaxBodySize = 100*time.Millisecond, 1<<20 })
	require.Equal(t, http.StatusOK, r.post(t, "/v1/traces", kindProto, marshal(t, spans("before"))).status)
	r.broker.Close()
	got := r.post(t, "/v1/traces", kindProto, marshal(t, spans("chat")))
	require.Equal(t, http.StatusServiceUnavailable, got.status)
	require.Equal(t, "5", got.header.Get("Retry-After"))
	var said spb.Status
	require.NoError(t, proto.Unmarshal([]byte(got.body), &said))
	require.Equal(t, errNotStored.message, said.GetMessage())
	ctx, conn := r.dial(t, shopToken)
	_, err := coltracepb.NewTraceServiceClient(conn).Export(ctx, spans("chat"))
	require.Equal(t, codes.Unavailable, status.Code(err))

	large := marshal(t, spans(strings.Repeat("x", 900_000)))
	require.Eventually(t, func() bool {
		got := r.post(t, "/v1/traces", kindProto, large)
		require.Equal(t, http.StatusServiceUnavailable, got.status)
		return strings.Contains(got.body, errBodies.message)
	}, time.Minute, time.Millisecond, "the budget is used up")
	require.Equal(t, http.StatusOK, send(t, "POST", r.url+"/v1/check", right, "Authorization", "Bearer "+shopToken).status, "checks have their own")
}

// Refusals are those of every other request, in the form of the protocol.
func TestReceiveRefusals(t *testing.T) {
	r := newReceiver(t, func(c *config.Config) {
		c.Serve.MaxBodySize = 4096
		limit := 0.001
		c.Tenants = map[string]config.Tenant{"slow": {Serve: config.TenantServe{RateLimit: &limit}}}
	})
	one := marshal(t, spans("chat"))
	bomb := compress(t, strings.Repeat("\x00", 100_000))
	for name, c := range map[string]struct {
		kind, body string
		headers    []string
		status     int
	}{
		"wrong token":    {kindProto, one, []string{"Authorization", "Bearer wrong"}, 401},
		"another tenant": {kindProto, one, []string{"X-Confab-Tenant", "bank"}, 403},
		"lines":          {kindLines, spanJSON, nil, 415},
		"zstd":           {kindProto, one, []string{"Content-Encoding", "zstd"}, 415},
		"too large":      {kindProto, strings.Repeat("x", 5000), nil, 413},
		"bomb":           {kindProto, bomb, []string{"Content-Encoding", "gzip"}, 413},
		"no gzip":        {kindProto, one, []string{"Content-Encoding", "gzip"}, 400},
		"cut off":        {kindProto, one[:len(one)-1], nil, 400},
		"no protobuf":    {kindProto, spanJSON, nil, 400},
		"half JSON":      {kindJSON, spanJSON[:40], nil, 400},
		"empty JSON":     {kindJSON, "", nil, 400},
		"a list":         {kindJSON, "[]", nil, 400},
	} {
		got := r.post(t, "/v1/traces", c.kind, c.body, c.headers...)
		require.Equal(t, c.status, got.status, "%s: %s", name, got.body)
		if c.kind == kindProto {
			var said spb.Status
			require.NoError(t, proto.Unmarshal([]byte(got.body), &said), name)
			require.NotEmpty(t, said.GetMessage(), name)
		} else {
			require.NoError(t, schemaOf(t, "Status").Validate(parse(t, got.body)), "%s: %s", name, got.body)
		}
	}
	for name, c := range map[string]struct {
		token string
		more  []string
		send  *coltracepb.ExportTraceServiceRequest
		code  codes.Code
	}{
		"wrong token":    {"wrong", nil, spans("chat"), codes.Unauthenticated},
		"another tenant": {shopToken, []string{"x-confab-tenant", "bank"}, spans("chat"), codes.PermissionDenied},
		"too large":      {shopToken, nil, spans(strings.Repeat("x", 5000)), codes.ResourceExhausted},
	} {
		ctx, conn := r.dial(t, c.token, c.more...)
		_, err := coltracepb.NewTraceServiceClient(conn).Export(ctx, c.send)
		require.Equal(t, c.code, status.Code(err), "%s: %v", name, err)
		_, err = coltracepb.NewTraceServiceClient(conn).Export(ctx, c.send, grpc.UseCompressor(gzip.Name))
		require.Equal(t, c.code, status.Code(err), "%s, compressed: %v", name, err)
		require.ErrorContains(t, conn.Invoke(ctx, "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", c.send, c.send), "Unimplemented", name)
	}
	require.Empty(t, r.stored(t))

	ctx, conn := r.dial(t, allToken, "x-confab-tenant", "slow")
	_, err := coltracepb.NewTraceServiceClient(conn).Export(ctx, spans("chat"))
	require.NoError(t, err)
	_, err = coltracepb.NewTraceServiceClient(conn).Export(ctx, spans("chat"))
	require.Equal(t, codes.Unavailable, status.Code(err))
	got := r.post(t, "/v1/logs", kindProto, one, "Authorization", "Bearer "+allToken, "X-Confab-Tenant", "slow")
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.NotEmpty(t, got.header.Get("Retry-After"))
}

// A message that ends early is not taken for a shorter one.
func TestReceiveCutMessages(t *testing.T) {
	r := newReceiver(t, nil)
	for name, body := range map[string]string{"prefix": "\x00\x00", "message": "\x00\x00\x00\x00\x05\x0a\x00", "unknown encoding": "\x01\x00\x00\x00\x02\x0a\x00"} {
		got := r.post(t, coltracepb.TraceService_Export_FullMethodName, kindGRPC, body, "Grpc-Encoding", "snappy")
		require.Equal(t, http.StatusOK, got.status, name)
		require.Empty(t, got.body, name)
	}
	require.Empty(t, r.stored(t))
}

// The tenant of a topic whose tenant is fixed is that one alone.
func TestReceiveFixedTenant(t *testing.T) {
	r := newReceiver(t, func(c *config.Config) {
		in := &c.Kafka.Inputs[1]
		in.TenantFrom, in.TenantHeader, in.Tenant = config.TenantFixed, "", "shop"
		c.Serve.Auth.Logins, c.Kafka.Inputs = c.Serve.Auth.Logins[:1], c.Kafka.Inputs[1:]
	})
	require.Equal(t, http.StatusOK, r.post(t, "/v1/traces", kindProto, marshal(t, spans("chat"))).status)
	require.Empty(t, r.stored(t)[0].Headers)
	require.Equal(t, http.StatusForbidden, r.post(t, "/v1/traces", kindProto, marshal(t, spans("chat")), "X-Confab-Tenant", "bank").status)
}

// The topic must be read as OTLP, with the tenants of the logins.
func TestReceiveSettings(t *testing.T) {
	for name, c := range map[string]struct {
		change func(c *config.Config)
		want   string
	}{
		"no input": {func(*config.Config) {}, "serve.otlp_topic: no input reads otel.spans as OTLP: add {topic: otel.spans, format: otlp_proto} to kafka.inputs"},
		"JSON":     {func(c *config.Config) { c.Kafka.Inputs = append(c.Kafka.Inputs, config.DefaultInput(spanTopic)) }, "no input reads otel.spans as OTLP"},
		"tenants": {func(c *config.Config) {
			in := config.DefaultInput(spanTopic)
			in.Format = config.FormatOTLPProto
			c.Kafka.Inputs = append(c.Kafka.Inputs, in)
			c.Serve.Auth.Logins = []config.Login{{Name: "shop", Token: shopToken, Tenants: []string{"shop"}}}
		}, "serve.otlp_topic: writes to otel.spans, where every interaction is of the tenant default: set tenant_from: header there"},
	} {
		settings := config.Default()
		settings.Serve.OTLPTopic = spanTopic
		c.change(settings)
		require.ErrorContains(t, settings.Validate(), c.want, name)
	}
	_, url, _ := newServer(t, nil)
	off := send(t, "POST", url+"/v1/traces", "{}")
	require.Equal(t, http.StatusNotFound, off.status)
	require.Contains(t, off.body, "set serve.otlp_topic")
}

// Encrypted, HTTP and gRPC share the port, too.
func TestReceiveEncrypted(t *testing.T) {
	pair := httptest.NewUnstartedServer(http.NotFoundHandler())
	pair.StartTLS()
	defer pair.Close()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return file
	}
	key, err := x509.MarshalPKCS8PrivateKey(pair.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	listening := make(chan net.Addr, 1)
	r := newReceiver(t, func(c *config.Config) {
		c.Serve.Listen = "127.0.0.1:0"
		c.Serve.TLS = config.ListenerTLS{CertFile: write("crt", "CERTIFICATE", pair.Certificate().Raw), KeyFile: write("key", "PRIVATE KEY", key)}
	})
	r.Started = func(a net.Addr) { listening <- a }
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx, time.Second) }()
	address := (<-listening).String()

	trusted := x509.NewCertPool()
	trusted.AddCert(pair.Certificate())
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12})))
	require.NoError(t, err)
	calling := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+shopToken)
	_, err = coltracepb.NewTraceServiceClient(conn).Export(calling, spans("chat"))
	require.NoError(t, err)
	require.Len(t, r.stored(t), 1)
	require.NoError(t, conn.Close())
	cancel()
	require.NoError(t, <-done)
}

// Many senders of large requests that Kafka does not take fill a bounded part of the memory.
func TestReceiveMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const most = 400 << 20
	r := newReceiver(t, func(c *config.Config) { c.Serve.Deadline = time.Second })
	r.broker.Close()
	large := marshal(t, spans(slices.Repeat([]string{strings.Repeat("x", 400_000)}, 20)...))
	packed := compress(t, large)
	before := heapInUse()
	peak, stop := watchHeap(t)
	var wg sync.WaitGroup
	for i := range 300 {
		wg.Go(func() {
			body, encoding := large, ""
			if i%2 == 0 {
				body, encoding = packed, "gzip"
			}
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/traces", strings.NewReader(body))
			if assert.NoError(t, err) {
				q.Header = http.Header{"Content-Type": {kindProto}, "Content-Encoding": {encoding}, "Authorization": {"Bearer " + shopToken}}
				if resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(q); err == nil { // some are cut off
					assert.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
					assert.NoError(t, resp.Body.Close())
				}
			}
		})
	}
	wg.Wait()
	stop()
	require.Less(t, int64(*peak)-int64(before), int64(most), "bytes, with those of the senders")
}
