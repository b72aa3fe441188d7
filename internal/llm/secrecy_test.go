package llm

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
	"confab/internal/redact"
)

const (
	canaryKey  = "sk-CANARYKEY0123456789"
	canaryText = "CANARYTEXT"
	canaryHost = "canaryhost.test"
)

// A server that echoes prompt, key and address everywhere gets none of them into an error, a log or a metric.
func TestNothingLeaks(t *testing.T) {
	echo := fmt.Sprintf(`{"error":{"message":"you said %[1]s with %[2]s","param":"%[1]s","code":"%[1]s","type":"%[2]s"}}`, canaryText, canaryKey)
	pairs := headerMap("Retry-After", canaryText, "Location", "http://"+canaryText+"/", "Date", canaryKey, "Content-Type", canaryText)
	servers := map[string]llmtest.Options{
		"resets":  alwaysReply(llmtest.Reply{Reset: true}),
		"hangs":   alwaysReply(llmtest.Reply{Hang: true}),
		"cut":     alwaysReply(llmtest.Reply{Body: echo, Cut: 10}),
		"garbage": alwaysReply(llmtest.Reply{Body: canaryText + canaryKey}),
		"labels":  alwaysReply(llmtest.Reply{Body: `{"choices":[{"message":{"content":7},"finish_reason":"` + canaryText + `"}],"model":"` + canaryText + `"}`}),
	}
	for _, status := range []int{200, 307, 400, 401, 413, 422, 429, 500, 599} {
		servers[fmt.Sprint(status)] = alwaysReply(llmtest.Reply{Status: status, Body: echo, Header: pairs})
	}
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			reg := prometheus.NewRegistry()
			var seen bytes.Buffer
			inBubble(t, server, func(t *testing.T, c *Client, s *llmtest.Server) {
				log := slog.New(slog.NewJSONHandler(&seen, nil))
				_, err := c.Chat(t.Context(), askOnce(canaryText))
				_, err2 := c.Embed(t.Context(), []string{canaryText})
				_, err3 := c.Verify(t.Context(), formOfKind(KindNLI), []Pair{{canaryText, canaryText}})
				for _, err := range []error{err, err2, err3} {
					fmt.Fprintf(&seen, "%v %+v %#v\n", err, err, err)
					log.Info("failed", "err", err)
				}
				fmt.Fprintf(&seen, "%v %+v %#v %s\n", c, c, c, c)
				require.NotEmpty(t, s.Requests())
			}, func(o *Options) {
				o.BaseURL, o.APIKey, o.Metrics = "http://"+canaryHost+"/v1", redact.Secret(canaryKey), NewMetrics(reg, "tiny")
				fmt.Fprintf(&seen, "%v %+v\n", o.APIKey, o.APIKey)
			})
			families, err := reg.Gather()
			require.NoError(t, err)
			for _, f := range families {
				_, err := expfmt.MetricFamilyToText(&seen, f)
				require.NoError(t, err)
			}
			low := strings.ToLower(seen.String())
			require.Contains(t, low, "confab_llm_requests_total", "the test sees something")
			for _, canary := range []string{canaryKey, canaryText, canaryHost} {
				require.NotContains(t, low, strings.ToLower(canary))
			}
		})
	}
}

// Whatever leaves has been through the redaction: messages, texts to embed, pairs to check.
func TestWhatLeavesIsRedacted(t *testing.T) {
	canaries := []string{"jane.doe@example.com", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", "4111 1111 1111 1111"}
	text := "Contact " + strings.Join(canaries, " or ") + "."
	inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
		_, err := c.Chat(t.Context(), Request{Messages: []Message{{System, text}, {User, text}, {Assistant, text}}})
		require.NoError(t, err)
		_, err = c.Embed(t.Context(), []string{text})
		require.NoError(t, err)
		require.Len(t, s.Requests(), 2)
		for _, r := range s.Requests() {
			require.Contains(t, r.Body, "Contact")
			for _, canary := range canaries {
				require.NotContains(t, r.Body, canary)
			}
		}
	}, func(o *Options) { o.Redact = redact.Redact })
	inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, s *llmtest.Server) {
		_, err := c.Verify(t.Context(), formOfKind(KindNLI), []Pair{{text, text}})
		require.NoError(t, err)
		for _, canary := range canaries {
			require.NotContains(t, s.Requests()[0].Body, canary)
		}
	}, func(o *Options) { o.Redact = redact.Redact }, predictReply)
}

// The caller's own messages stay as they are.
func TestRedactionLeavesTheRequestAlone(t *testing.T) {
	inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, _ *llmtest.Server) {
		req := askOnce("secret")
		_, err := c.Chat(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, "secret", req.Messages[0].Text)
	}, func(o *Options) { o.Redact = func(string) string { return "-" } })
}

// A redirect, which would take the prompt and the key along, is not followed: the other server hears nothing.
func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		other, err := llmtest.Listen(t, llmtest.Options{})
		require.NoError(t, err)
		first, err := llmtest.Listen(t, alwaysReply(llmtest.Reply{Status: status, Header: headerMap("Location", other.URL+"/v1/chat/completions")}))
		require.NoError(t, err)
		c, err := New(Options{BaseURL: first.URL + "/v1", Model: "tiny", Redact: identityRedact, APIKey: testKey("k")})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		_, err = c.Chat(t.Context(), askOnce("Why?"))
		require.Equal(t, Refused, ClassOf(err))
		require.ErrorContains(t, err, "redirects")
		require.Len(t, first.Requests(), 1)
		require.Empty(t, other.Requests())
	}
}

// Over real sockets: a reply, and a reset.
func TestSockets(t *testing.T) {
	s, err := llmtest.Listen(t, scriptedServer(llmtest.Reply{Body: chatBody("a")}, llmtest.Reply{Reset: true}))
	require.NoError(t, err)
	c, err := New(Options{BaseURL: s.URL + "/v1", Model: "tiny", Redact: identityRedact, MaxRetries: -1})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	got, err := c.Chat(t.Context(), askOnce("Why?"))
	require.NoError(t, err)
	require.Equal(t, "a", got.Choices[0].Text)
	_, err = c.Chat(t.Context(), askOnce("Why?"))
	require.Equal(t, Retryable, ClassOf(err))
}

// The proxy is the configuration's: the environment's would be asked for a host that is not this machine.
func TestEnvironmentIsNotAsked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://"+canaryHost)
	c, err := New(Options{BaseURL: "http://llm.test/v1", Model: "tiny", Redact: identityRedact})
	require.NoError(t, err)
	tr, ok := c.http.Transport.(*http.Transport)
	require.True(t, ok)
	require.Nil(t, tr.Proxy)
}
