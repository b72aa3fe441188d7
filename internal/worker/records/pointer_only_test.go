package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
)

func TestPointerOnlyLetters(t *testing.T) {
	c := config.Default()
	require.Nil(t, PointerOnly(c), "every record may be copied")
	c.Kafka.Inputs = []config.Input{
		{Topic: "fixed", TenantFrom: config.TenantFixed, Tenant: "acme"},
		{Topic: "other", TenantFrom: config.TenantFixed, Tenant: "bank"},
		{Topic: "header", TenantFrom: config.TenantHeader, TenantHeader: "t"},
		{Topic: "payload", TenantFrom: config.TenantPayload},
	}
	header := func(key string, value []byte) []kafka.Header {
		return []kafka.Header{{Key: key, Value: []byte("earlier")}, {Key: key, Value: value}}
	}
	origin := func(tenant string) []kafka.Header {
		return header(sampling.HeaderOrigin, schemas.Origin{Topic: "fixed"}.Header(tenant))
	}
	sampled := c.Kafka.Topics.Sampled
	for name, tt := range map[string]struct {
		letter deadletter.Letter
		want   bool
	}{
		"fixed":          {deadletter.Letter{Topic: "fixed"}, true},
		"other tenant":   {deadletter.Letter{Topic: "other"}, false},
		"header":         {deadletter.Letter{Topic: "header", Headers: header("t", []byte("acme"))}, true},
		"other header":   {deadletter.Letter{Topic: "header", Headers: header("t", []byte("bank"))}, false},
		"no header":      {deadletter.Letter{Topic: "header"}, true},
		"payload":        {deadletter.Letter{Topic: "payload"}, true},
		"sampled":        {deadletter.Letter{Topic: sampled, Headers: origin("acme")}, true},
		"sampled, other": {deadletter.Letter{Topic: sampled, Headers: origin("bank")}, false},
		"no origin":      {deadletter.Letter{Topic: sampled}, true},
		"a flag":         {deadletter.Letter{Topic: c.Kafka.Topics.Incidents}, true},
	} {
		c.Kafka.DeadLetters.PointerOnly = []string{"acme"}
		require.Equal(t, tt.want, PointerOnly(c)(&tt.letter), name)
		c.Kafka.DeadLetters.PointerOnly = []string{"*"}
		require.True(t, PointerOnly(c)(&tt.letter), name)
	}
}
