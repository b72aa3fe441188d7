package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

func TestWarnings(t *testing.T) {
	cfg := Default()
	require.Empty(t, cfg.Warnings(), "without language models nothing samples")
	const off = "sampling is off: set llm.sampler or llm.judge as for the role sample, or sampling.salt_file"
	cfg.Roles = []Role{RoleDetect}
	require.Equal(t, []string{off}, cfg.Warnings())
	require.Nil(t, cfg.SamplingOptions().Tags)
	cfg.LLM.Judge.BaseURL = "http://127.0.0.1:1/v1"
	require.Empty(t, cfg.Warnings(), "the key is made of the group")
	other := Default()
	other.Kafka.ConsumerGroup, other.LLM = "other", cfg.LLM
	require.NotEqual(t, other.SamplingOptions().Salt, cfg.SamplingOptions().Salt)
	require.NotEmpty(t, cfg.SamplingOptions().Salt)
	cfg = Default()
	cfg.Sampling.Salt = "s"
	require.Empty(t, cfg.Warnings())
	cfg.Kafka.TLS.InsecureSkipVerify = true
	cfg.Kafka.SASL.Mechanism = "PLAIN"
	cfg.Admin = Admin{Listen: "0.0.0.0:9464", Pprof: true}
	cfg.Alerting.Slack = Slack{WebhookURL: "https://hooks.example.com", Channel: "C1"}
	require.Len(t, cfg.Warnings(), 4)
}

// PLAIN without TLS sends the password unencrypted.
func TestUnencryptedLogin(t *testing.T) {
	const says = "kafka.sasl.mechanism PLAIN sends the password unencrypted: set kafka.tls.enabled: true"
	for name, tt := range map[string]struct {
		mechanism string
		tls, warn bool
	}{
		"PLAIN": {"PLAIN", false, true}, "PLAIN over TLS": {"PLAIN", true, false},
		"SCRAM": {"SCRAM-SHA-256", false, false}, "no login": {"", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Default()
			cfg.Kafka.SASL.Mechanism, cfg.Kafka.TLS.Enabled = tt.mechanism, tt.tls
			require.Equal(t, tt.warn, slices.Contains(cfg.Warnings(), says))
		})
	}
	for _, mechanism := range []string{"AWS_MSK_IAM", "OAUTHBEARER"} {
		cfg := Default()
		cfg.Kafka.SASL.Mechanism = mechanism
		without := cfg.Warnings()
		require.Contains(t, strings.Join(without, "\n"), "kafka.sasl.mechanism "+mechanism+" without TLS")
		cfg.Kafka.TLS.Enabled = true
		require.Len(t, cfg.Warnings(), len(without)-1)
	}
}

func TestAlertingWarnings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(c *Config)
		says   string // "": no warning
	}{
		{"a webhook and a channel of a tenant", func(c *Config) {
			c.Alerting.Slack.WebhookURL = "https://hooks.example.com"
			c.Tenants = map[string]Tenant{"acme": {TenantOptions: alerting.TenantOptions{Alerting: alerting.RuleOptions{Channel: "C1"}}}}
		}, "the configured channels are not used"},
		{"an Alertmanager and a channel", func(c *Config) {
			c.Alerting.Alertmanager.URL, c.Alerting.High.Channel = "http://am:9093", "C1"
		}, "routes alerts by their labels"},
		{"repeats before edits", func(c *Config) {
			c.Alerting.Console, c.Alerting.Interval, c.Alerting.Repeat = true, time.Hour, time.Minute
		}, "every edit becomes a new message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := Default()
			cfg.Sampling.Salt = "s"
			tt.change(cfg)
			if tt.says == "" {
				require.Empty(t, cfg.Warnings())
				return
			}
			require.Len(t, cfg.Warnings(), 1)
			require.Contains(t, cfg.Warnings()[0], tt.says)
		})
	}
}

// TestBlockThatClientsLeave: where clients name their tenant, one without BLOCK lets every answer pass.
func TestBlockThatClientsLeave(t *testing.T) {
	const says = "a client of serve that names another tenant is not blocked"
	cfg := Default()
	cfg.Roles = []Role{RoleServe}
	require.NotContains(t, strings.Join(cfg.Warnings(), "\n"), says)
	shop := Tenant{}
	shop.Action = schemas.ActionBlock
	cfg.Tenants = map[string]Tenant{"shop": shop}
	require.Contains(t, strings.Join(cfg.Warnings(), "\n"), says)
	cfg.Serve.Auth.Logins = []Login{{Name: "gateway", Tenants: []string{AllTenants}}}
	require.Contains(t, strings.Join(cfg.Warnings(), "\n"), says)
	cfg.Serve.Auth.Logins[0].Tenants = []string{"shop"}
	require.NotContains(t, strings.Join(cfg.Warnings(), "\n"), says)
	cfg.Serve.Auth.Logins, cfg.Action = nil, schemas.ActionBlock
	require.NotContains(t, strings.Join(cfg.Warnings(), "\n"), says)
}
