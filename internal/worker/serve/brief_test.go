package serve

import (
	stdjson "encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// POST /check takes the names of its description, and answers in short, with the verdict of POST /v1/check.
func TestBrief(t *testing.T) {
	_, url, _ := newServer(t, nil)
	brief := func(body string) (r briefResult) {
		t.Helper()
		got := send(t, "POST", url+"/check?rewrite=remove", body)
		require.Equal(t, http.StatusOK, got.status, got.body)
		require.NoError(t, schemaOf(t, "BriefResult").Validate(parse(t, got.body)), got.body)
		require.NoError(t, stdjson.Unmarshal([]byte(got.body), &r))
		return r
	}
	bad := brief(`{"response_text": "The lamp costs 30 euros and ships in 9 days [9].", "source_documents": ["The lamp costs 20 euros and ships in 4 days."], "tenant": "shop"}`)
	whole := send(t, "POST", url+"/v1/check", wrong)
	var flag struct {
		IncidentID     string `json:"incident_id"`
		Risk           *float64
		Recommendation string
	}
	require.NoError(t, stdjson.Unmarshal([]byte(whole.body), &flag))
	require.Equal(t, flag.IncidentID, bad.IncidentID, "the same answer")
	require.Equal(t, flag.Risk, bad.RiskScore)
	require.Equal(t, flag.Recommendation, string(bad.Recommendation))
	require.Equal(t, []string{
		`citation: "The lamp costs 30 euros and ships in 9 days [9]": no source has this id`,
		`facts: "30 euros"; the source says 20 euros`, `facts: "9 days"; the source says 4 days`,
	}, bad.Flags)

	good := brief(`{"response_text": "The lamp costs 20 euros.", "source_documents": [{"page_content": "The lamp costs 20 euros."}], "prompt": "What does it cost?"}`)
	require.Empty(t, good.Flags)
	require.Equal(t, "allow", string(good.Recommendation))
	require.Equal(t, "full", string(good.Checked))
	none := brief(`{"response_text": "The lamp costs 20 euros."}`)
	require.Contains(t, none.Unchecked, "no_sources")
	require.Empty(t, none.Ignored)
	require.Equal(t, []string{"source_document"}, brief(`{"response_text": "The lamp costs 20 euros.", "source_document": ["20 euros"]}`).Ignored)
	refused := send(t, "POST", url+"/check", `{"answer": "Yes."}`)
	require.Equal(t, "missing_answer", refused.code(t))
	require.Contains(t, refused.body, "; it has answer")
}

// Its refusals are those of the other paths, and a failure that lets the answer through is as short.
func TestBriefRefusals(t *testing.T) {
	body := `{"response_text": "The lamp costs 30 euros and ships in 9 days [9].", "source_documents": ["The lamp costs 20 euros and ships in 4 days."]}`
	_, url, _ := newServer(t, func(c *config.Config) {
		blockAll(c)
		c.Serve.Auth.Logins = []config.Login{{Name: "shop", Token: shopToken, Tenants: []string{"shop"}}}
	})
	require.Equal(t, "credentials", send(t, "POST", url+"/check", body).code(t))
	require.Equal(t, "tenant_not_allowed", send(t, "POST", url+"/check", body, "Authorization", "Bearer "+shopToken, "X-Confab-Tenant", "bank").code(t))
	require.Equal(t, "blocked_by_policy", send(t, "POST", url+"/check", body, "Authorization", "Bearer "+shopToken).code(t))

	_, url, _ = newServer(t, func(c *config.Config) { c.Serve.Deadline = 1 })
	got := send(t, "POST", url+"/check", body)
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.NoError(t, schemaOf(t, "BriefResult").Validate(parse(t, got.body)), got.body)
	require.Contains(t, got.body, `"unchecked":["deadline"]`)
}

// Sources in the metadata of a request are those of the check.
func TestSourcesInMetadata(t *testing.T) {
	_, url, _ := newServer(t, blockAll)
	for _, sources := range []string{
		`["The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan."]`,
		`[{"id": "1", "text": "The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan."}]`,
		`"[\"The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan.\"]"`,
	} {
		request := `{"request": {"messages": [{"role": "user", "content": "What does the lamp cost?"}], "metadata": {"grounding.sources": ` + sources + `}}, "response": `
		require.Equal(t, "blocked_by_policy", send(t, "POST", url+"/v1/check/chat", request+completionOf(contentOf(lampBad))+"}").code(t), sources)
		good := send(t, "POST", url+"/v1/check/chat", request+completionOf(contentOf(lampGood))+"}")
		require.Equal(t, http.StatusOK, good.status, good.body)
		require.Equal(t, "full", good.header.Get("X-Confab-Checked"))
	}
}

func TestBriefOfAgents(t *testing.T) {
	require.Equal(t, []string{`tools: "It has been sent."; call call_7: refund_order: error`},
		inWords(&schemas.Signal{Detector: "tools", Evidence: []schemas.Evidence{{Excerpt: "It has been sent.", Note: "refund_order: error", CallID: "call_7"}}}))
}
