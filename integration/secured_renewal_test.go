//go:build integration

package integration_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// requireRenewal changes the passwords and the client certificates of all roles while they run. First the files hold
// certificates of a foreign authority and passwords that no longer hold, so that every new connection is refused; then the
// right ones. The roles go on without a restart.
func (r *roles) requireRenewal(ctx context.Context, t *testing.T) {
	t.Helper()
	foreign := newAuthority(t)
	seen := map[string]int{}
	for _, role := range securedRoles {
		seen[role] = len(r.workers[role].output(t))
		r.setCertificate(t, role, foreign)
		require.NoError(t, r.SetPassword(ctx, role, "second password of "+role))
	}
	for _, role := range securedRoles {
		require.NoError(t, integration.Await(ctx, role+" is refused", func(context.Context) (bool, error) {
			return strings.Contains(string(r.workers[role].output(t)[seen[role]:]), "certificate"), nil
		}))
	}
	for _, role := range securedRoles {
		r.setCertificate(t, role, r.authority)
		r.write(t, role+".password", "second password of "+role+"\n")
	}
	r.requireWork(ctx, t, "second")
	for _, role := range securedRoles {
		require.NotContains(t, string(r.workers[role].output(t)), "password of", "the log of %s holds a secret", role)
	}
}
