package worker

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// newGRPCReceiver is an OTLP receiver over gRPC: HTTP/2, a prefix of five bytes before each message, the status in trailers.
func newGRPCReceiver(t *testing.T) (url string, spans func() []*tracepb.Span) {
	t.Helper()
	got := make(chan *tracepb.TracesData, 10)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/opentelemetry.proto.collector.trace.v1.TraceService/Export", r.URL.Path)
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		if assert.Greater(t, len(body), 5) {
			var data tracepb.TracesData
			assert.Equal(t, len(body)-5, int(binary.BigEndian.Uint32(body[1:5])))
			assert.NoError(t, proto.Unmarshal(body[5:], &data))
			got <- &data
		}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		_, err = w.Write(make([]byte, 5))
		assert.NoError(t, err)
		w.Header().Set("Grpc-Status", "0")
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, func() (all []*tracepb.Span) {
		for len(got) > 0 {
			for _, r := range (<-got).GetResourceSpans() {
				for _, s := range r.GetScopeSpans() {
					all = append(all, s.GetSpans()...)
				}
			}
		}
		return all
	}
}

func TestGRPC(t *testing.T) {
	url, spans := newGRPCReceiver(t)
	traces, log := startTraces(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+url, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc")
	_, span := traces.Tracer().Start(t.Context(), "work")
	span.End()
	closeTraces(traces)
	require.Len(t, spans(), 1)
	require.NotContains(t, log.String(), "level=WARN")
}
