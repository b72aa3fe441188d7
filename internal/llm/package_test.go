package llm

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inBubble runs f with a client of a server in memory, in virtual time.
func inBubble(t *testing.T, server llmtest.Options, f func(t *testing.T, c *Client, s *llmtest.Server), tweaks ...func(*Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.Memory(t, server)
		o := Options{BaseURL: s.URL + "/v1", Model: "tiny", Redact: identityRedact, Dial: s.Dial}
		for _, tweak := range tweaks {
			tweak(&o)
		}
		c, err := New(o)
		require.NoError(t, err)
		t.Cleanup(c.Close)
		f(t, c, s)
	})
}

func identityRedact(text string) string { return text }

func askOnce(text string) Request { return Request{Messages: []Message{{User, text}}} }

// chatBody is a reply of one choice.
func chatBody(text string) string {
	return `{"choices":[{"message":{"content":"` + text + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
}

func scriptedServer(replies ...llmtest.Reply) llmtest.Options {
	return llmtest.Options{Script: replies}
}

func alwaysReply(r llmtest.Reply) llmtest.Options {
	r.Times = -1
	return scriptedServer(r)
}

func headerMap(pairs ...string) map[string]string {
	h := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = pairs[i+1]
	}
	return h
}

var tenMegabytes = strings.Repeat("x", 10<<20)
