package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas"
)

const policyFile = `
alerting:
  channel: C-ALL
  high: {min_risk: 0.6, tags: [medical], detectors: [schema], channel: C-PAGE}
  console: true
tenants:
  bank:
    action: BLOCK
    alerting:
      threshold: 1
      channel: C-BANK
      high: {tags: [financial], channel: C-BANK-PAGE}
`

func policyConfig(t *testing.T) *config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(policyFile), 0o600))
	c, err := config.Load(config.LoadOptions{File: file})
	require.NoError(t, err)
	return c
}

func TestPolicyIsConfigured(t *testing.T) {
	c := policyConfig(t)
	p := alerting.NewPolicy(c.PolicyOptions())
	financial := schemas.Flag{Tenant: "bank", Tags: []string{"financial"}}
	require.Equal(t, schemas.SeverityHigh, p.Severity(&financial))
	require.Equal(t, "C-BANK-PAGE", p.ChannelFor("bank", schemas.SeverityHigh))
	require.Equal(t, "C-PAGE", p.ChannelFor("stranger", schemas.SeverityHigh))
}

// spoofedValues are values that claim the tenant bank.
func spoofedValues() []string {
	return []string{
		`{"interaction_id":"i","tenant":"bank","answer":"yes"}`,
		`{"interaction_id":"i","Tenant":"bank","answer":"yes"}`,
		`{"interaction_id":"i","TENANT":"bank","answer":"yes"}`,
		`{"interaction_id":"i","tenant":"shop","tenant":"bank","answer":"yes"}`,
		`{"interaction_id":"i","tenant":"shop","Tenant":"bank","answer":"yes"}`,
		`{"interaction_id":"i","t\u0065nant":"bank","answer":"yes"}`,
		`{"interaction_id":"i","tenant":"bank\u0000","answer":"yes"}`,
		`{"interaction_id":"i","tenant":"\ufeffbank","answer":"yes"}`,
		`{"interaction_id":"i","tenant":{"name":"bank"},"answer":"yes"}`,
		`{"interaction_id":"i","tenant":["bank"],"answer":"yes"}`,
		`{"interaction_id":"i","attributes":{"tenant":"bank","payload_tenant":"bank"},"answer":"yes"}`,
		`{"interaction_id":"i","tags":["tenant:bank","bank"],"service":"bank","answer":"yes"}`,
		`{"interaction_id":"bank/in/0/1/0","conversation_id":"bank","answer":"yes"}`,
		`{"interaction_id":"i","answer":"yes"}{"tenant":"bank"}`,
	}
}

// The tenant comes from the configured source only. Payloads and other headers cannot select another tenant: such a record
// is dead-lettered or alerts in the channel of its own tenant.
func TestTenantsCannotReachOtherChannels(t *testing.T) {
	p := alerting.NewPolicy(policyConfig(t).PolicyOptions())
	claims := []kafka.Header{
		{Key: "tenant", Value: []byte("bank")},
		{Key: "X-Tenant", Value: []byte("bank")},
		{Key: "x-tenant ", Value: []byte("bank")},
		{Key: "confab-origin", Value: schemas.Origin{Topic: "in"}.Header("bank")},
	}
	header := config.Input{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantHeader, TenantHeader: "x-tenant"}
	trusted := func(tenant string) []kafka.Header {
		return append(append([]kafka.Header{}, claims...), kafka.Header{Key: "x-tenant", Value: []byte(tenant)})
	}
	inputs := map[string]struct {
		input   config.Input
		headers []kafka.Header
		tenant  string
	}{
		"fixed":                      {config.Input{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantFixed, Tenant: "shop"}, claims, "shop"},
		"header":                     {header, trusted("shop"), "shop"},
		"header, last one wins":      {header, append(trusted("bank"), kafka.Header{Key: "x-tenant", Value: []byte("shop")}), "shop"},
		"header, in other letters":   {header, trusted("BANK"), "BANK"},
		"header, with an end":        {header, trusted("bank\x00"), "bank\x00"},
		"header, with a line break":  {header, trusted("bank\n"), "bank\n"},
		"header, with a space":       {header, trusted(" bank"), " bank"},
		"header, of another script":  {header, trusted("b\u0430nk"), "b\u0430nk"},
		"header, in bytes of no use": {header, trusted("bank\xff"), "bank\xff"},
		"no header":                  {header, claims, ""},
		"an empty header":            {header, trusted(""), ""},
	}
	read := 0
	for name, in := range inputs {
		c := records.NewInteractionCodec([]config.Input{in.input}, "c-1", 1<<20)
		for i, value := range spoofedValues() {
			t.Run(fmt.Sprint(name, " ", i), func(t *testing.T) {
				got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(value), Headers: in.headers}, nil)
				if err != nil {
					var bad *consumer.PoisonError
					require.ErrorAs(t, err, &bad)
					return
				}
				read++
				require.NotEmpty(t, in.tenant, "without a trusted tenant there is none: tenant_unverified")
				require.Equal(t, in.tenant, got[0].Tenant)
				f := schemas.Flag{Tenant: got[0].Tenant, Tags: got[0].Tags, Attributes: got[0].Attributes, Fired: []string{"citation"}}
				p.Stamp(&f)
				require.False(t, f.Alert, "one detector is enough for the bank only")
				require.Equal(t, schemas.ActionLog, f.Action)
				require.Equal(t, "C-ALL", p.ChannelFor(f.Tenant, schemas.SeverityNormal))
				require.Equal(t, "C-PAGE", p.ChannelFor(f.Tenant, schemas.SeverityHigh))
			})
		}
	}
	require.GreaterOrEqual(t, read, 5*9, "most of what lies is read, as its own tenant's")
}
