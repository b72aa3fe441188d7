package kafka_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

// The probes find permissions of groups and transactions that do not exist, and create none.
func TestProbes(t *testing.T) {
	allow := func(kind kmsg.ACLResourceType, name string, pattern kmsg.ACLResourcePatternType, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kind, Name: name, Pattern: pattern, Operation: op, Allow: true}
	}
	const literal, prefixed = kmsg.ACLResourcePatternTypeLiteral, kmsg.ACLResourcePatternTypePrefixed
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{"t": 1}, Extra: []kfake.Opt{
		kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"),
		kfake.User("PLAIN", "confab", "pw",
			allow(kmsg.ACLResourceTypeGroup, "readable", literal, kmsg.ACLOperationRead),
			allow(kmsg.ACLResourceTypeGroup, "described", literal, kmsg.ACLOperationDescribe),
			allow(kmsg.ACLResourceTypeTransactionalId, "ours-", prefixed, kmsg.ACLOperationWrite),
			allow(kmsg.ACLResourceTypeTransactionalId, "seen-", prefixed, kmsg.ACLOperationDescribe)),
	}})
	require.NoError(t, err)
	defer c.Close()
	cfg := kafka.Config{SeedBrokers: c.Seeds(), SASL: kafka.SASL{Mechanism: "PLAIN", User: "confab", Password: "pw"}}
	// Unlike Kafka, the embedded broker looks for the group before it checks the permission.
	root := cfg
	root.SASL.User = "admin"
	cl, err := root.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	var none kadm.Offsets
	none.AddOffset("t", 0, 0, -1)
	require.NoError(t, kadm.NewClient(cl).CommitAllOffsets(t.Context(), "described", none))
	newAdmin := func(cfg kafka.Config) *kafka.Admin {
		admin, err := kafka.NewAdmin(cfg)
		require.NoError(t, err)
		t.Cleanup(admin.Close)
		return admin
	}
	for _, tc := range []struct {
		name  string
		probe func(*kafka.Admin, context.Context, string) (bool, error)
		want  bool
	}{
		{"readable", (*kafka.Admin).CanReadGroup, true},
		{"described", (*kafka.Admin).CanReadGroup, false},
		{"foreign", (*kafka.Admin).CanReadGroup, false},
		{"ours-", (*kafka.Admin).CanWriteTransactions, true},
		{"seen-", (*kafka.Admin).CanWriteTransactions, false},
		{"foreign-", (*kafka.Admin).CanWriteTransactions, false},
	} {
		got, err := tc.probe(newAdmin(cfg), t.Context(), tc.name)
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.want, got, tc.name)
	}
	require.False(t, newAdmin(root).Group(t.Context(), "readable").Exists)

	c.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = newAdmin(cfg).CanReadGroup(ended, "readable")
	require.ErrorContains(t, err, "ask for a permission: ")
}
