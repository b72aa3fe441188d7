package access

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	for _, tc := range []struct {
		name  string
		probe func(context.Context, kafka.Config, string) (bool, error)
		want  bool
	}{
		{"readable", CanReadGroup, true},
		{"described", CanReadGroup, false},
		{"foreign", CanReadGroup, false},
		{"ours-", CanWriteTransactions, true},
		{"seen-", CanWriteTransactions, false},
		{"foreign-", CanWriteTransactions, false},
	} {
		got, err := tc.probe(t.Context(), cfg, tc.name)
		require.NoError(t, err, tc.name)
		require.Equal(t, tc.want, got, tc.name)
	}
	for _, tc := range []struct {
		cfg  kafka.Config
		want bool
	}{{cfg, false}, {root, true}} {
		got, err := CanProduce(t.Context(), tc.cfg)
		require.NoError(t, err)
		require.Equal(t, tc.want, got, tc.cfg.SASL.User)
	}
	admin, err := kafka.NewAdmin(root)
	require.NoError(t, err)
	defer admin.Close()
	require.False(t, admin.Group(t.Context(), "readable").Exists)

	c.Close()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = CanReadGroup(ended, cfg, "readable")
	require.ErrorContains(t, err, "ask for a permission: ")
}
