package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/config/listen"
	"confab/cmd/worker/internal/config/serving"
	"confab/schemas"
)

const (
	lampRequest = `{"model":"m","messages":[{"role":"system","content":"Answer from the context.\n\nContext:\n[1] The lamp costs 20 euros and ships in 4 days."},{"role":"user","content":"What does the lamp cost?"}]}`
	lampWrong   = `{"id":"c-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"The lamp costs 30 euros and ships in 9 days."},"finish_reason":"stop"}]}`
	lampRight   = `{"id":"c-2","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"The lamp costs 20 euros."},"finish_reason":"stop"}]}`
	lampTool    = `{"id":"c-3","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"t"}]},"finish_reason":"tool_calls"}]}`
	lampStream  = `data: {"id":"c-4","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"The lamp costs 30 euros and "},"finish_reason":null}]}` + "\n\n" +
		`data: {"id":"c-4","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"ships in 9 days."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

const twoStreams = `data: {"id":"c-5","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"The lamp costs 20 euros."},"finish_reason":"stop"}]}` + "\n\n" +
	`data: {"id":"c-5","object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"The lamp costs 30 euros and ships in 9 days."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// upstream is a scripted server of chat completions, which requires its own key and refuses Confab's headers.
func upstream(t *testing.T, kind, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "X-Confab-") {
				http.Error(w, name, http.StatusTeapot)
				return
			}
		}
		got, _ := io.ReadAll(r.Body)
		switch {
		case r.Header.Get("Authorization") != "Bearer sk-model":
			http.Error(w, "no key", http.StatusUnauthorized)
		case r.URL.Path == "/base/v1/models":
			_, _ = io.WriteString(w, "models")
		case r.URL.Path != "/base/v1/chat/completions" || string(got) != lampRequest:
			http.Error(w, "another request", http.StatusTeapot)
		default:
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/base"
}

func TestProxy(t *testing.T) {
	several := strings.Replace(lampRight, `"finish_reason":"stop"}]`, `"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"The lamp costs 30 euros and ships in 9 days."},"finish_reason":"stop"}]`, 1)
	for name, c := range map[string]struct {
		tenant, kind, body string
		status             int
		contains, checked  string
	}{
		"log":                {"log", "application/json", lampWrong, 200, lampWrong, ""},
		"flag":               {"flag", "application/json", lampWrong, 200, lampWrong, "block"},
		"block":              {"block", "application/json", lampWrong, 403, "blocked_by_policy", "block"},
		"block, right":       {"block", "application/json", lampRight, 200, lampRight, "allow"},
		"block, one of two":  {"block", "application/json", several, 403, "blocked_by_policy", "block"},
		"block, tool":        {"block", "application/json", lampTool, 200, lampTool, "allow"},
		"closed, tool":       {"closed", "application/json", lampTool, 200, lampTool, "allow"},
		"block, no JSON":     {"block", "application/json", "{", 200, "{", ""},
		"closed, no JSON":    {"closed", "application/json", "{", 503, `"error"`, ""},
		"closed, too large":  {"closed", "application/json", strings.Repeat(" ", 20_000), 503, `"code":"body_too_large"`, ""},
		"open, too large":    {"block", "application/json", strings.Repeat(" ", 20_000), 200, strings.Repeat(" ", 20_000), ""},
		"stream, log":        {"log", "text/event-stream", lampStream, 200, lampStream, ""},
		"stream, flag":       {"flag", "text/event-stream; charset=utf-8", lampStream, 200, lampStream + `: confab {"X-Confab-Fired":`, ""},
		"stream, block":      {"block", "text/event-stream", lampStream, 403, "blocked_by_policy", "block"},
		"stream, no chunks":  {"flag", "text/event-stream", "data: x\n\n", 200, "data: x\n\n", ""},
		"stream, one of two": {"block", "text/event-stream", twoStreams, 403, "blocked_by_policy", "block"},
		"stream, pings":      {"block", "text/event-stream", "id: 1\nevent: ping\ndata: {}\n\n" + lampStream, 403, "blocked_by_policy", "block"},
		"stream, half":       {"flag", "text/event-stream", strings.TrimSuffix(lampStream, "\n\n"), 200, "[DONE]\n\n: confab {", ""},
		"stream, closed":     {"closed", "text/event-stream", "data: x\n\n", 503, `"code":"stream"`, ""},
		"another type":       {"block", "text/plain", lampWrong, 200, lampWrong, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, url, log := newServer(t, func(cfg *config.Config) {
				cfg.Serve.Upstream, cfg.Serve.MaxBodySize = upstream(t, c.kind, c.body), 10_000
				cfg.Serve.Auth.Tokens = []listen.Token{{Name: "app", Token: "0123456789abcdef", Tenants: []string{"*"}}}
				cfg.Tenants = map[string]config.Tenant{
					"flag":   {TenantOptions: alerting.TenantOptions{Action: schemas.ActionFlag}},
					"block":  {TenantOptions: alerting.TenantOptions{Action: schemas.ActionBlock}},
					"closed": {TenantOptions: alerting.TenantOptions{Action: schemas.ActionBlock}, Serve: serving.TenantSettings{OnFailure: serving.FailClosed}},
				}
			})
			a := send(t, "POST", url+"/v1/chat/completions", lampRequest,
				"Authorization", "Bearer sk-model", "X-Confab-Token", "0123456789abcdef", "X-Confab-Tenant", c.tenant)
			require.Equal(t, c.status, a.status, a.body)
			require.Contains(t, a.body, c.contains)
			require.Equal(t, c.checked, a.header.Get("X-Confab-Recommendation"))
			require.NotContains(t, log.String(), "lamp")
			require.NotContains(t, log.String(), "sk-model")
		})
	}
}

func TestProxyPassesOn(t *testing.T) {
	_, url, _ := newServer(t, func(cfg *config.Config) {
		cfg.Serve.Upstream = upstream(t, "", "")
		cfg.Serve.Auth.Tokens = []listen.Token{{Name: "app", Token: "0123456789abcdef", Tenants: []string{"shop"}}}
	})
	login := []string{"X-Confab-Token", "0123456789abcdef"}
	a := send(t, "GET", url+"/v1/models", "", append(login, "Authorization", "Bearer sk-model")...)
	require.Equal(t, "models", a.body)
	require.Equal(t, 401, send(t, "GET", url+"/v1/models", "", append(login, "Authorization", "Bearer other")...).status, "the upstream's own refusal")
	a = send(t, "GET", url+"/v1/models", "", "Authorization", "Bearer sk-model")
	require.Equal(t, "credentials", a.code(t))
	require.Equal(t, "tenant_not_allowed", send(t, "POST", url+"/v1/chat/completions", lampRequest, append(login, "X-Confab-Tenant", "bank")...).code(t))
}

// Confab's own token is not for the upstream server.
func TestProxyKeepsItsToken(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Authorization") }))
	t.Cleanup(server.Close)
	_, url, _ := newServer(t, func(cfg *config.Config) {
		cfg.Serve.Upstream = server.URL
		cfg.Serve.Auth.Tokens = []listen.Token{{Name: "app", Token: "0123456789abcdef", Tenants: []string{"shop"}}}
	})
	require.Equal(t, 200, send(t, "GET", url+"/v1/models", "", "Authorization", "Bearer 0123456789abcdef").status)
	require.Empty(t, <-got)
}

func TestProxyWithoutUpstream(t *testing.T) {
	_, url, _ := newServer(t, func(cfg *config.Config) { cfg.Serve.Upstream = "http://127.0.0.1:1" })
	a := send(t, "POST", url+"/v1/chat/completions", lampRequest)
	require.Equal(t, 502, a.status)
	require.Equal(t, "upstream", a.code(t))
}
