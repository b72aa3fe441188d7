package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/detectors"
	"confab/internal/finding"
	"confab/internal/kafka"
	"confab/internal/ops"
	"confab/schemas"
	"confab/schemas/json"
)

var examined = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// said is the finding of a check about a subject.
func said(t *testing.T, all []finding.Finding, check, subject string) finding.Finding {
	t.Helper()
	for _, f := range all {
		if f.Check == check && f.Subject == subject {
			return f
		}
	}
	require.Fail(t, "no such finding", "%s %s in %v", check, subject, all)
	return finding.Finding{}
}

func calibrated(t *testing.T, id string, detectors ...string) string {
	t.Helper()
	text := "format: 1\nid: " + id + "\ncreated_by: a test\ndata: {fingerprint: f, rows: 2, positives: 1}\nthresholds:\n"
	for _, d := range detectors {
		text += "  - {detector: " + d + ", tenant: \"\", operation: \"\", threshold: 0.5, armed: true, precision: 0.7, precision_low: 0.6, recall: 0.5, n: 100}\n"
	}
	file := filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestExamineDefaults(t *testing.T) {
	c := DefaultConfig()
	c.Sampling.Salt = "salt"
	all := Examine(c, "confab.yaml", examined)
	for _, f := range all {
		require.Equal(t, finding.OK, f.State, f)
		require.NotContains(t, f.Detail, "salt ")
	}
	require.Contains(t, said(t, all, "calibration", "").Detail, "embedded")
	require.Contains(t, said(t, all, "configuration", "confab.yaml").Detail, "detect")
	require.Len(t, all, 5+len(c.EnabledDetectors()))
}

func TestExamineCalibration(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		want       finding.State
		says       string
	}{
		{"fresh", calibrated(t, "2026-11-21-ab", "citation"), finding.OK, "10 days old"},
		{"stale", calibrated(t, "2026-01-01-ab", "citation"), finding.Warning, "334 days old"},
		{"of another name", calibrated(t, "ours", "citation"), finding.OK, "id ours, of unknown age"},
		{"missing", "nowhere.yaml", finding.Problem, "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := DefaultConfig()
			c.CalibrationFile = tc.file
			all := Examine(c, "", examined)
			got := said(t, all, "calibration", tc.file)
			require.Equal(t, tc.want, got.State, got)
			require.Contains(t, got.Detail, tc.says)
			require.Equal(t, finding.OK, said(t, all, "schemas", "").State, "one fault is told once")
		})
	}
}

func TestExamineModel(t *testing.T) {
	c := DefaultConfig()
	c.ModelFile = filepath.Join(t.TempDir(), "model.json")
	require.NoError(t, os.WriteFile(c.ModelFile, []byte(`{"format":1,"id":"m-1"}`), 0o600))
	require.Equal(t, "id m-1", said(t, Examine(c, "", examined), "model", c.ModelFile).Detail)
	c.CalibrationFile = filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(c.CalibrationFile, []byte("format: 1\nid: mine\nmodel: m-2\n"), 0o600))
	got := said(t, Examine(c, "", examined), "model", c.ModelFile)
	require.Equal(t, finding.Warning, got.State)
	require.Contains(t, got.Detail, "mine may not fit: it was fitted with the learned model m-2 and m-1 is in force")
	c.CalibrationFile, c.Tenants = "", map[string]Tenant{"bank": {TenantOptions: alerting.TenantOptions{Alerting: alerting.RuleOptions{MinRisk: new(0.1)}}}}
	require.Contains(t, said(t, Examine(c, "", examined), "model", c.ModelFile).Detail, "a minimum risk can never hold")
	c.Tenants = nil
	require.NoError(t, os.WriteFile(c.ModelFile, []byte(`{"format":2}`), 0o600))
	all := Examine(c, "", examined)
	require.Equal(t, finding.Problem, said(t, all, "model", c.ModelFile).State)
	require.Equal(t, finding.OK, said(t, all, "schemas", "").State, "one fault is told once")
}

func TestExamineDetectors(t *testing.T) {
	c := DefaultConfig()
	c.CalibrationFile = calibrated(t, "2026-11-21-ab", "citation", "confidence")
	all := Examine(c, "", examined)
	require.Equal(t, finding.OK, said(t, all, "detector", "citation").State)
	require.Contains(t, said(t, all, "detector", "grounding").Detail, "not armed")
	require.Contains(t, said(t, all, "detector", "confidence").Detail, "no model has a baseline")
	require.Equal(t, finding.Warning, said(t, all, "detector", "confidence").State)
	c.CalibrationFile = "nowhere.yaml"
	require.Equal(t, finding.NotChecked, said(t, Examine(c, "", examined), "detector", "citation").State)
}

func TestExamineSchemas(t *testing.T) {
	dir := func(files ...string) string {
		d := t.TempDir()
		for i := 0; i < len(files); i += 2 {
			require.NoError(t, os.WriteFile(filepath.Join(d, files[i]), []byte(files[i+1]), 0o600))
		}
		return d
	}
	for name, tc := range map[string]struct {
		dir  string
		want finding.State
	}{
		"two":     {dir("a.schema.json", `{"type":"object"}`, "b.json", `true`), finding.OK},
		"none":    {dir(), finding.Warning},
		"broken":  {dir("a.schema.json", `{"type":"objekt"}`), finding.Problem},
		"missing": {"nowhere", finding.Problem},
	} {
		t.Run(name, func(t *testing.T) {
			c := DefaultConfig()
			c.SchemasDir = tc.dir
			got := said(t, Examine(c, "", examined), "schemas", tc.dir)
			require.Equal(t, tc.want, got.State, got)
		})
	}
}

func TestExamineSettingsWarn(t *testing.T) {
	c := DefaultConfig()
	c.Kafka.TLS.InsecureSkipVerify = true
	all := Examine(c, "confab.yaml", examined)
	f := said(t, all, "configuration", "confab.yaml")
	require.Equal(t, finding.Warning, f.State)
	require.Equal(t, "off: it has no salt", said(t, all, "sampling", "").Detail)
	c.Sampling.Rate = 0
	require.Equal(t, "off: its rate is 0", said(t, Examine(c, "", examined), "sampling", "").Detail)
}

func TestExamineSink(t *testing.T) {
	const valid = `{"ok":true,"team":"Acme","user":"confab"}`
	for _, tc := range []struct {
		name, body, scopes string
		date               time.Time
		want, clock        finding.State
		says               string
	}{
		{"valid", valid, "chat:write", examined, finding.OK, finding.OK, `"confab" in "Acme"`},
		{"without scope", valid, "channels:read", examined, finding.Problem, finding.OK, "without the scope chat:write"},
		{"scopes unsaid", valid, "", examined, finding.OK, finding.OK, "valid"},
		{"other clock", valid, "chat:write", examined.Add(-time.Minute), finding.OK, finding.Warning, "valid"},
		{"revoked", `{"ok":false,"error":"token_revoked"}`, "", examined, finding.Problem, "", "token_revoked"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Date", tc.date.Format(http.TimeFormat))
				if tc.scopes != "" {
					w.Header().Set("X-OAuth-Scopes", tc.scopes)
				}
				_, _ = io.WriteString(w, tc.body)
			}))
			defer server.Close()
			c := DefaultConfig()
			c.Alerting.Slack = Slack{BotToken: "xoxb-secret", Channel: "C042", APIURL: server.URL, Timeout: 5 * time.Second}
			all := ExamineSink(t.Context(), c, func() time.Time { return examined })
			got := said(t, all, "slack", "C042")
			require.Equal(t, tc.want, got.State, got)
			require.Contains(t, got.Detail, tc.says)
			require.NotContains(t, got.Detail+got.Remedy, "xoxb-secret")
			require.Equal(t, tc.want != finding.OK, got.Remedy != "")
			if tc.clock != "" {
				require.Equal(t, tc.clock, said(t, all, "clock", "Slack").State)
			}
		})
	}
	for name, tc := range map[string]struct {
		change func(*Config)
		want   finding.State
	}{
		"no sink":           {func(*Config) {}, finding.Warning},
		"webhook":           {func(c *Config) { c.Alerting.Slack.WebhookURL = "https://hooks.example/x" }, finding.NotChecked},
		"console":           {func(c *Config) { c.Alerting.Console = true }, finding.OK},
		"alert, no sink":    {func(c *Config) { c.Roles = []Role{RoleAlert} }, finding.Problem},
		"alert elsewhere":   {func(c *Config) { c.Roles, c.Alerting.Console = []Role{RoleDetect}, true }, finding.OK},
		"no Alertmanager":   {func(c *Config) { c.Alerting.Alertmanager.URL = "http://127.0.0.1:1" }, finding.Problem},
		"no such address":   {func(c *Config) { c.Alerting.Alertmanager.URL = "nowhere" }, finding.Problem},
		"bot, no channel":   {func(c *Config) { c.Alerting.Slack.BotToken = "xoxb-x" }, finding.Problem},
		"bot, nobody there": {func(c *Config) { c.Alerting.Slack = Slack{BotToken: "x", Channel: "C", APIURL: "http://127.0.0.1:1"} }, finding.Problem},
	} {
		t.Run(name, func(t *testing.T) {
			c := DefaultConfig()
			tc.change(c)
			all := ExamineSink(t.Context(), c, time.Now)
			require.Len(t, all, 1)
			require.Equal(t, tc.want, all[0].State, all[0])
		})
	}
}

func TestNeedsFollowTheRoles(t *testing.T) {
	c := DefaultConfig()
	names := func() string {
		var all []string
		for _, n := range TopicNeeds(c) {
			all = append(all, n.Name)
		}
		return strings.Join(all, " ")
	}
	require.Equal(t, "llm.interactions llm.incidents llm.interactions.dlq", names())
	c.Sampling.Salt, c.Alerting.Console = "salt", true
	require.Equal(t, "llm.interactions llm.interactions.sampled llm.incidents llm.interactions.dlq llm.alerts llm.feedback", names())
	c.Roles = []Role{RoleAlert}
	require.Equal(t, "llm.incidents llm.interactions.dlq llm.alerts llm.feedback", names())

	// What `topics apply` makes satisfies the doctor.
	c.Roles = nil
	specs := map[string]kafka.TopicSpec{}
	for _, s := range TopicSpecs(c, Sizing{Partitions: 12}) {
		specs[s.Name] = s
	}
	for _, n := range TopicNeeds(c) {
		s := specs[n.Name]
		require.Equal(t, n.Compacted, s.Configs["cleanup.policy"] == "compact", n.Name)
		if n.SamePartitions != "" {
			require.Equal(t, specs[n.SamePartitions].Partitions, s.Partitions)
		}
		if n.MinMessageBytes > 0 {
			most, err := strconv.Atoi(s.Configs["max.message.bytes"])
			require.NoError(t, err, n.Name)
			require.GreaterOrEqual(t, most, n.MinMessageBytes, n.Name)
			require.NotEmpty(t, n.TooSmall)
		}
	}
}

// The size that llm.incidents needs is that of a flag in which every detector quotes as much as it may.
func TestFlagBytesHoldsTheLargestFlag(t *testing.T) {
	c := DefaultConfig()
	long := func(n int) string { return strings.Repeat("\U0001F4E6", n) }
	f := schemas.Flag{
		Tags: []string{strings.Repeat("t", 16<<10)}, Attributes: map[string]string{"a": strings.Repeat("a", 16<<10)},
		Grounding: &schemas.Grounding{UngroundedClaimList: make([]schemas.Claim, detectors.MaxEvidence)},
	}
	for i := range f.Grounding.UngroundedClaimList {
		f.Grounding.UngroundedClaimList[i] = schemas.Claim{Start: 1 << 30, End: 1 << 30, Excerpt: long(detectors.MaxExcerpt + 1)}
	}
	for _, name := range c.EnabledDetectors() {
		s := schemas.Signal{Detector: name, Outcome: schemas.Fired, Score: 1.0 / 3, Reason: long(200)}
		for range detectors.MaxEvidence {
			s.Evidence = append(s.Evidence, schemas.Evidence{
				Start: 1 << 30, End: 1 << 30, Excerpt: long(detectors.MaxExcerpt + 1), Citation: long(detectors.MaxExcerpt + 1),
				Note: long(detectors.MaxExcerpt + 1), SourceID: strings.Repeat("s", 256), SourceStart: 1 << 30, SourceEnd: 1 << 30, Similarity: 1.0 / 3,
			})
		}
		f.Signals = append(f.Signals, s)
	}
	raw, err := json.AppendFlag(nil, &f)
	require.NoError(t, err)
	require.LessOrEqual(t, len(raw), flagBytes(c))
	require.Greater(t, len(raw), flagBytes(c)/2, "a bound that says something")
}

// A topic that is too small for what is written is named, with its limit and what to do.
func TestDoctorNamesSmallTopics(t *testing.T) {
	b := newBench(t, "llm.incidents", "llm.alerts")
	b.small("llm.incidents", "1000")
	b.small("llm.alerts", "2000")
	all := ops.Doctor(t.Context(), ops.DoctorOptions{Kafka: b.kafka, Topics: TopicNeeds(b.config), Now: time.Now})
	for topic, limit := range map[string]string{"llm.incidents": "1000", "llm.alerts": "2000"} {
		i := slices.IndexFunc(all, func(f finding.Finding) bool {
			return f.Subject == topic && strings.Contains(f.Detail, "max.message.bytes is "+limit)
		})
		require.GreaterOrEqual(t, i, 0, "%s: %v", topic, all)
		require.Equal(t, finding.Warning, all[i].State)
		require.Contains(t, all[i].Remedy, "set max.message.bytes to ")
		require.NotContains(t, all[i].Remedy, "lower")
	}
}

func TestGrantsAreMinimal(t *testing.T) {
	c := DefaultConfig()
	c.Kafka.ConsumerGroup, c.Sampling.Salt = "ours", "salt"
	var got []string
	for _, g := range PlanGrants(c) {
		got = append(got, strings.Join(append([]string{g.Role, g.Resource, g.Name}, g.Operations...), " "))
	}
	require.Equal(t, []string{
		"detect topic llm.interactions DESCRIBE READ",
		"detect topic llm.incidents DESCRIBE WRITE",
		"detect topic llm.interactions.sampled DESCRIBE WRITE",
		"detect topic llm.interactions.dlq DESCRIBE WRITE",
		"detect group ours-detect DESCRIBE READ",
		"sample topic llm.interactions.sampled DESCRIBE READ",
		"sample topic llm.incidents DESCRIBE WRITE",
		"sample topic llm.budget DESCRIBE READ WRITE",
		"sample transactional-id confab-llm.budget- DESCRIBE WRITE",
		"sample topic llm.interactions.dlq DESCRIBE WRITE",
		"sample group ours-sample DESCRIBE READ",
		"alert topic llm.incidents DESCRIBE READ",
		"alert topic llm.alerts DESCRIBE READ WRITE",
		"alert topic llm.feedback DESCRIBE READ",
		"alert topic llm.interactions.dlq DESCRIBE WRITE",
		"alert group ours-alert DESCRIBE READ",
		"people topic llm.incidents DESCRIBE READ",
		"people topic llm.alerts DESCRIBE READ WRITE",
		"people topic llm.feedback DESCRIBE READ WRITE",
		"detect topic llm.incidents DESCRIBE_CONFIGS", "detect topic llm.interactions.sampled DESCRIBE_CONFIGS",
		"sample topic llm.incidents DESCRIBE_CONFIGS", "alert topic llm.alerts DESCRIBE_CONFIGS",
		"setup topic llm.alerts CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.budget CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.feedback CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.incidents CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.interactions CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.interactions.dlq CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.interactions.sampled CREATE DESCRIBE DESCRIBE_CONFIGS",
	}, got)
	c.Alerting.Slack.AppToken = "xapp-1"
	require.Contains(t, Grants(c, RoleAlert), kafka.Grant{
		Role: "alert", Resource: kafka.ResourceTopic, Name: "llm.feedback", Operations: []string{"DESCRIBE", "READ", "WRITE"},
	}, "clicks are written")
}
