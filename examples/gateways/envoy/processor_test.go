package main

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	modev3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// player sends a call through Envoy, or plays Envoy.
type player func(t *testing.T, c call) result

// The processor does what it must for a client that keeps Envoy's order of messages.
func TestProcessor(t *testing.T) {
	s, address := startProcessor(t)
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	client := extproc.NewExternalProcessorClient(conn)
	confab := startServe(t)
	checkOutcomes(t, s, confab, func(t *testing.T, c call) result { return playEnvoy(t, client, c) })
	t.Run("messages", func(t *testing.T) {
		s.use(t, confab, "-tenant", "block", "-on-failure", "closed")
		checkMessages(t, client)
	})
}

// checkOutcomes plays every case.
func checkOutcomes(t *testing.T, s *switchable, confab string, play player) {
	for _, tc := range outcomes {
		t.Run(tc.name, func(t *testing.T) {
			s.use(t, confab, append([]string{"-tenant", "block"}, tc.flags...)...)
			requireOutcome(t, tc.want, tc.code, tc.call, play(t, tc.call))
		})
	}
	for _, tc := range failures {
		for failure, want := range map[string]string{"open": marked, "closed": refused} {
			t.Run(tc.name+", "+failure, func(t *testing.T) {
				s.use(t, failingServer(t, tc.confab, confab), "-tenant", "block", "-on-failure", failure, "-timeout", "300ms")
				requireOutcome(t, want, tc.code, tc.call, play(t, tc.call))
			})
		}
	}
}

// failingServer is a server that does not do what confab serve does.
func failingServer(t *testing.T, kind, confab string) string {
	t.Helper()
	handlers := map[string]http.HandlerFunc{
		"late":     func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
		"stranger": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) },
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, confab, http.StatusTemporaryRedirect)
		},
		"empty": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") },
		"overloaded": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"error": {"code": "overloaded"}}`)
		},
	}
	handler, ok := handlers[kind]
	if !ok {
		return kind + strings.Repeat(confab, 1-min(1, len(kind)))
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func requireOutcome(t *testing.T, want, code string, c call, got result) {
	t.Helper()
	confab := slices.DeleteFunc(slices.Sorted(maps.Keys(got.header)), func(name string) bool { return !strings.HasPrefix(name, "X-Confab-") })
	assert.NotContains(t, got.header.Get("X-Confab-Incident-Id"), "forged")
	switch want {
	case blocked, refused:
		status := map[string]int{blocked: http.StatusForbidden, refused: http.StatusServiceUnavailable}[want]
		require.Equal(t, status, got.status, got.body)
		require.Equal(t, []string{"application/json"}, got.header["Content-Type"])
		if want == blocked {
			code = "blocked_by_policy"
			require.NotEmpty(t, got.header.Get("X-Confab-Incident-Id"))
			require.Empty(t, got.model.Get("Accept-Encoding"), "the model must not compress as the client likes")
		}
		require.Equal(t, code, errorCode([]byte(got.body)))
		require.NotContains(t, got.body, "chat.completion")
		return
	}
	if n, err := strconv.Atoi(want); err == nil {
		require.Equal(t, n, got.status, got.body)
		require.Equal(t, "none", got.header.Get(checkedHeader))
		if code != "" {
			require.Equal(t, code, errorCode([]byte(got.body)))
			require.NotContains(t, got.body, "chat.completion")
			return
		}
	} else {
		require.Equal(t, max(http.StatusOK, c.modelStatus), got.status, got.body)
	}
	require.Equal(t, c.modelBody, got.body)
	for name := range got.model {
		require.NotContains(t, strings.ToLower(name), headerPrefix, "the model must not see it")
	}
	switch want {
	case marked:
		require.Equal(t, "none", got.header.Get(checkedHeader))
		require.Empty(t, got.header.Get("X-Confab-Recommendation"))
	case "measured":
		require.Equal(t, []string{checkedHeader}, confab)
		require.Equal(t, "full", got.header.Get(checkedHeader))
	case "flagged":
		require.Equal(t, []string{checkedHeader, "X-Confab-Fired", "X-Confab-Incident-Id", "X-Confab-Recommendation", "X-Confab-Risk"}, confab)
		require.Equal(t, "block", got.header.Get("X-Confab-Recommendation"))
	case "allowed":
		require.Equal(t, "allow", got.header.Get("X-Confab-Recommendation"))
		require.Equal(t, "full", got.header.Get(checkedHeader))
	}
}

// playEnvoy sends the messages that Envoy sends, and does what it does with the replies.
func playEnvoy(t *testing.T, client extproc.ExternalProcessorClient, c call) result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := client.Process(ctx)
	require.NoError(t, err)
	mode := &modev3.ProcessingMode{
		RequestBodyMode: modev3.ProcessingMode_BUFFERED, ResponseHeaderMode: modev3.ProcessingMode_SEND, ResponseBodyMode: modev3.ProcessingMode_BUFFERED,
	}
	send := func(m *extproc.ProcessingRequest) *extproc.ProcessingResponse {
		require.NoError(t, stream.Send(m))
		reply, err := stream.Recv()
		require.NoError(t, err)
		if reply.GetModeOverride() != nil {
			mode = reply.GetModeOverride()
		}
		return reply
	}
	request := c.header.Clone()
	reply := send(&extproc.ProcessingRequest{
		ProtocolConfig: &extproc.ProtocolConfiguration{RequestBodyMode: mode.GetRequestBodyMode(), ResponseBodyMode: mode.GetResponseBodyMode()},
		Request: &extproc.ProcessingRequest_RequestHeaders{RequestHeaders: headersOf(c.header, len(c.body),
			":method", c.methodOr(), ":path", c.pathOr())},
	})
	applyHeaders(request, reply.GetRequestHeaders().GetResponse().GetHeaderMutation())
	if reply.GetImmediateResponse() == nil && c.body != "" && mode.GetRequestBodyMode() == modev3.ProcessingMode_BUFFERED {
		reply = send(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestBody{RequestBody: &extproc.HttpBody{Body: []byte(c.body), EndOfStream: true}}})
	}
	got := result{status: max(http.StatusOK, c.modelStatus), header: c.modelHeader.Clone(), body: c.modelBody, model: request}
	got.header.Set("X-Confab-Incident-Id", "forged")
	if reply.GetImmediateResponse() == nil && mode.GetResponseHeaderMode() != modev3.ProcessingMode_SKIP {
		mode.ResponseHeaderMode = modev3.ProcessingMode_SKIP
		reply = send(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseHeaders{ResponseHeaders: headersOf(got.header, len(c.modelBody), ":status", strconv.Itoa(got.status))}})
		applyHeaders(got.header, reply.GetResponseHeaders().GetResponse().GetHeaderMutation())
	}
	if reply.GetImmediateResponse() == nil && c.modelBody != "" && mode.GetResponseBodyMode() == modev3.ProcessingMode_BUFFERED {
		reply = send(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseBody{ResponseBody: &extproc.HttpBody{Body: []byte(c.modelBody), EndOfStream: true}}})
		applyHeaders(got.header, reply.GetResponseBody().GetResponse().GetHeaderMutation())
	}
	if now := reply.GetImmediateResponse(); now != nil {
		got.status, got.body, got.header = int(now.GetStatus().GetCode()), string(now.GetBody()), http.Header{}
		applyHeaders(got.header, now.GetHeaders())
	}
	return got
}

func (c *call) methodOr() string { return orDefault(c.method, http.MethodPost) }
func (c *call) pathOr() string   { return orDefault(c.path, "/v1/chat/completions") }

func orDefault(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func headersOf(h http.Header, length int, pseudo ...string) *extproc.HttpHeaders {
	m := &corev3.HeaderMap{}
	add := func(name, value string) {
		m.Headers = append(m.Headers, &corev3.HeaderValue{Key: strings.ToLower(name), RawValue: []byte(value)})
	}
	for i := 0; i < len(pseudo); i += 2 {
		add(pseudo[i], pseudo[i+1])
	}
	for name := range h {
		add(name, h.Get(name))
	}
	return &extproc.HttpHeaders{Headers: m, EndOfStream: length == 0}
}

func applyHeaders(h http.Header, m *extproc.HeaderMutation) {
	for _, name := range m.GetRemoveHeaders() {
		h.Del(name)
	}
	for _, option := range m.GetSetHeaders() {
		h.Set(option.GetHeader().GetKey(), string(option.GetHeader().GetRawValue()))
	}
}

// checkMessages sends messages that Envoy would not send with envoy.yaml.
func checkMessages(t *testing.T, client extproc.ExternalProcessorClient) {
	chat := &extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestHeaders{RequestHeaders: headersOf(nil, 1, ":method", "POST", ":path", "/chat/completions")}}
	answer := &extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseHeaders{ResponseHeaders: headersOf(jsonType, 1, ":status", "200")}}
	body := &extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseBody{ResponseBody: &extproc.HttpBody{Body: []byte(completion(wrong))}}}
	streamed := &extproc.ProcessingRequest{
		ProtocolConfig: &extproc.ProtocolConfiguration{RequestBodyMode: modev3.ProcessingMode_STREAMED, ResponseBodyMode: modev3.ProcessingMode_STREAMED},
		Request:        chat.GetRequest(),
	}
	for _, tc := range []struct {
		name     string
		messages []*extproc.ProcessingRequest
		code     codes.Code
		refused  bool // by the last reply
	}{
		{"empty", []*extproc.ProcessingRequest{{}}, codes.InvalidArgument, false},
		{"other modes", []*extproc.ProcessingRequest{streamed}, codes.FailedPrecondition, false},
		{"no request", []*extproc.ProcessingRequest{answer, body}, codes.OK, false},
		{"no body of the request", []*extproc.ProcessingRequest{chat, answer, body}, codes.OK, true}, // fails closed
		{"body alone", []*extproc.ProcessingRequest{body}, codes.OK, false},
		{"second body", []*extproc.ProcessingRequest{chat, answer, body, body}, codes.OK, false},
		{"trailers", []*extproc.ProcessingRequest{
			chat,
			{Request: &extproc.ProcessingRequest_RequestTrailers{}},
			{Request: &extproc.ProcessingRequest_ResponseTrailers{}},
		}, codes.OK, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			stream, err := client.Process(t.Context())
			require.NoError(t, err)
			var last *extproc.ProcessingResponse
			for _, m := range tc.messages {
				require.NoError(t, stream.Send(m))
				if last, err = stream.Recv(); err != nil {
					break
				}
			}
			require.Equal(t, tc.code, status.Code(err))
			require.Equal(t, tc.refused, last.GetImmediateResponse() != nil)
			require.NoError(t, stream.CloseSend())
		})
	}
}
