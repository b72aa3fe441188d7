package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckListener(t *testing.T) {
	token := Login{Name: "a", Token: "0123456789abcdef", Tenants: []string{"x"}}
	secure := ListenerTLS{CertFile: "c", KeyFile: "k"}
	for name, c := range map[string]struct {
		address string
		tls     ListenerTLS
		auth    Auth
		want    []string
	}{
		"open on loopback":     {"127.0.0.1:1", ListenerTLS{}, Auth{}, nil},
		"open to all":          {"somewhere:1", ListenerTLS{}, Auth{}, []string{"x.listen"}},
		"token":                {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{token}}, nil},
		"short token":          {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{{Name: "a", Token: "short", Tenants: []string{"x"}}}}, []string{"x.auth.logins[0].token"}},
		"token of a file":      {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{{Name: "a", TokenFile: "f", Tenants: []string{"x"}}}}, nil},
		"same name":            {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{token, token}}, []string{"x.auth.logins[1].name"}},
		"same token":           {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{token, {Name: "b", Token: token.Token, Tenants: []string{"x"}}}}, []string{"x.auth.logins[1].token"}},
		"no name":              {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{{TokenFile: "f", Tenants: []string{"x"}}}}, []string{"x.auth.logins[0].name"}},
		"no tenants":           {"somewhere:1", ListenerTLS{}, Auth{Logins: []Login{{Name: "a", TokenFile: "f"}}}, []string{"x.auth.logins[0].tenants"}},
		"no proof":             {"somewhere:1", secure, Auth{Logins: []Login{{Name: "a", Tenants: []string{"x"}}}}, []string{"x.auth.logins[0]"}},
		"half a certificate":   {"127.0.0.1:1", ListenerTLS{CertFile: "c"}, Auth{}, []string{"x.tls"}},
		"proxy from anywhere":  {"somewhere:1", ListenerTLS{}, Auth{Proxy: Proxy{UserHeader: "X-User", Tenants: []string{"x"}}}, []string{"x.auth.proxy.trusted"}},
		"proxy, bad addresses": {"somewhere:1", ListenerTLS{}, Auth{Proxy: Proxy{UserHeader: "X-User", TenantsHeader: "X", Trusted: []string{"10.1.2.3"}}}, []string{"x.auth.proxy.trusted[0]"}},
		"proxy without header": {"127.0.0.1:1", ListenerTLS{}, Auth{Proxy: Proxy{Trusted: []string{"10.0.0.0/8"}}}, []string{"x.auth.proxy.user_header"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &checker{}
			k.listener("x", &Listener{Listen: c.address, TLS: c.tls, Auth: c.auth})
			require.Equal(t, c.want, k.paths())
		})
	}
}

func (k *checker) paths() (paths []string) {
	for _, p := range k.problems {
		paths = append(paths, p.Path)
	}
	return paths
}

func TestCheckAdmin(t *testing.T) {
	for name, c := range map[string]struct {
		admin Admin
		want  []string
	}{
		"open":             {Admin{}, nil},
		"TLS and token":    {Admin{TLS: ListenerTLS{"c", "k"}, Token: "0123456789abcdef"}, nil},
		"short token":      {Admin{Token: "short"}, []string{"admin.token"}},
		"key without cert": {Admin{TLS: ListenerTLS{KeyFile: "k"}}, []string{"admin.tls"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &checker{}
			k.admin(&c.admin)
			require.Equal(t, c.want, k.paths())
		})
	}
}
