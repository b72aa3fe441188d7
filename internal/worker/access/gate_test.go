package access

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

func newGate(t *testing.T) *Gate {
	t.Helper()
	g, err := NewGate(&config.Auth{
		Logins: []config.Login{
			{Name: "gateway", Token: "0123456789abcdef", Tenants: []string{"shop"}},
			{Name: "ann", Token: "ann's long token", Tenants: []string{"*"}},
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
		"token as a password":     {basic("whoever", "ann's long token"), "ann", "anything"},
		"wrong password":          {basic("ann", "sesame"), "", ""},
		"no password":             {basic("ann", ""), "", ""},
		"proxy":                   {proxied("10.1.2.3:1000", "X-User", "eve", "X-Tenants", "a, b"), "eve", "b"},
		"proxy over IPv6":         {proxied("[::ffff:10.1.2.3]:1000", "X-User", "eve", "X-Tenants", "a"), "eve", "a"},
		"not the proxy":           {proxied("192.0.2.1:1000", "X-User", "eve", "X-Tenants", "a"), "", ""},
		"proxy without a person":  {proxied("10.1.2.3:1000", "X-Tenants", "a"), "", ""},
		"two persons":             {proxied("10.1.2.3:1000", "X-User", "eve", "X-User", "ann", "X-Tenants", "a"), "", ""},
		"proxy without tenants":   {proxied("10.1.2.3:1000", "X-User", "eve"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
			c.change(r)
			p, err := g.Authenticate(r)
			if c.who == "" {
				require.ErrorIs(t, err, ErrUnauthenticated)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.who, p.Name)
			require.True(t, p.Sees(c.sees))
			if c.who != "ann" {
				require.False(t, p.Sees("other"))
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

// A refused login is logged with the client and a name that is not longer than a line.
func TestRefuse(t *testing.T) {
	var log bytes.Buffer
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	r.SetBasicAuth(strings.Repeat("a", 1000), "secret")
	h := http.Header{}
	require.Equal(t, http.StatusUnauthorized, newGate(t).Refuse(h, r, slog.New(slog.NewJSONHandler(&log, nil))))
	require.Contains(t, log.String(), `"client":"192.0.2.1:1234","user":"`+strings.Repeat("a", maxLoggedName)+`"`)
	require.NotContains(t, log.String(), "secret")
	require.Len(t, h.Values("WWW-Authenticate"), 2, "for programs and browsers")
}
