package ui

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// worst is the first flag that is an alert.
func worst(t *testing.T, flags []schemas.Flag) schemas.Flag {
	t.Helper()
	for _, f := range flags {
		if f.Alert {
			return f
		}
	}
	require.Fail(t, "no alert among the samples")
	return schemas.Flag{}
}

func TestIncidentWithItsText(t *testing.T) {
	messages, flags := sampleMessages(t, testConfig(t), nil)
	p := startPage(t, nil, messages...)
	list := p.get("/incidents")
	require.Equal(t, http.StatusOK, list.status)
	f := worst(t, flags)
	require.Contains(t, list.body, `href="/incidents/`+f.IncidentID)
	page := p.get("/incidents/" + f.IncidentID)
	require.Equal(t, http.StatusOK, page.status)
	for _, want := range []string{"<mark", "<blockquote", "threshold", "Question", f.IncidentID, "no label"} {
		require.Contains(t, page.body, want)
	}
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Equal(t, http.StatusSeeOther, p.get("/").status)
	for path, want := range map[string]int{
		"/trends": 200, "/trends?period=month": 200, "/review": 200, "/assets/page.css": 200, "/nothing": 404, "/assets/x": 404,
		"/incidents/" + strings.Repeat("0", 64): 404, "/incidents/x": 404, "/incidents?after=zz": 400, "/incidents?from=yesterday": 400, "/incidents?kind=flagged&pass=deep": 200,
	} {
		got := p.get(path)
		require.Equal(t, want, got.status, path)
		require.Contains(t, got.header.Get("Content-Security-Policy")+got.header.Get("Location"), "frame-ancestors 'none'", path)
	}
}

// Texts that are looked up are redacted by own patterns, also where the flag was written before these.
func TestTextHasOwnPatterns(t *testing.T) {
	messages, flags := sampleMessages(t, testConfig(t), nil)
	f := worst(t, flags)
	shown := func(change func(c *config.Config)) string {
		return startPage(t, change, messages...).get("/incidents/" + f.IncidentID).body
	}
	plain := shown(nil)
	require.NotContains(t, plain, "[capital]")
	redacted := shown(func(c *config.Config) {
		c.Redaction.Patterns = []config.RedactionPattern{{Name: "capital", Pattern: `\b[A-Z][a-z]+ `}}
	})
	require.Contains(t, redacted, "[capital]")
}

func TestTextThatIsGone(t *testing.T) {
	c := testConfig(t)
	_, flags := sampleMessages(t, c, nil)
	f := worst(t, flags)
	other := f
	other.IncidentID, other.Origin.Topic = strings.Repeat("ab", 32), "secrets"
	other.Signals = append([]schemas.Signal{{Detector: "facts", Evidence: []schemas.Evidence{
		{SourceExcerpt: "You get 30 euros.", SourceSays: "30 euros"}, {Note: "refund_order: error", CallID: "call_7"},
	}}}, f.Signals...)
	p := startPage(t, nil, flagMessage(t, c, &f), flagMessage(t, c, &other),
		kafka.Message{Topic: c.Kafka.Inputs[0].Topic, Partition: 0, Value: []byte(`{"interaction_id":"x","answer":"something else"}`)})
	for _, id := range []string{f.IncidentID, other.IncidentID} {
		body := p.get("/incidents/" + id).body
		require.Contains(t, body, "no longer retained")
		require.NotContains(t, body, "something else", "another record at the offset")
		require.Contains(t, body, "Excerpts in the flag")
		agents := strings.Contains(body, `<p class="source">Source</p>You get 30 euros.`) && strings.Contains(body, "Call call_7: refund_order: error")
		require.Equal(t, id == other.IncidentID, agents)
	}
}

func TestLabel(t *testing.T) {
	c := testConfig(t)
	messages, flags := sampleMessages(t, c, nil)
	f := worst(t, flags)
	p := startPage(t, nil, messages...)
	path := "/incidents/" + f.IncidentID
	form := url.Values{"verdict": {"wrong"}, "comment": {" <b>wrong</b> year "}}
	saved := p.do(http.MethodPost, path+"/label", form, nil)
	require.Equal(t, http.StatusSeeOther, saved.status, saved.body)
	require.Equal(t, path+"?saved=1", saved.header.Get("Location"))

	records := kafkatest.ReadAll(t, p.kafka, c.Kafka.Topics.Feedback)
	require.Len(t, records, 1)
	require.Equal(t, f.IncidentID, string(records[0].Key))
	var label schemas.Feedback
	require.NoError(t, json.DecodeFeedback(records[0].Value, &label))
	require.Equal(t, schemas.Feedback{
		IncidentID: f.IncidentID, Verdict: schemas.Wrong, Detectors: label.Detectors, User: "anonymous", Source: schemas.FromUI, At: label.At, Comment: "<b>wrong</b> year",
	}, label)
	require.ElementsMatch(t, f.Fired, label.Detectors)
	body := p.get(path).body
	require.Contains(t, body, "wrong by anonymous")
	require.Contains(t, body, "&lt;b&gt;wrong&lt;/b&gt;")
	require.Contains(t, p.get("/incidents?verdict=wrong").body, f.IncidentID)
	require.NotContains(t, p.get("/incidents?verdict=fine").body, f.IncidentID)

	for name, attempt := range map[string]struct {
		form   url.Values
		change func(r *http.Request)
		want   int
	}{
		"other site":    {form, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"other origin":  {form, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, http.StatusForbidden},
		"other verdict": {url.Values{"verdict": {"unsure"}}, nil, http.StatusBadRequest},
		"long comment":  {url.Values{"verdict": {"wrong"}, "comment": {strings.Repeat("x", 1001)}}, nil, http.StatusBadRequest},
		"huge form":     {url.Values{"verdict": {"wrong"}, "comment": {strings.Repeat("x", 1<<20)}}, nil, http.StatusBadRequest},
		"other host":    {form, func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, attempt.want, p.do(http.MethodPost, path+"/label", attempt.form, attempt.change).status)
		})
	}
	require.Len(t, kafkatest.ReadAll(t, p.kafka, c.Kafka.Topics.Feedback), 1, "nothing else was written")
}

// People see and label what belongs to their tenants. The rest does not exist for them.
func TestTenants(t *testing.T) {
	c := testConfig(t)
	mine, other := samples.FlagOf("aa", 0.9, "mine"), samples.FlagOf("bb", 0.9, "other")
	other.Tenant, other.Service = "bank", "bank-desk"
	p := startPage(t, func(c *config.Config) {
		c.UI.Auth.Logins = []config.Login{{Name: "ann", Token: "0123456789abcdef", Tenants: []string{"acme"}}, {Name: "root", Token: "fedcba9876543210", Tenants: []string{"*"}}}
	}, flagMessage(t, c, &mine), flagMessage(t, c, &other))
	as := func(token string) func(r *http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	ann, root := as("0123456789abcdef"), as("fedcba9876543210")
	refused := p.get("/incidents")
	require.Equal(t, http.StatusUnauthorized, refused.status)
	require.NotEmpty(t, refused.header.Get("WWW-Authenticate"))
	require.NotContains(t, refused.body, mine.IncidentID)
	for _, path := range []string{"/incidents", "/incidents?tenant=bank", "/incidents?q=bb", "/trends", "/trends?tenant=bank", "/review"} {
		body := p.do(http.MethodGet, path, nil, ann).body
		require.NotContains(t, body, other.IncidentID, path)
		require.NotContains(t, body, "bank-desk", path)
	}
	require.Contains(t, p.do(http.MethodGet, "/incidents", nil, root).body, other.IncidentID)
	unknown := p.do(http.MethodGet, "/incidents/"+strings.Repeat("0", 64), nil, ann)
	foreign := p.do(http.MethodGet, "/incidents/"+other.IncidentID, nil, ann)
	require.Equal(t, unknown.status, foreign.status)
	require.Equal(t, unknown.body, foreign.body)
	form := url.Values{"verdict": {"wrong"}}
	require.Equal(t, http.StatusNotFound, p.do(http.MethodPost, "/incidents/"+other.IncidentID+"/label", form, ann).status)
	require.Empty(t, kafkatest.ReadAll(t, p.kafka, c.Kafka.Topics.Feedback))
}

// The page starts without a broker and without topics, says so, and recovers.
func TestBrokersAway(t *testing.T) {
	c := testConfig(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	p := runPage(t, c, kafka.Config{SeedBrokers: []string{l.Addr().String()}})
	require.Error(t, p.server.Ready())
	require.Eventually(t, func() bool { return strings.Contains(p.get("/incidents").body, "No broker answers") }, 20*time.Second, 50*time.Millisecond)
	p.stop()

	cluster := kafkatest.Start(t, map[string]int32{c.Kafka.Topics.Feedback: 1, c.Kafka.Topics.Alerts: 1})
	p = runPage(t, c, cluster)
	require.Eventually(t, func() bool {
		return strings.Contains(p.get("/incidents").body, "The topic "+c.Kafka.Topics.Incidents+" does not exist")
	}, 20*time.Second, 50*time.Millisecond)
}

// A restart reads the end of the topics again.
func TestRestart(t *testing.T) {
	c := testConfig(t)
	one, two := samples.FlagOf("aa", 0.9, "one"), samples.FlagOf("bb", 0.9, "two")
	p := startPage(t, func(other *config.Config) { *other = *c }, flagMessage(t, c, &one))
	require.Contains(t, p.get("/incidents").body, one.IncidentID)
	p.stop()
	kafkatest.Write(t, p.kafka, flagMessage(t, c, &two), flagMessage(t, c, &one),
		kafka.Message{Topic: c.Kafka.Topics.Incidents, Partition: kafka.AnyPartition, Key: []byte("x"), Value: []byte("{ not a flag")})
	p = runPage(t, c, p.kafka)
	require.Eventually(t, func() bool { return strings.Contains(p.get("/incidents").body, two.IncidentID) }, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, 1, strings.Count(p.get("/incidents").body, `href="/incidents/`+one.IncidentID), "once")
}
