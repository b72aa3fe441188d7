package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/internal/strictyaml"
	"confab/schemas"
)

// testEnv holds the variables of the tests. No message may contain its secrets.
func testEnv() []string {
	return []string{
		"PASSWORD=canary-password",
		"WEBHOOK=https://hooks.example.com/services/T0/B0/canary-webhook",
		"BOT_TOKEN=xoxb-canary-token",
		"APP_TOKEN=xapp-canary-token",
	}
}

// Each file holds one kind of defect. The golden file is the complete message.
func TestLoadDefects(t *testing.T) {
	files, err := filepath.Glob("testdata/config/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			_, err := Load(LoadOptions{File: file, Env: testEnv()})
			require.Error(t, err, "the file has a defect")
			require.NotContains(t, err.Error(), "canary")
			require.NotContains(t, err.Error(), "hunter2")
			golden.Equal(t, filepath.Join("testdata", "config", name+".golden"), err.Error()+"\n")
		})
	}
}

func TestLoadNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# only a comment\n", "kafka:\n  # all commented out\n", "{}"} {
		cfg, err := loadText([]byte(text), LoadOptions{})
		require.NoError(t, err, text)
		require.Equal(t, []string{"admin.listen", "ui.listen"}, cfg.Unset)
		cfg.Unset = nil
		require.Empty(t, cmp.Diff(Default(), cfg), text)
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, err := Load(LoadOptions{File: "testdata/config/nowhere.yml"})
	require.ErrorContains(t, err, "testdata/config/nowhere.yml: no such file: name another with --config, or write one with `confab config example")
	_, err = Load(LoadOptions{File: "testdata/config"})
	require.ErrorContains(t, err, "read configuration")
}

func TestLoadTooLarge(t *testing.T) {
	name := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(name, []byte("# "+strings.Repeat("x", maxFileBytes)), 0o600))
	_, err := Load(LoadOptions{File: name})
	require.ErrorContains(t, err, "1048578 bytes, the limit is 1048576")
}

func TestLoadEverything(t *testing.T) {
	cfg, err := loadText([]byte(`
kafka:
  seed_brokers: ["${HOST:-a}:9092", 'b:9092']
  client_id: 7
  max_record_bytes: 2097152
  fetch_max_bytes: 20MB
  session_timeout: 1m30s
  tls: &tls {enabled: true}
  inputs:
    - topic: one
    - {topic: two, tenant_from: header, tenant_header: x-$$-tenant$}
roles: [alert]
sampling: {rate: 1, tags: [medical], salt: "${SALT}"}
alerting:
  threshold: 3
  min_risk: 1e-1
  excerpts: false
  slack: {bot_token: "${BOT}", channel: C1}
tenants:
  acme:
    action: BLOCK
    alerting: {threshold: 1, channel: C2}
    recommendation: {block: 0.9}
recommendation: {flag: 0.3}
workers: 3
shutdown_grace: 45s
`), LoadOptions{Env: []string{"HOST=", "SALT=${not expanded}", "BOT=xoxb-1"}})
	require.NoError(t, err)
	require.Equal(t, []string{"a:9092", "b:9092"}, cfg.Kafka.SeedBrokers)
	require.Equal(t, "7", cfg.Kafka.ClientID)
	require.Equal(t, 2*strictyaml.MiB, cfg.Kafka.MaxRecordBytes)
	require.Equal(t, strictyaml.Bytes(20_000_000), cfg.Kafka.FetchMaxBytes)
	require.Equal(t, 90*time.Second, cfg.Kafka.SessionTimeout)
	require.True(t, cfg.Kafka.TLS.Enabled)
	one, two := DefaultInput("one"), DefaultInput("two")
	two.TenantFrom, two.TenantHeader = TenantHeader, "x-$-tenant$"
	require.Equal(t, []Input{one, two}, cfg.Kafka.Inputs)
	require.Equal(t, []Role{RoleAlert}, cfg.ActiveRoles())
	require.True(t, cfg.SamplingEnabled())
	require.Equal(t, "${not expanded}", cfg.Sampling.Salt.Reveal(), "a value cannot inject another reference")
	require.InDelta(t, 3, *cfg.Alerting.Threshold, 0)
	require.InDelta(t, 0.1, *cfg.Alerting.MinRisk, 0)
	require.InDelta(t, 0.3, *cfg.Recommendation.Flag, 0)
	require.InDelta(t, 0.7, *cfg.Recommendation.Block, 0, "the default")
	require.InDelta(t, 0.9, *cfg.Tenants["acme"].Recommendation.Block, 0)
	require.False(t, cfg.Alerting.Excerpts)
	require.Equal(t, "xoxb-1", cfg.Alerting.Slack.BotToken.Reveal())
	require.Equal(t, time.Minute, cfg.Alerting.Interval, "untouched keys keep their defaults")
	require.Equal(t, schemas.ActionBlock, cfg.Tenants["acme"].Action)
	require.InDelta(t, 1, *cfg.Tenants["acme"].Alerting.Threshold, 0)
	require.Equal(t, 3, cfg.Workers)
}

func TestLoadPrecedence(t *testing.T) {
	file := []byte("log: {level: error, format: json}\nkafka: {client_id: file, rack_id: file}\n")
	env := []string{"CONFAB_LOG_LEVEL=warn", "CONFAB_KAFKA_RACK_ID=env", "CONFAB_KAFKA_SEED_BROKERS=a:1, b:2", "CONFAB_LOG_FORMAT=", "CONFAB_SERVICE_HOST=10.0.0.1"}
	flags := []strictyaml.Setting{{Path: "log.level", Value: "debug", Source: "--log-level"}, {Path: "roles", Value: "detect", Source: "--roles"}}

	cfg, err := loadText(file, LoadOptions{Env: env, Flags: flags})
	require.NoError(t, err)
	require.Equal(t, Log{Level: "debug", Format: "json"}, cfg.Log)
	require.Equal(t, "file", cfg.Kafka.ClientID)
	require.Equal(t, "env", cfg.Kafka.RackID)
	require.Equal(t, []string{"a:1", "b:2"}, cfg.Kafka.SeedBrokers)
	require.Equal(t, []Role{RoleDetect}, cfg.Roles)
}

func TestLoadOutsideFileProblems(t *testing.T) {
	_, err := loadText([]byte("emit: never"), LoadOptions{
		File:  "confab.yaml",
		Env:   []string{"CONFAB_SHUTDOWN_GRACE=30", "CONFAB_KAFKA_SEED_BROKERS=a"},
		Flags: []strictyaml.Setting{{Path: "log.levl", Value: "x", Source: "--set log.levl"}, {Path: "kafka.inputs", Value: "x", Source: "--set kafka.inputs"}},
	})
	require.EqualError(t, err, strings.Join([]string{
		`confab.yaml:1:7: emit: expected one of flagged, all`,
		`environment variable CONFAB_KAFKA_SEED_BROKERS: kafka.seed_brokers[0]: expected host:port, such as localhost:9092`,
		`environment variable CONFAB_SHUTDOWN_GRACE: shutdown_grace: expected a duration with its unit, such as 30s, 500ms or 1h30m`,
		`--set kafka.inputs: kafka.inputs: expected a list, got one value`,
		`--set log.levl: log: unknown key "levl"; did you mean "level"?`,
	}, "\n"))
}

// A list may come from one variable, and the secret of a later source replaces the file of an earlier one.
func TestLoadListAndSecretFilesAcrossSources(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(secret, []byte("from-file\r\n\n"), 0o600))
	file := filepath.Join(dir, "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
kafka:
  seed_brokers: ${BROKERS}
  sasl: {mechanism: PLAIN, username: u, password_file: password}
`), 0o600))

	cfg, err := Load(LoadOptions{File: file, Env: []string{"BROKERS=a:1,b:2"}})
	require.NoError(t, err)
	require.Equal(t, []string{"a:1", "b:2"}, cfg.Kafka.SeedBrokers)
	require.Equal(t, "from-file", cfg.Kafka.SASL.Password.Reveal())
	require.Equal(t, secret, cfg.Kafka.SASL.PasswordFile, "relative to the configuration file")
	printed, err := cfg.YAML()
	require.NoError(t, err)
	again, err := loadText(printed, LoadOptions{})
	require.NoError(t, err, "what is printed loads again, the file of a secret included")
	again.Kafka.SASL.OAuth.Scopes = nil // printed as empty lists
	require.Equal(t, cfg.Kafka, again.Kafka)

	cfg, err = Load(LoadOptions{File: file, Env: []string{"BROKERS=a:1", "CONFAB_KAFKA_SASL_PASSWORD=from-env"}})
	require.NoError(t, err)
	require.Equal(t, "from-env", cfg.Kafka.SASL.Password.Reveal())
	require.Empty(t, cfg.Kafka.SASL.PasswordFile)
}

func TestLoadEmptySecretFile(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "salt")
	require.NoError(t, os.WriteFile(empty, []byte("\n"), 0o600))
	_, err := loadText([]byte("sampling: {salt_file: "+empty+"}"), LoadOptions{File: "confab.yaml"})
	require.ErrorContains(t, err, "sampling.salt_file: "+empty+" is empty; write the secret into it")
}

// Aliases of aliases must not multiply the work.
func TestLoadAliasBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	var text strings.Builder
	text.WriteString("kafka:\n  inputs:\n  - &i {topic: t}\n")
	for range 20_000 {
		text.WriteString("  - *i\n")
	}
	_, err := loadText([]byte(text.String()), LoadOptions{File: "confab.yaml"})
	require.ErrorContains(t, err, "more than 20000 values")
}

func TestActiveRoles(t *testing.T) {
	cfg := Default()
	require.Equal(t, []Role{RoleDetect}, cfg.ActiveRoles())
	cfg.Alerting.Slack.WebhookURL = "https://hooks.example.com"
	require.Equal(t, []Role{RoleDetect, RoleAlert}, cfg.ActiveRoles())
	require.Equal(t, "latest", cfg.StartOffset(RoleDetect))
	require.Equal(t, "earliest", cfg.StartOffset(RoleAlert))
	cfg.Kafka.StartOffset = OffsetEarliest
	require.Equal(t, "earliest", cfg.StartOffset(RoleDetect))
	require.Equal(t, "confab-alert", cfg.Group(RoleAlert))
}
