//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

// The roles of a configuration, and the commands that need permissions of their own.
var (
	securedRoles    = []string{"detect", "sample", "alert", "export", "serve", "ui"}
	securedCommands = []string{"setup", "people", "forget", "redrive", "audit"}
)

// TestSecured runs Confab on brokers that want a client certificate, a login and access rules: each role and command as a
// user of its own with the rules that `confab topics plan --principal` prints for it, and no other.
func TestSecured(t *testing.T) {
	s := startSecured(t, func(*integration.ClusterOptions) {})
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	step := stopwatch(t)
	r := newRoles(t, s)
	r.start(t)
	step("roles ready")
	if !t.Run("roles", func(t *testing.T) { r.requireWork(ctx, t, "first") }) {
		return
	}
	step("roles have worked")
	r.requireCleanLogs(t)
	if !t.Run("renewal", func(t *testing.T) { r.requireRenewal(ctx, t) }) {
		return
	}
	step("secrets renewed")
	for _, role := range securedRoles {
		r.workers[role].stop(t)
	}
	step("stopped in order")
	t.Run("access", func(t *testing.T) { r.requireEachRule(ctx, t) })
	step("each rule removed")
}

// roles are the running roles of a secured cluster.
type roles struct {
	*securedCluster
	open             string // configuration of the test itself, which may do everything
	configs          map[string]string
	rules            map[string][]integration.AccessRule
	workers          map[string]*worker
	serve, ui        string // addresses
	exported, judged *atomic.Int64
}

// newRoles returns the roles of a cluster, none of which runs.
func newRoles(t *testing.T, s *securedCluster) *roles {
	t.Helper()
	r := &roles{
		securedCluster: s, configs: map[string]string{}, rules: map[string][]integration.AccessRule{}, workers: map[string]*worker{},
		serve: freeAddress(t), ui: freeAddress(t), exported: new(atomic.Int64), judged: new(atomic.Int64),
	}
	s.settings = r.yaml(t)
	r.open = s.write(t, "open.yaml", "kafka: {seed_brokers: ["+strings.Join(s.Seeds(), ", ")+"]}\n"+s.settings)
	return r
}

// start makes the users, adds the printed rules, creates the topics and starts every role.
func (r *roles) start(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, name := range slices.Concat(securedRoles, securedCommands) {
		r.rules[name] = r.printed(ctx, t, name, name)
		require.NoError(t, r.AddAccess(ctx, r.rules[name]...))
		role := ""
		if slices.Contains(securedRoles, name) {
			role = "roles: [" + name + "]\n"
		}
		r.configs[name] = r.addUser(t, name, role)
	}
	require.NoError(t, integration.Await(ctx, "the topics are made by their user", func(ctx context.Context) (bool, error) {
		_, err := command(ctx, r.bin, "topics", "apply", "--partitions", "3", "--config", r.configs["setup"])
		return err == nil, err
	}))
	r.requireProbe(ctx, t)
	for _, role := range securedRoles {
		r.workers[role] = launchWorker(t, r.bin, r.configs[role], role)
	}
	for _, role := range securedRoles {
		r.workers[role].awaitReady(t)
	}
}

// printed returns the rules of a role that the command prints for a user.
func (r *roles) printed(ctx context.Context, t *testing.T, role, user string) []integration.AccessRule {
	t.Helper()
	out, err := command(ctx, r.bin, "topics", "plan", "--config", r.open, "--principal", "User:"+user)
	require.NoError(t, err)
	all, err := integration.ParseAccessRules(string(out))
	require.NoError(t, err)
	require.NotEmpty(t, all[role], "rules of %s", role)
	return all[role]
}

// yaml is what all configurations share: everything that needs a permission is on.
func (r *roles) yaml(t *testing.T) string {
	t.Helper()
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		r.exported.Add(1)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(collector.Close)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var asked struct{ N int }
		_ = json.NewDecoder(req.Body).Decode(&asked)
		choices := make([]string, max(1, asked.N))
		for i := range choices {
			choices[i] = fmt.Sprintf(`{"index":%d,"finish_reason":"stop","message":{"role":"assistant","content":"The capital is Paris."}}`, i)
		}
		r.judged.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":"m","choices":[%s],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`,
			strings.Join(choices, ","))
	}))
	t.Cleanup(model.Close)
	return fmt.Sprintf(`emit: all
sampling: {rate: 1, tags: [medical], salt: integration-salt}
llm: {sampler: {base_url: %s/v1, model: m}}
observations: {enabled: true}
export: {evaluations: true, traces: {url: %s}}
serve: {listen: %s, publish: flags}
ui: {listen: %s}
alerting: {min_risk: 0, threshold: 1, group_interval: 1s, console: true}
log: {format: json}
`, model.URL, collector.URL, r.serve, r.ui)
}

// requireWork expects the work of each role on interactions of one round to arrive.
func (r *roles) requireWork(ctx context.Context, t *testing.T, round string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	rows := deepRows()
	for i := range rows {
		rows[i].line = bytes.Replace(rows[i].line, []byte(`"interaction_id":"`), []byte(`"interaction_id":"`+round+`-`), 1)
	}
	_, err := command(ctx, r.bin, "produce", "--config", r.open, writeRows(t, "rows.jsonl", rows))
	require.NoError(t, err)
	r.produceText(ctx, t, "no json in round "+round)
	requireText(ctx, t, r.Cluster, topicDLQ, "no json in round "+round)
	id := `"interaction_id":"` + round + `-unlikely-1"`
	requireText(ctx, t, r.Cluster, topicIncidents, id, `"pass":"fast"`) // detect
	deep := requireText(ctx, t, r.Cluster, topicIncidents, id, `"pass":"deep"`)
	require.Positive(t, r.judged.Load())
	incident := parseFlag(t, []byte(deep)).incident()
	requireText(ctx, t, r.Cluster, "llm.evaluations", incident)
	requireText(ctx, t, r.Cluster, "llm.alerts", incident)

	exported := r.exported.Load()
	answer := `{"interaction_id":"` + round + `-asked","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7","service":"bot","answer":"Express parcels cost 30 euros [9].","sources":[{"id":"1","text":"Express parcels cost 14 euros."}]}`
	require.NoError(t, exchange(ctx, "http://"+r.serve+"/v1/check", answer))
	requireText(ctx, t, r.Cluster, topicIncidents, `"interaction_id":"`+round+`-asked"`)
	require.NoError(t, integration.Await(ctx, "the span of its trace is exported", func(context.Context) (bool, error) { return r.exported.Load() > exported, nil }))
	require.NoError(t, integration.Await(ctx, "the page shows the incident", func(ctx context.Context) (bool, error) {
		err := exchange(ctx, "http://"+r.ui+"/incidents/"+incident, "")
		return err == nil, err
	}))
	comment := "a comment of round " + round
	_, err = command(ctx, r.bin, "label", incident, "--verdict", "wrong", "--comment", comment, "--config", r.configs["people"])
	require.NoError(t, err)
	requireText(ctx, t, r.Cluster, "llm.feedback", comment)
	requireText(ctx, t, r.Cluster, "llm.observations", incident) // alert keeps the claims of answers that are wrong
	_, err = command(ctx, r.bin, "silence", "--for", "1h", "--service", "bot-"+round, "--config", r.configs["people"])
	require.NoError(t, err)
	out, err := command(ctx, r.bin, "forget", "--incident-id", incident, "--yes", "--config", r.configs["forget"])
	require.NoError(t, err)
	require.Contains(t, string(out), "written and acknowledged")
	out, err = command(ctx, r.bin, "redrive", "--reason", "unknown_format", "--yes", "--config", r.configs["redrive"])
	require.NoError(t, err)
	require.Contains(t, string(out), "sent and acknowledged: ")
	for _, name := range []string{"verify", "replay"} {
		_, err = command(ctx, r.bin, name, "--config", r.configs["audit"])
		require.NoError(t, err)
	}
}

// requireCleanLogs requires that no role was refused anything.
func (r *roles) requireCleanLogs(t *testing.T) {
	t.Helper()
	for role, w := range r.workers {
		for _, text := range []string{"AUTHORIZATION_FAILED", "access rules do not allow"} {
			require.NotContains(t, string(w.output(t)), text, "log of %s", role)
		}
	}
}

// produceText writes a record to the input.
func (r *roles) produceText(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.Seeds()...), kgo.DefaultProduceTopic(topicIn))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.ProduceSync(ctx, kgo.StringRecord(text)).FirstErr())
}

// requireText waits for a record that contains the texts, and returns its value.
func requireText(ctx context.Context, t *testing.T, c *integration.Cluster, topic string, texts ...string) (value string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(ctx, fmt.Sprintf("%q are in %s", texts, topic), func(ctx context.Context) (bool, error) {
		records, err := c.ReadTopic(ctx, topic)
		for _, r := range records {
			missing := func(text string) bool { return !strings.Contains(r.Key+" "+string(r.Value), text) }
			if !slices.ContainsFunc(texts, missing) {
				value = string(r.Value)
				return true, nil
			}
		}
		return false, err
	}))
	return value
}

// exchange posts JSON, or gets without a body, and expects the status 200.
func exchange(ctx context.Context, url, body string) error {
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %.300s", resp.StatusCode, text)
	}
	return nil
}
