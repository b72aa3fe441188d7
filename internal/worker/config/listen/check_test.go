package listen

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	token := Token{Name: "a", Token: "0123456789abcdef", Tenants: []string{"x"}}
	for name, c := range map[string]struct {
		change   func(s *Settings)
		loopback bool
		want     []string
	}{
		"open on loopback":    {func(*Settings) {}, true, nil},
		"open to all":         {func(*Settings) {}, false, []string{".listen"}},
		"token":               {func(s *Settings) { s.Auth.Tokens = []Token{token} }, false, nil},
		"short token":         {func(s *Settings) { s.Auth.Tokens = []Token{{Name: "a", Token: "short", Tenants: []string{"x"}}} }, false, []string{".auth.tokens[0].token"}},
		"no token":            {func(s *Settings) { s.Auth.Tokens = []Token{{Name: "a", Tenants: []string{"x"}}} }, false, []string{".auth.tokens[0].token"}},
		"token of a file":     {func(s *Settings) { s.Auth.Tokens = []Token{{Name: "a", TokenFile: "f", Tenants: []string{"x"}}} }, false, nil},
		"same name and token": {func(s *Settings) { s.Auth.Tokens = []Token{token, token} }, false, []string{".auth.tokens[1].name", ".auth.tokens[1].token"}},
		"no tenants":          {func(s *Settings) { s.Auth.Clients = []Client{{Name: "a"}} }, false, []string{".auth.clients", ".auth.clients[0].tenants"}},
		"password in clear": {func(s *Settings) {
			s.Auth.Users = []User{{Name: "a", PasswordHash: "open sesame", Tenants: []string{"x"}}}
		}, false, []string{".auth.users[0].password_hash"}},
		"half a certificate":  {func(s *Settings) { s.TLS.CertFile = "c" }, true, []string{".tls"}},
		"authorities alone":   {func(s *Settings) { s.TLS.ClientCAFile = "c" }, true, []string{".tls.client_ca_file"}},
		"proxy from anywhere": {func(s *Settings) { s.Auth.Proxy = Proxy{UserHeader: "X-User", Tenants: []string{"x"}} }, false, []string{".auth.proxy.trusted"}},
		"proxy, bad addresses": {func(s *Settings) {
			s.Auth.Proxy = Proxy{UserHeader: "X-User", TenantsHeader: "X", Trusted: []string{"10.1.2.3"}}
		}, false, []string{".auth.proxy.trusted[0]"}},
		"proxy without header": {func(s *Settings) { s.Auth.Proxy = Proxy{Trusted: []string{"10.0.0.0/8"}} }, true, []string{".auth.proxy.user_header"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{Listen: "somewhere:1"}
			c.change(&s)
			var got []string
			s.Check(c.loopback, func(at, format string, args ...any) {
				require.NotContains(t, fmt.Sprintf(format, args...), "%!")
				got = append(got, at)
			})
			require.Equal(t, c.want, got)
		})
	}
}
