package access

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

// A changed file of a token replaces it; one that is empty or short leaves the login as it was.
func TestChangedLogins(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	const first, second = "0123456789abcdef", "fedcba9876543210"
	g, err := NewGate(&config.Auth{
		Logins: []config.Login{
			{Name: "agent", Token: first, TokenFile: write("token", first+"\n"), Tenants: []string{"*"}},
		},
	})
	require.NoError(t, err)
	clock := time.Now()
	g.now = func() time.Time { return clock }
	accepts := func(token string) bool {
		clock = clock.Add(refreshEvery)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		_, err := g.Authenticate(r)
		return err == nil
	}

	require.True(t, accepts(first))
	file := write("token", second+"\r\n")
	require.True(t, accepts(second))
	require.False(t, accepts(first))
	for _, text := range []string{"", "short", "\n"} {
		write("token", text)
		require.True(t, accepts(second), "%q", text)
	}
	require.NoError(t, os.Remove(file))
	require.True(t, accepts(second))
}
