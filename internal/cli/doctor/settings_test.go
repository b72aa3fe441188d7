package doctor

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/internal/console"
	"confab/internal/worker/config"
)

var examined = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// findingOf is the finding of a check about a subject.
func findingOf(t *testing.T, all []console.Finding, check, subject string) console.Finding {
	t.Helper()
	for _, f := range all {
		if f.Check == check && f.Subject == subject {
			return f
		}
	}
	require.Fail(t, "no such finding", "%s %s in %v", check, subject, all)
	return console.Finding{}
}

func calibrationText(t *testing.T, id string, detectors ...string) string {
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
	c := config.Default()
	c.Sampling.Salt = "salt"
	all := Settings(c, "confab.yaml", examined)
	for _, f := range all {
		require.Equal(t, console.OK, f.State, f)
		require.NotContains(t, f.Detail, "salt ")
	}
	require.Contains(t, findingOf(t, all, "calibration", "").Detail, "embedded")
	require.Contains(t, findingOf(t, all, "configuration", "confab.yaml").Detail, "detect")
	require.Contains(t, findingOf(t, all, "alert rule", "").Detail, "sum to 2 or more, whatever the risk")
	require.Len(t, all, 5+len(c.EnabledDetectors()))
}

func TestExamineCalibration(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		want       console.State
		says       string
	}{
		{"fresh", calibrationText(t, "2026-11-21-ab", "citation"), console.OK, "10 days old"},
		{"stale", calibrationText(t, "2026-01-01-ab", "citation"), console.Warning, "334 days old"},
		{"of another name", calibrationText(t, "ours", "citation"), console.OK, "id ours, of unknown age"},
		{"missing", "nowhere.yaml", console.Problem, "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := config.Default()
			c.CalibrationFile = tc.file
			all := Settings(c, "", examined)
			got := findingOf(t, all, "calibration", tc.file)
			require.Equal(t, tc.want, got.State, got)
			require.Contains(t, got.Detail, tc.says)
			require.Equal(t, console.OK, findingOf(t, all, "schemas", "").State, "one fault is told once")
		})
	}
}

func TestExamineModel(t *testing.T) {
	c := config.Default()
	c.ModelFile = filepath.Join(t.TempDir(), "model.json")
	require.NoError(t, os.WriteFile(c.ModelFile, []byte(`{"format":2,"id":"m-1"}`), 0o600))
	require.Equal(t, "id m-1", findingOf(t, Settings(c, "", examined), "model", c.ModelFile).Detail)
	c.CalibrationFile = filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(c.CalibrationFile, []byte("format: 1\nid: mine\nmodel: m-2\nthresholds: [{detector: citation, threshold: 0.5, armed: true}, {detector: facts, threshold: 0.5, armed: true}]\n"), 0o600))
	got := findingOf(t, Settings(c, "", examined), "model", c.ModelFile)
	require.Equal(t, console.Warning, got.State)
	require.Contains(t, got.Detail, "mine may not fit: it was fitted with the learned model m-2 and m-1 is in force")
	c.Tenants = map[string]config.Tenant{"bank": {TenantOptions: alerting.TenantOptions{Alerting: alerting.RuleOptions{MinRisk: new(0.1)}}}}
	require.Contains(t, findingOf(t, Settings(c, "", examined), "alert rule", "").Detail, "tenants.bank.alerting.min_risk: the calibration mine has no risk map")
	c.CalibrationFile, c.Tenants = "", nil
	require.NoError(t, os.WriteFile(c.ModelFile, []byte(`{"format":99}`), 0o600))
	all := Settings(c, "", examined)
	require.Equal(t, console.Problem, findingOf(t, all, "model", c.ModelFile).State)
	require.Equal(t, console.OK, findingOf(t, all, "schemas", "").State, "one fault is told once")
}

func TestExamineDetectors(t *testing.T) {
	c := config.Default()
	c.CalibrationFile = calibrationText(t, "2026-11-21-ab", "citation", "confidence")
	all := Settings(c, "", examined)
	require.Equal(t, console.OK, findingOf(t, all, "detector", "citation").State)
	require.Contains(t, findingOf(t, all, "detector", "grounding").Detail, "not armed")
	require.Equal(t, "armed, fires from a score of 0.5, for answers with log-probabilities, once 100 of their model and operation have passed", findingOf(t, all, "detector", "confidence").Detail)
	c.CalibrationFile = "nowhere.yaml"
	require.Equal(t, console.NotChecked, findingOf(t, Settings(c, "", examined), "detector", "citation").State)
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
		want console.State
	}{
		"two":     {dir("a.schema.json", `{"type":"object"}`, "b.json", `true`), console.OK},
		"none":    {dir(), console.Warning},
		"broken":  {dir("a.schema.json", `{"type":"objekt"}`), console.Problem},
		"missing": {"nowhere", console.Problem},
	} {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			c.SchemasDir = tc.dir
			got := findingOf(t, Settings(c, "", examined), "schemas", tc.dir)
			require.Equal(t, tc.want, got.State, got)
		})
	}
}

func TestExamineSettingsWarn(t *testing.T) {
	c := config.Default()
	c.Kafka.TLS.InsecureSkipVerify = true
	all := Settings(c, "confab.yaml", examined)
	f := findingOf(t, all, "configuration", "confab.yaml")
	require.Equal(t, console.Warning, f.State)
}

func TestExamineSink(t *testing.T) {
	const valid = `{"ok":true,"team":"Acme","user":"confab"}`
	for _, tc := range []struct {
		name, body, scopes string
		want               console.State
		says               string
	}{
		{"valid", valid, "chat:write", console.OK, `"confab" in "Acme"`},
		{"without scope", valid, "channels:read", console.Problem, "without the scope chat:write"},
		{"scopes unsaid", valid, "", console.OK, "valid"},
		{"revoked", `{"ok":false,"error":"token_revoked"}`, "", console.Problem, "token_revoked"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tc.scopes != "" {
					w.Header().Set("X-OAuth-Scopes", tc.scopes)
				}
				_, _ = io.WriteString(w, tc.body)
			}))
			defer server.Close()
			c := config.Default()
			c.Alerting.Slack = config.Slack{BotToken: "xoxb-secret", Channel: "C042", APIURL: server.URL}
			all := Sink(t.Context(), c, time.Now)
			got := findingOf(t, all, "sink", "bot")
			require.Equal(t, tc.want, got.State, got)
			require.Contains(t, got.Detail, tc.says)
			require.NotContains(t, got.Detail+got.Remedy, "xoxb-secret")
			require.Equal(t, tc.want != console.OK, got.Remedy != "")
		})
	}
	for name, tc := range map[string]struct {
		change func(*config.Config)
		want   console.State
	}{
		"no sink":         {func(*config.Config) {}, console.Warning},
		"webhook":         {func(c *config.Config) { c.Alerting.Slack.WebhookURL = "https://hooks.example/x" }, console.NotChecked},
		"console":         {func(c *config.Config) { c.Alerting.Console = true }, console.OK},
		"alert, no sink":  {func(c *config.Config) { c.Roles = []config.Role{config.RoleAlert} }, console.Problem},
		"alert elsewhere": {func(c *config.Config) { c.Roles, c.Alerting.Console = []config.Role{config.RoleDetect}, true }, console.OK},
		"no Alertmanager": {func(c *config.Config) { c.Alerting.Alertmanager.URL = "http://127.0.0.1:1" }, console.Problem},
		"no such address": {func(c *config.Config) { c.Alerting.Alertmanager.URL = "nowhere" }, console.Problem},
		"bot, no channel": {func(c *config.Config) { c.Alerting.Slack.BotToken = "xoxb-x" }, console.Problem},
		"bot, nobody there": {func(c *config.Config) {
			c.Alerting.Slack = config.Slack{BotToken: "x", Channel: "C", APIURL: "http://127.0.0.1:1"}
		}, console.Problem},
	} {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			tc.change(c)
			all := Sink(t.Context(), c, time.Now)
			require.Len(t, all, 1)
			require.Equal(t, tc.want, all[0].State, all[0])
		})
	}
}
