package access

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"confab/cmd/worker/internal/config/listen"
	"confab/internal/redact"
)

func newGate(t *testing.T) *Gate {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte("open sesame"), bcrypt.MinCost)
	require.NoError(t, err)
	g, err := NewGate(&listen.Auth{
		Tokens:  []listen.Token{{Name: "gateway", Token: "0123456789abcdef", Tenants: []string{"shop"}}},
		Users:   []listen.User{{Name: "ann", PasswordHash: redact.Secret(hash), Tenants: []string{"*"}}},
		Clients: []listen.Client{{Name: "billing.example", Tenants: []string{"bank"}}},
		Proxy:   listen.Proxy{UserHeader: "X-User", TenantsHeader: "X-Tenants", Trusted: []string{"10.0.0.0/8"}},
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
	certificate := func(verified bool, c *x509.Certificate) func(*http.Request) {
		return func(r *http.Request) {
			r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{c}}
			if verified {
				r.TLS.VerifiedChains = [][]*x509.Certificate{{c}}
			}
		}
	}
	billing := &x509.Certificate{DNSNames: []string{"billing.example"}}
	for name, c := range map[string]struct {
		change func(*http.Request)
		who    string
		sees   string
	}{
		"nothing":                  {header(), "", ""},
		"token":                    {header("Authorization", "Bearer 0123456789abcdef"), "gateway", "shop"},
		"token, other case":        {header("Authorization", "bearer 0123456789abcdef"), "gateway", "shop"},
		"token in its own header":  {header("X-Confab-Token", "0123456789abcdef", "Authorization", "Bearer sk-upstream"), "gateway", "shop"},
		"wrong token":              {header("Authorization", "Bearer 0123456789abcdeg"), "", ""},
		"beginning of a token":     {header("Authorization", "Bearer 0123456789"), "", ""},
		"empty token":              {header("Authorization", "Bearer "), "", ""},
		"password":                 {basic("ann", "open sesame"), "ann", "anything"},
		"wrong password":           {basic("ann", "sesame"), "", ""},
		"unknown person":           {basic("bob", "open sesame"), "", ""},
		"certificate":              {certificate(true, billing), "billing.example", "bank"},
		"unverified certificate":   {certificate(false, billing), "", ""},
		"unknown certificate":      {certificate(true, &x509.Certificate{Subject: pkix.Name{CommonName: "other"}}), "", ""},
		"certificate without name": {certificate(true, &x509.Certificate{}), "", ""},
		"proxy":                    {proxied("10.1.2.3:1000", "X-User", "eve", "X-Tenants", "a, b"), "eve", "b"},
		"proxy over IPv6":          {proxied("[::ffff:10.1.2.3]:1000", "X-User", "eve", "X-Tenants", "a"), "eve", "a"},
		"not the proxy":            {proxied("192.0.2.1:1000", "X-User", "eve", "X-Tenants", "a"), "", ""},
		"proxy without a person":   {proxied("10.1.2.3:1000", "X-Tenants", "a"), "", ""},
		"two persons":              {proxied("10.1.2.3:1000", "X-User", "eve", "X-User", "ann", "X-Tenants", "a"), "", ""},
		"proxy without tenants":    {proxied("10.1.2.3:1000", "X-User", "eve"), "", ""},
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
