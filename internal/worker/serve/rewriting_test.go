package serve

import (
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
	"confab/internal/worker/config"
	"confab/schemas"
)

const halfWrong = `{"answer": "The lamp costs 20 euros. It ships in 9 days from our Geneva office.", "sources": ["The lamp costs 20 euros and ships in 4 days."], "tenant": "shop"}`

// rewritten is the part of a response that rewriting adds, with the fields of the flag that tests look at.
type rewritten struct {
	Fired      []string          `json:"fired"`
	Attributes map[string]string `json:"attributes"`
	Rewrite    *rewrite.Result   `json:"rewrite"`
	Flag       *schemas.Flag     `json:"flag"`
}

func decodeRewritten(t *testing.T, body string) (r rewritten) {
	t.Helper()
	require.NoError(t, stdjson.Unmarshal([]byte(body), &r), body)
	return r
}

func TestRewriteOnRequest(t *testing.T) {
	_, url, _ := newServer(t, nil)
	plain := send(t, "POST", url+"/v1/check", halfWrong)
	require.NotContains(t, plain.body, `"rewrite"`)
	require.NotEmpty(t, decodeRewritten(t, plain.body).Fired)

	got := send(t, "POST", url+"/v1/check?rewrite=remove", halfWrong)
	require.Equal(t, 200, got.status)
	r := decodeRewritten(t, got.body)
	require.NotEmpty(t, r.Fired)
	require.NotNil(t, r.Rewrite)
	require.Equal(t, rewrite.StatusRewritten, r.Rewrite.Status, r.Rewrite.Reason)
	require.Equal(t, "The lamp costs 20 euros.", r.Rewrite.Answer)
	require.Equal(t, "The lamp costs 20 euros. It ships in 9 days from our Geneva office.", r.Rewrite.Original)
	require.Empty(t, r.Rewrite.After.Fired)
	hedged := decodeRewritten(t, send(t, "POST", url+"/v1/check?rewrite=hedge", halfWrong).body)
	require.Equal(t, "The lamp costs 20 euros. This could not be verified: It ships in 9 days from our Geneva office.", hedged.Rewrite.Answer)
	quiet := decodeRewritten(t, send(t, "POST", url+"/v1/check?rewrite=remove", right).body)
	require.Equal(t, rewrite.StatusUnchanged, quiet.Rewrite.Status)

	got = send(t, "POST", url+"/v1/check?rewrite=delete", halfWrong)
	require.Equal(t, 400, got.status)
	require.Equal(t, "rewrite", got.code(t))
}

func TestRewriteByTenant(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) {
		c.Rewrite.Mode = "hedge"
		c.Tenants = map[string]config.Tenant{"shop": {Rewrite: rewrite.Settings{Mode: "remove", EmptyAnswer: "Please ask us."}}}
	})
	shop := decodeRewritten(t, send(t, "POST", url+"/v1/check", wrong).body)
	require.Equal(t, rewrite.ModeRemove, shop.Rewrite.Mode)
	require.Equal(t, "Please ask us.", shop.Rewrite.Answer)
	other := decodeRewritten(t, send(t, "POST", url+"/v1/check", strings.Replace(wrong, "shop", "bank", 1)).body)
	require.Equal(t, rewrite.ModeHedge, other.Rewrite.Mode)
	require.NotContains(t, send(t, "POST", url+"/v1/check?rewrite=none", wrong).body, `"rewrite"`)
	chosen := decodeRewritten(t, send(t, "POST", url+"/v1/check?rewrite=annotate", wrong).body)
	require.Equal(t, rewrite.ModeAnnotate, chosen.Rewrite.Mode)
}

// A blocked answer has its rewritten form next to the error and the flag.
func TestRewriteOfBlockedAnswers(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) {
		tenant := config.Tenant{}
		tenant.Action = schemas.ActionBlock
		c.Tenants = map[string]config.Tenant{"shop": tenant}
	})
	got := send(t, "POST", url+"/v1/check?rewrite=remove", wrong)
	require.Equal(t, 403, got.status)
	require.Equal(t, "blocked_by_policy", got.code(t))
	r := decodeRewritten(t, got.body)
	require.NotEmpty(t, r.Flag.Fired)
	require.Equal(t, rewrite.StatusRewritten, r.Rewrite.Status)
	require.Equal(t, rewrite.EmptyAnswer, r.Rewrite.Answer)
}

func TestRewriteOfLines(t *testing.T) {
	_, url, _ := newServer(t, nil)
	body := strings.Join([]string{halfWrong, `{"answer": 3}`, right}, "\n")
	got := send(t, "POST", url+"/v1/check?rewrite=remove", body, "Content-Type", "application/x-ndjson")
	lines := strings.Split(strings.TrimSpace(got.body), "\n")
	require.Len(t, lines, 3)
	require.Equal(t, "The lamp costs 20 euros.", decodeRewritten(t, lines[0]).Rewrite.Answer)
	require.Contains(t, lines[1], `"line":2`)
	require.Equal(t, rewrite.StatusUnchanged, decodeRewritten(t, lines[2]).Rewrite.Status)
}

func TestRewriteOfChats(t *testing.T) {
	_, url, _ := newServer(t, nil)
	body := `{"request": {"messages": [{"role": "user", "content": "What does the lamp cost?"}]}, "sources": ["The lamp costs 20 euros and ships in 4 days."],
"response": {"id": "c-1", "choices": [{"message": {"role": "assistant", "content": "The lamp costs 20 euros. It ships in 9 days from our Geneva office."}}]}}`
	got := send(t, "POST", url+"/v1/check/chat?rewrite=remove", body)
	require.Equal(t, 200, got.status, got.body)
	r := decodeRewritten(t, got.body)
	require.Equal(t, "The lamp costs 20 euros.", r.Rewrite.Answer, "%+v", r.Rewrite)
}

// The API description has every status, mode and reason.
func TestRewriteIsDescribed(t *testing.T) {
	words := []string{
		rewrite.ReasonNoPlace, rewrite.ReasonCode, rewrite.ReasonSchema, rewrite.ReasonStructured, rewrite.ReasonMarkup, rewrite.ReasonStillFires,
		rewrite.ReasonMeasured, rewrite.ReasonEmptyFires, rewrite.ReasonSize, string(rewrite.StatusUnchanged), string(rewrite.StatusRewritten), string(rewrite.StatusFailed),
	}
	for _, mode := range rewrite.Modes() {
		words = append(words, string(mode))
	}
	_, description, found := strings.Cut(string(openAPI), "\n    Rewrite:\n")
	require.True(t, found)
	for _, word := range words {
		require.Regexp(t, `enum: \[.*\b`+word+`\b`, description)
	}
}
