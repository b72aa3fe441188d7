package doctor

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

// The doctor names every rule that a user lacks: each of `confab topics plan --principal` is removed in turn. The real tier
// has the same on Kafka's own authorizer.
func TestAccessNamesEachMissingRule(t *testing.T) {
	cfg := config.Default()
	cfg.Sampling.Salt, cfg.Serve.Publish = "salt", "flags"
	cfg.Observations.Enabled = true
	cfg.Export.Evaluations, cfg.Export.Traces.URL = true, "https://collector.example"
	topics := map[string]int32{}
	for _, s := range resources.TopicSpecs(cfg, resources.Sizing{}) {
		topics[s.Name] = 1
	}
	grants := resources.AllGrants(cfg)
	users := []kfake.Opt{kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw")}
	var roles []string
	for _, g := range grants {
		if !slices.Contains(roles, g.Role) {
			roles = append(roles, g.Role)
			users = append(users, kfake.User("PLAIN", g.Role, "pw"))
		}
	}
	c, err := embedded.Start(embedded.Options{Topics: topics, Extra: users})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	as := func(user string) kafka.Config {
		return kafka.Config{SeedBrokers: c.Seeds(), SASL: kafka.SASL{Mechanism: "PLAIN", User: user, Password: "pw"}}
	}
	admin, err := as("admin").NewClient()
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	for _, g := range grants {
		for _, op := range g.Operations {
			setRule(t, admin, &g, op, true)
		}
	}
	problems := func(role string) (all []console.Finding) {
		of := slices.DeleteFunc(resources.AllGrants(cfg), func(g kafka.ACL) bool { return g.Role != role })
		for _, f := range examineAccess(t.Context(), Options{Kafka: as(role), Grants: of}) {
			if f.State == console.Problem {
				all = append(all, f)
			}
		}
		return all
	}
	for _, role := range roles {
		require.Empty(t, problems(role), role)
	}
	n := 0
	for _, g := range grants {
		for _, op := range g.Operations {
			setRule(t, admin, &g, op, false)
			found := problems(g.Role)
			require.Len(t, found, 1, "%s %s of %s", g.Role, op, g.Name)
			require.Equal(t, g.Resource+" "+g.Name, found[0].Subject)
			require.Contains(t, strings.FieldsFunc(found[0].Detail, func(r rune) bool { return r == ' ' || r == ',' }), op)
			require.NotEmpty(t, found[0].Remedy)
			setRule(t, admin, &g, op, true)
			n++
		}
	}
	require.Greater(t, n, 80)
	require.Empty(t, problems(roles[0]))
}

// setRule adds or removes one operation of a grant.
func setRule(t *testing.T, admin *kgo.Client, g *kafka.ACL, operation string, allowed bool) {
	t.Helper()
	kind, err := kmsg.ParseACLResourceType(g.Resource)
	require.NoError(t, err)
	op, err := kmsg.ParseACLOperation(operation)
	require.NoError(t, err)
	pattern, principal := kmsg.ACLResourcePatternTypeLiteral, "User:"+g.Role
	if g.Prefix {
		pattern = kmsg.ACLResourcePatternTypePrefixed
	}
	if allowed {
		add := kmsg.NewCreateACLsRequestCreation()
		add.ResourceType, add.ResourceName, add.ResourcePatternType = kind, g.Name, pattern
		add.Principal, add.Host, add.Operation, add.PermissionType = principal, "*", op, kmsg.ACLPermissionTypeAllow
		req := kmsg.NewPtrCreateACLsRequest()
		req.Creations = append(req.Creations, add)
		resp, err := req.RequestWith(t.Context(), admin)
		require.NoError(t, err)
		require.Zero(t, resp.Results[0].ErrorCode)
		return
	}
	remove := kmsg.NewDeleteACLsRequestFilter()
	remove.ResourceType, remove.ResourceName, remove.ResourcePatternType = kind, &g.Name, pattern
	remove.Principal, remove.Operation, remove.PermissionType = &principal, op, kmsg.ACLPermissionTypeAllow
	req := kmsg.NewPtrDeleteACLsRequest()
	req.Filters = append(req.Filters, remove)
	resp, err := req.RequestWith(t.Context(), admin)
	require.NoError(t, err)
	require.Len(t, resp.Results[0].MatchingACLs, 1)
}

// examineAccess checks the permissions alone.
func examineAccess(ctx context.Context, o Options) []console.Finding {
	d := &clusterCheck{Options: o}
	if !d.brokers(ctx) {
		return d.all
	}
	defer d.admin.Close()
	ctx, cancel := context.WithTimeout(ctx, cluster.Timeout)
	defer cancel()
	d.version(ctx)
	d.access(ctx)
	return d.all
}
