package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	stdjson "encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab"
	"confab/alerting"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/schemas"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	wrong      = `{"answer": "The lamp costs 30 euros and ships in 9 days [9].", "sources": ["The lamp costs 20 euros and ships in 4 days."], "tenant": "shop"}`
	ungrounded = `{"answer": "The lamp costs 30 euros. It was designed by Peter Novak in 1987.", "sources": ["The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan."]}`
	right      = `{"interaction_id": "i-1", "answer": "The lamp costs 20 euros.", "sources": ["The lamp costs 20 euros."]}`
)

// newServer starts a server and returns it with its URL and its log.
func newServer(t *testing.T, change func(c *config.Config), more ...func(o *Options)) (s *Server, url string, log *bytes.Buffer) {
	t.Helper()
	c := config.Default()
	c.Kafka.Inputs[0].TenantFrom = config.TenantPayload
	if change != nil {
		change(c)
	}
	require.NoError(t, c.Validate())
	options, err := evaluation.FastOptions(c, nil, nil)
	require.NoError(t, err)
	evaluator, err := evaluation.New(c, options)
	require.NoError(t, err)
	var current atomic.Pointer[confab.Evaluator]
	current.Store(evaluator)
	log = &bytes.Buffer{}
	o := Options{
		Config: c, Evaluator: &current, Registry: prometheus.NewRegistry(), Now: time.Now,
		Logger: slog.New(slog.NewJSONHandler(log, nil)),
		Deep:   func() (*confab.Evaluator, func(), error) { return nil, nil, errors.New("no endpoint") },
	}
	for _, f := range more {
		f(&o)
	}
	s, err = New(o)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(s.Handler())
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return s, server.URL, log
}

// blockAll makes every tenant's action BLOCK.
func blockAll(c *config.Config) {
	c.Tenants = map[string]config.Tenant{}
	for _, name := range []string{schemas.DefaultTenant, "shop"} {
		c.Tenants[name] = config.Tenant{TenantOptions: alerting.TenantOptions{Action: schemas.ActionBlock}}
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (a *answer) code(t *testing.T) string {
	t.Helper()
	var body struct {
		Error struct{ Code, Message, Type string }
	}
	require.NoError(t, stdjson.Unmarshal([]byte(a.body), &body), a.body)
	require.NotEmpty(t, body.Error.Message)
	require.NotEmpty(t, body.Error.Type)
	return body.Error.Code
}

func send(t *testing.T, method, url, body string, headers ...string) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	resp, err := client.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return &answer{resp.StatusCode, resp.Header, string(text)}
}

func compress(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestRefusals(t *testing.T) {
	_, url, log := newServer(t, func(c *config.Config) {
		c.Serve.MaxBodySize = 4096
		c.Serve.Auth.Logins = []config.Login{
			{Name: "shop", Token: "0123456789abcdef", Tenants: []string{"shop"}}, {Name: "two", Token: "0123456789abcdeg", Tenants: []string{"a", "b"}},
		}
	})
	login := []string{"Authorization", "Bearer 0123456789abcdef"}
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		code               string
	}{
		"unknown path":          {"POST", "/v2/check", right, login, 404, "unknown_path"},
		"GET":                   {"GET", "/v1/check", "", login, 405, "method_not_allowed"},
		"no token":              {"POST", "/v1/check", right, nil, 401, "credentials"},
		"wrong token":           {"POST", "/v1/check", right, []string{"Authorization", "Bearer 0123456789abcdeX"}, 401, "credentials"},
		"another scheme":        {"POST", "/v1/check", right, []string{"Authorization", "Basic c2hvcDpzaG9w"}, 401, "credentials"},
		"another tenant":        {"POST", "/v1/check", right, append(login, "X-Confab-Tenant", "bank"), 403, "tenant_not_allowed"},
		"another tenant inside": {"POST", "/v1/check", strings.Replace(wrong, "shop", "bank", 1), login, 403, "tenant_not_allowed"},
		"several tenants":       {"POST", "/v1/check", right, []string{"X-Confab-Token", "0123456789abcdeg"}, 400, "tenant_missing"},
		"content type":          {"POST", "/v1/check", right, append(login, "Content-Type", "text/plain"), 415, "content_type"},
		"no content type":       {"POST", "/v1/check", right, append(login, "Content-Type", ""), 415, "content_type"},
		"lines of chats":        {"POST", "/v1/check/chat", right, append(login, "Content-Type", "application/x-ndjson"), 415, "content_type"},
		"brotli":                {"POST", "/v1/check", right, append(login, "Content-Encoding", "br"), 415, "content_encoding"},
		"no gzip":               {"POST", "/v1/check", right, append(login, "Content-Encoding", "gzip"), 400, "truncated_body"},
		"empty":                 {"POST", "/v1/check", " \n", login, 400, "empty_body"},
		"no JSON":               {"POST", "/v1/check", "answer", login, 400, "syntax"},
		"half of a JSON":        {"POST", "/v1/check", right[:40], login, 400, "syntax"},
		"no answer":             {"POST", "/v1/check", `{"sources": ["x"]}`, login, 400, "missing_answer"},
		"no UTF-8":              {"POST", "/v1/check", "{\"answer\": \"a\xffb\"}", login, 400, "bad_utf8"},
		"too large":             {"POST", "/v1/check", `{"answer": "` + strings.Repeat("a", 5000) + `"}`, login, 413, "body_too_large"},
		"too large unpacked":    {"POST", "/v1/check", compress(t, `{"answer": "`+strings.Repeat("a", 500_000)+`"}`), append(login, "Content-Encoding", "gzip"), 413, "body_too_large"},
		"deadline":              {"POST", "/v1/check", right, append(login, "X-Confab-Deadline-Ms", "soon"), 400, "deadline"},
		"pass":                  {"POST", "/v1/check?pass=slow", right, login, 400, "pass"},
		"no models":             {"POST", "/v1/check?pass=deep", right, login, 400, "pass"},
		"preset":                {"POST", "/v1/check?preset=none", right, login, 400, "preset"},
		"no response":           {"POST", "/v1/check/chat", `{"request": {"messages": []}}`, login, 400, "missing_answer"},
		"response null":         {"POST", "/v1/check/chat", `{"response": null}`, login, 400, "missing_answer"},
		"tenant as a number":    {"POST", "/v1/check/chat", `{"tenant": 7, "response": {}}`, login, 400, "wrong_type"},
		"long tenant":           {"POST", "/v1/check", right, append(login, "X-Confab-Tenant", strings.Repeat("a", 257)), 400, "tenant_name"},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, c.method, url+c.path, c.body, c.headers...)
			require.Equal(t, c.status, a.status, a.body)
			require.Equal(t, c.code, a.code(t))
			require.Equal(t, c.status == 401, a.header.Get("WWW-Authenticate") != "")
			require.Equal(t, c.status == 405, a.header.Get("Allow") != "")
		})
	}
	require.NotContains(t, log.String(), "lamp", "no text in the log")
	require.NotContains(t, log.String(), "0123456789abcde", "no token in the log")
}

func TestActions(t *testing.T) {
	_, url, log := newServer(t, func(c *config.Config) {
		c.Tenants = map[string]config.Tenant{}
		for name, action := range map[string]schemas.Action{"log": schemas.ActionLog, "flag": schemas.ActionFlag, "block": schemas.ActionBlock} {
			c.Tenants[name] = config.Tenant{TenantOptions: alerting.TenantOptions{Action: action}}
		}
	})
	for _, c := range []struct {
		tenant, body string
		status       int
		recommends   string
	}{
		{"log", wrong, 200, ""},
		{"flag", wrong, 200, "block"},
		{"flag", right, 200, "allow"},
		{"block", ungrounded, 403, "block"},
		{"block", right, 200, "allow"},
	} {
		a := send(t, "POST", url+"/v1/check", c.body, "X-Confab-Tenant", c.tenant, "Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		require.Equal(t, c.status, a.status, a.body)
		require.Equal(t, c.recommends, a.header.Get("X-Confab-Recommendation"), c.tenant)
		if c.status == 200 {
			var f schemas.Flag
			require.NoError(t, stdjson.Unmarshal([]byte(a.body), &f))
			require.Equal(t, c.tenant, f.Tenant)
			continue
		}
		require.Equal(t, "blocked_by_policy", a.code(t))
		var e struct {
			Error struct {
				Type       string
				TraceID    string `json:"trace_id"`
				IncidentID string `json:"incident_id"`
				Risk       float64
				Fired      []string
				Claims     []schemas.Claim `json:"ungrounded_claims"`
			}
			Flag schemas.Flag
		}
		require.NoError(t, stdjson.Unmarshal([]byte(a.body), &e))
		require.Equal(t, "hallucination_detected", e.Error.Type)
		require.Equal(t, e.Flag.IncidentID, e.Error.IncidentID)
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", e.Error.TraceID)
		require.NotEmpty(t, e.Error.Fired)
		require.NotEmpty(t, e.Error.Claims)
		require.InDelta(t, *e.Flag.Risk, e.Error.Risk, 1e-9)
	}
	require.Equal(t, 5, strings.Count(log.String(), `"msg":"answer checked"`))
	require.Contains(t, log.String(), `"decision":"blocked"`)
	require.Equal(t, 3, strings.Count(log.String(), `"event":"HALLUCINATION_DETECTED"`))
	require.NotContains(t, log.String(), "lamp")
}

// Of many lines the bad ones have an error with their number; the others are answered in order.
func TestLines(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	_, url, _ := newServer(t, nil)
	const n, bad = 10_000, 4321
	var body strings.Builder
	for i := range n {
		if i+1 == bad {
			body.WriteString("{\"answer\": 7}\n")
			continue
		}
		body.WriteString(`{"interaction_id": "i-` + time.Duration(i).String() + `", "answer": "Short."}` + "\n")
	}
	a := send(t, "POST", url+"/v1/check", compress(t, body.String()), "Content-Type", "application/x-ndjson", "Content-Encoding", "gzip")
	require.Equal(t, 200, a.status)
	lines := strings.Split(strings.TrimSuffix(a.body, "\n"), "\n")
	require.Len(t, lines, n)
	for i, line := range lines {
		var out struct {
			ID    string `json:"interaction_id"`
			Line  int
			Error struct{ Code string }
		}
		require.NoError(t, stdjson.Unmarshal([]byte(line), &out))
		if i+1 == bad {
			require.Equal(t, bad, out.Line)
			require.Equal(t, "wrong_type", out.Error.Code)
			continue
		}
		require.Equal(t, "i-"+time.Duration(i).String(), out.ID)
	}
	a = send(t, "POST", url+"/v1/check", "\n \n", "Content-Type", "application/x-ndjson")
	require.Equal(t, "empty_body", a.code(t))
}

// What cannot be checked or published is let through or refused, as the tenant says.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		code    string
		headers []string
		publish Publish
	}{
		"publish": {"publish", nil, func(context.Context, *schemas.Flag, *schemas.Interaction, []byte) error {
			return errors.New("no broker")
		}},
		"deadline": {"deadline", []string{"X-Confab-Deadline-Ms", "1"}, func(ctx context.Context, _ *schemas.Flag, _ *schemas.Interaction, _ []byte) error {
			<-ctx.Done()
			return errDeadline
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, url, log := newServer(t, func(cfg *config.Config) {
				cfg.Tenants = map[string]config.Tenant{"strict": {Serve: config.TenantServe{OnFailure: config.FailClosed}}}
			}, func(o *Options) { o.Publish = c.publish })
			a := send(t, "POST", url+"/v1/check", right, c.headers...)
			require.Equal(t, 200, a.status)
			require.Equal(t, "none", a.header.Get("X-Confab-Checked"))
			require.Equal(t, c.code, a.header.Get("X-Confab-Unchecked"))
			require.Contains(t, a.body, `"checked":"none"`)
			a = send(t, "POST", url+"/v1/check", right, append(c.headers, "X-Confab-Tenant", "strict")...)
			require.Equal(t, 503, a.status)
			require.NotEmpty(t, a.header.Get("Retry-After"))
			require.Contains(t, log.String(), `"decision":"failed_open"`)
			require.Contains(t, log.String(), `"decision":"failed_closed"`)
		})
	}
}

func TestRateLimit(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) {
		c.Serve.RateLimit, c.Serve.RateBurst = 0.001, 2
		c.Tenants = map[string]config.Tenant{"free": {Serve: config.TenantServe{RateLimit: new(float64)}}}
	})
	var codes []int
	for range 3 {
		codes = append(codes, send(t, "POST", url+"/v1/check", right).status)
	}
	require.Equal(t, []int{200, 200, 429}, codes)
	require.NotEmpty(t, send(t, "POST", url+"/v1/check", right).header.Get("Retry-After"))
	require.Equal(t, 200, send(t, "POST", url+"/v1/check", right, "X-Confab-Tenant", "free").status)
}

// While all slots are taken a request is refused; a slow body does not keep its slot.
func TestSlowAndCrowded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	_, url, _ := newServer(t, func(c *config.Config) {
		c.Serve.MaxConcurrent, c.Serve.ReadTimeout = 1, 2500*time.Millisecond
	})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"answer\"")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return send(t, "POST", url+"/v1/check", right).status == http.StatusServiceUnavailable
	}, 2*time.Second, time.Millisecond)
	text, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(text), "408 Request Timeout")
	require.Equal(t, 200, send(t, "POST", url+"/v1/check", right).status)
}

// A page in a browser on this machine cannot reach a server without logins under a name of its own.
func TestRebinding(t *testing.T) {
	s, _, _ := newServer(t, nil)
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/check", strings.NewReader(right))
	r.Host = "attacker.example"
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	require.Equal(t, http.StatusMisdirectedRequest, w.Code)
}

// A response that was streamed is checked like the whole one.
func TestStreamedChat(t *testing.T) {
	_, url, _ := newServer(t, nil)
	chunk := func(content, finish string) string {
		return `{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + content + `"},"finish_reason":` + finish + `}]}`
	}
	a, b := chunk("The lamp costs ", "null"), chunk("30 euros.", `"stop"`)
	events, err := stdjson.Marshal("data: " + a + "\n\ndata: " + b + "\n\ndata: [DONE]\n\n")
	require.NoError(t, err)
	whole := `{"id":"c-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"The lamp costs 30 euros."},"finish_reason":"stop"}]}`
	ids := map[string]bool{}
	for _, response := range []string{string(events), "[" + a + "," + b + "]", whole} {
		got := send(t, "POST", url+"/v1/check/chat", `{"request":{"messages":[],"stream":true},"sources":["The lamp costs 20 euros."],"tenant":"shop","response":`+response+`}`)
		require.Equal(t, 200, got.status, got.body)
		var f schemas.Flag
		require.NoError(t, stdjson.Unmarshal([]byte(got.body), &f))
		require.Equal(t, "shop", f.Tenant)
		require.NotEmpty(t, f.Fired)
		require.Equal(t, "streaming_response", f.Grounding.Source)
		ids[f.IncidentID] = true
	}
	require.Len(t, ids, 1)
}

// A body of exactly the limit is read, one byte more is not.
func TestBodyLimit(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) { c.Serve.MaxBodySize = 1024 })
	body := `{"answer": "Short."}`
	require.Equal(t, 200, send(t, "POST", url+"/v1/check", body+strings.Repeat(" ", 1024-len(body))).status)
	require.Equal(t, 413, send(t, "POST", url+"/v1/check", body+strings.Repeat(" ", 1025-len(body))).status)
}

// Requests for many tenants do not fill the memory.
func TestManyTenants(t *testing.T) {
	c := config.Default()
	c.Serve.RateLimit, c.Serve.RateBurst = 0.001, 2
	l := newTenantLimits(c)
	for i := range 3 * maxTenants {
		l.reserve(strconv.Itoa(i), time.Now())
	}
	require.LessOrEqual(t, l.buckets.Len(), maxTenants)
}

// What is published to an input of one tenant must be of that tenant.
func TestFixedTenant(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) {
		c.Kafka.Inputs[0].TenantFrom, c.Serve.Publish = config.TenantFixed, config.PublishAll
	}, func(o *Options) {
		o.Publish = func(context.Context, *schemas.Flag, *schemas.Interaction, []byte) error { return nil }
	})
	require.Equal(t, 200, send(t, "POST", url+"/v1/check", right).status)
	require.Equal(t, "tenant_not_allowed", send(t, "POST", url+"/v1/check", wrong).code(t))
}
