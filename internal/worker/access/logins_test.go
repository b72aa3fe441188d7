package access

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"confab/internal/redact"
	"confab/internal/worker/config"
)

// A changed file of a token or hash replaces it; one that is empty, short or no hash leaves the login as it was.
func TestChangedLogins(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	hash := func(password string) string {
		h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		require.NoError(t, err)
		return string(h)
	}
	const first, second = "0123456789abcdef", "fedcba9876543210"
	old := hash("old")
	g, err := NewGate(&config.Auth{
		Logins: []config.Login{
			{Name: "agent", Token: first, TokenFile: write("token", first+"\n"), Tenants: []string{"*"}},
			{Name: "ann", PasswordHash: redact.Secret(old), PasswordHashFile: write("hash", old), Tenants: []string{"*"}},
		},
	})
	require.NoError(t, err)
	clock := time.Now()
	g.now = func() time.Time { return clock }
	accepts := func(change func(*http.Request)) bool {
		clock = clock.Add(refreshEvery)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		change(r)
		_, err := g.Authenticate(r)
		return err == nil
	}
	token := func(text string) bool {
		return accepts(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) })
	}
	password := func(text string) bool { return accepts(func(r *http.Request) { r.SetBasicAuth("ann", text) }) }

	require.True(t, token(first) && password("old"))
	write("token", second)
	write("hash", hash("new")+"\r\n")
	require.True(t, token(second) && password("new"))
	require.False(t, token(first) || password("old"))

	for _, text := range []string{"", "short", "\n"} {
		write("token", text)
		write("hash", text)
		require.True(t, token(second) && password("new"), "%q", text)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "hash")))
	require.True(t, password("new"))
	require.False(t, password(""))
}

// Wrong passwords wait for each other; a client that left is not hashed for.
func TestPasswordsAreHashedOneAtATime(t *testing.T) {
	g := newGate(t)
	g.hashing <- struct{}{}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	r.SetBasicAuth("ann", "open sesame")
	_, err := g.Authenticate(r)
	require.ErrorIs(t, err, ErrUnauthenticated)
	<-g.hashing
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.SetBasicAuth("ann", "open sesame")
	_, err = g.Authenticate(r)
	require.NoError(t, err)
}
