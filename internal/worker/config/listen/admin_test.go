package listen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckAdmin(t *testing.T) {
	secure := TLS{CertFile: "c", KeyFile: "k"}
	token := AdminToken{Name: "a", Token: "0123456789abcdef"}
	for name, c := range map[string]struct {
		admin     Admin
		want      []string
		plaintext bool
	}{
		"open":                {Admin{}, nil, false},
		"TLS alone":           {Admin{TLS: secure}, nil, false},
		"token":               {Admin{TLS: secure, Auth: AdminAuth{Tokens: []AdminToken{token}}}, nil, false},
		"token without TLS":   {Admin{Auth: AdminAuth{Tokens: []AdminToken{token}}}, nil, true},
		"token of a file":     {Admin{TLS: secure, Auth: AdminAuth{Tokens: []AdminToken{{Name: "a", TokenFile: "f"}}}}, nil, false},
		"short token":         {Admin{TLS: secure, Auth: AdminAuth{Tokens: []AdminToken{{Name: "a", Token: "b"}}}}, []string{".auth.tokens[0].token"}, false},
		"user without name":   {Admin{TLS: secure, Auth: AdminAuth{Users: []AdminUser{{PasswordHashFile: "f"}}}}, []string{".auth.users[0].name"}, false},
		"password in clear":   {Admin{TLS: secure, Auth: AdminAuth{Users: []AdminUser{{Name: "a", PasswordHash: "b"}}}}, []string{".auth.users[0].password_hash"}, false},
		"key without cert":    {Admin{TLS: TLS{KeyFile: "k"}}, []string{".tls"}, false},
		"client, no CA":       {Admin{TLS: secure, Auth: AdminAuth{Clients: []string{"a"}}}, []string{".auth.clients"}, false},
		"CA, no client":       {Admin{TLS: TLS{CertFile: "c", KeyFile: "k", ClientCAFile: "a"}}, []string{".tls.client_ca_file"}, false},
		"client without name": {Admin{TLS: TLS{CertFile: "c", KeyFile: "k", ClientCAFile: "a"}, Auth: AdminAuth{Clients: []string{""}}}, []string{".auth.clients"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			c.admin.Check(func(at, _ string, _ ...any) { got = append(got, at) })
			require.Equal(t, c.want, got)
			require.Equal(t, c.plaintext, c.admin.SendsPlaintextLogin())
			require.Equal(t, !c.admin.Auth.IsEmpty(), !c.admin.Auth.Auth().IsEmpty())
		})
	}
}
