package access

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"confab/internal/redact"
	"confab/internal/worker/config"
)

func newGate(t *testing.T) *Gate {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte("open sesame"), bcrypt.MinCost)
	require.NoError(t, err)
	g, err := NewGate(&config.Auth{
		Logins: []config.Login{
			{Name: "gateway", Token: "0123456789abcdef", Tenants: []string{"shop"}},
			{Name: "ann", PasswordHash: redact.Secret(hash), Tenants: []string{"*"}},
		},
		Proxy: config.Proxy{UserHeader: "X-User", TenantsHeader: "X-Tenants", Trusted: []string{"10.0.0.0/8"}},
	})
	require.NoError(t, err)
	return g
}

func TestAuthenticate(t *testing.T) {
	g := newGate(t)
	basic := func(name, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(name, password) }
	}
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				r.Header.Add(pairs[i], pairs[i+1])
			}
		}
	}
	proxied := func(address string, pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.RemoteAddr = address
			header(pairs...)(r)
		}
	}
	for name, c := range map[string]struct {
		change func(*http.Request)
		who    string
		sees   string
	}{
		"nothing":                 {header(), "", ""},
		"token":                   {header("Authorization", "Bearer 0123456789abcdef"), "gateway", "shop"},
		"token, other case":       {header("Authorization", "bearer 0123456789abcdef"), "gateway", "shop"},
		"token in its own header": {header("X-Confab-Token", "0123456789abcdef", "Authorization", "Bearer sk-upstream"), "gateway", "shop"},
		"wrong token":             {header("Authorization", "Bearer 0123456789abcdeg"), "", ""},
		"beginning of a token":    {header("Authorization", "Bearer 0123456789"), "", ""},
		"empty token":             {header("Authorization", "Bearer "), "", ""},
		"password":                {basic("ann", "open sesame"), "ann", "anything"},
		"wrong password":          {basic("ann", "sesame"), "", ""},
		"unknown person":          {basic("bob", "open sesame"), "", ""},
		"proxy":                   {proxied("10.1.2.3:1000", "X-User", "eve", "X-Tenants", "a, b"), "eve", "b"},
		"proxy over IPv6":         {proxied("[::ffff:10.1.2.3]:1000", "X-User", "eve", "X-Tenants", "a"), "eve", "a"},
		"not the proxy":           {proxied("192.0.2.1:1000", "X-User", "eve", "X-Tenants", "a"), "", ""},
		"proxy without a person":  {proxied("10.1.2.3:1000", "X-Tenants", "a"), "", ""},
		"two persons":             {proxied("10.1.2.3:1000", "X-User", "eve", "X-User", "ann", "X-Tenants", "a"), "", ""},
		"proxy without tenants":   {proxied("10.1.2.3:1000", "X-User", "eve"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // a password is remembered
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
				c.change(r)
				p, err := g.Authenticate(r)
				if c.who == "" {
					require.ErrorIs(t, err, ErrUnauthenticated)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, c.who, p.Name)
				require.True(t, p.Sees(c.sees))
				if c.who != "ann" {
					require.False(t, p.Sees("other"))
				}
			}
		})
	}
}

func TestChoose(t *testing.T) {
	one, two, all := Principal{"", []string{"a"}}, Principal{"", []string{"a", "b"}}, Principal{"", []string{"*"}}
	for _, c := range []struct {
		who    *Principal
		asked  string
		tenant string
		err    error
	}{
		{&one, "", "a", nil},
		{&one, "a", "a", nil},
		{&one, "b", "", ErrTenant},
		{&one, "*", "", ErrTenant},
		{&two, "b", "b", nil},
		{&two, "", "", ErrAmbiguousTenant},
		{&all, "c", "c", nil},
		{&all, "", "default", nil},
		{&Principal{}, "", "", ErrAmbiguousTenant},
	} {
		tenant, err := c.who.Choose(c.asked, "default")
		require.ErrorIs(t, err, c.err)
		require.Equal(t, c.tenant, tenant)
	}
}

// An unknown user takes as long as a wrong password: both compare one.
func TestUnknownUsersTakeAsLong(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	hash, err := bcrypt.GenerateFromPassword([]byte("open sesame"), bcrypt.DefaultCost)
	require.NoError(t, err)
	g, err := NewGate(&config.Auth{Logins: []config.Login{{Name: "ann", PasswordHash: redact.Secret(hash), Tenants: []string{"*"}}}})
	require.NoError(t, err)
	least := map[string]time.Duration{"ann": time.Hour, "bob": time.Hour}
	for range 8 { // in turns: a busy machine slows both
		for name := range least {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			r.SetBasicAuth(name, "wrong")
			began := time.Now()
			_, err := g.Authenticate(r)
			require.ErrorIs(t, err, ErrUnauthenticated)
			least[name] = min(least[name], time.Since(began))
		}
	}
	require.Greater(t, 2*least["bob"], least["ann"])
	require.Greater(t, 2*least["ann"], least["bob"])
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	r.SetBasicAuth("bob", "open sesame")
	_, err = g.Authenticate(r)
	require.ErrorIs(t, err, ErrUnauthenticated, "the password of somebody else")
}

// Passwords wait in a bounded queue, of which one address has a part; proofs that need no hash are not held up.
func TestPasswordQueueIsBounded(t *testing.T) {
	g := newGate(t)
	g.hashing <- struct{}{} // one is compared and does not end
	attempt := func(address, password string) error {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.RemoteAddr = address + ":1000"
		r.SetBasicAuth("ann", password)
		_, err := g.Authenticate(r)
		return err
	}
	waiting := func() int {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.queued
	}
	results := make(chan error, maxQueued)
	for i := range maxQueued {
		address := fmt.Sprintf("192.0.2.%d", i/maxFromAddress)
		go func() { results <- attempt(address, "wrong") }()
		require.Eventually(t, func() bool { return waiting() == i+1 }, 10*time.Second, time.Millisecond)
		if i+1 == maxFromAddress {
			require.ErrorIs(t, attempt(address, "wrong"), ErrBusy, "a fifth of one address")
		}
	}
	require.ErrorIs(t, attempt("192.0.2.200", "open sesame"), ErrBusy)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	r.Header.Set("Authorization", "Bearer 0123456789abcdef")
	_, err := g.Authenticate(r)
	require.NoError(t, err)
	<-g.hashing
	for range maxQueued {
		require.ErrorIs(t, <-results, ErrUnauthenticated)
	}
	require.Zero(t, waiting())
	require.Empty(t, g.waiting)
	require.NoError(t, attempt("192.0.2.200", "open sesame"))
}

// A refused login is logged with the client and a name that is not longer than a line.
func TestRefuse(t *testing.T) {
	g := newGate(t)
	for err, want := range map[error]int{ErrUnauthenticated: http.StatusUnauthorized, ErrBusy: http.StatusServiceUnavailable} {
		var log bytes.Buffer
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		r.SetBasicAuth(strings.Repeat("a", 1000), "secret")
		h := http.Header{}
		require.Equal(t, want, g.Refuse(h, r, err, slog.New(slog.NewJSONHandler(&log, nil))))
		require.Contains(t, log.String(), `"client":"192.0.2.1:1234","user":"`+strings.Repeat("a", maxLoggedName)+`"`)
		require.NotContains(t, log.String(), "secret")
		require.Equal(t, want == http.StatusUnauthorized, h.Get("WWW-Authenticate") != "")
		require.Equal(t, want == http.StatusServiceUnavailable, h.Get("Retry-After") != "")
	}
}
