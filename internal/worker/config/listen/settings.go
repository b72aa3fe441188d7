package listen

import (
	"slices"

	"confab/internal/redact"
)

// Settings are those of one listener.
type Settings struct {
	// Address to listen on, host:port. Other addresses than loopback need authentication.
	Listen string `yaml:"listen"`
	// Encryption. Empty: HTTP.
	TLS TLS `yaml:"tls"`
	// Who may ask, and for which tenants. Empty: everybody on this machine, for every tenant.
	Auth Auth `yaml:"auth"`
}

// TLS is the encryption of a listener.
type TLS struct {
	// Certificate with its chain, PEM.
	CertFile string `yaml:"cert_file"`
	// Key of the certificate, PEM.
	KeyFile string `yaml:"key_file"`
	// Authorities that sign the certificates of clients, PEM. Needed for auth.clients.
	ClientCAFile string `yaml:"client_ca_file"`
}

// Auth says who may ask. A request needs one of the configured proofs.
type Auth struct {
	// Tokens of programs, sent as `Authorization: Bearer TOKEN`, or as `X-Confab-Token: TOKEN`.
	Tokens []Token `yaml:"tokens"`
	// People and programs with a password (HTTP basic authentication).
	Users []User `yaml:"users"`
	// Programs with a client certificate.
	Clients []Client `yaml:"clients"`
	// A proxy in front that has authenticated people.
	Proxy Proxy `yaml:"proxy"`
}

// Token is a token of one program.
type Token struct {
	// Name of the program in the audit log.
	Name string `yaml:"name"`
	// The token, at least 16 characters. It is a secret.
	Token redact.Secret `yaml:"token"`
	// File that holds the token.
	TokenFile string `yaml:"token_file"`
	// Tenants that it may ask for; `*` stands for all.
	Tenants []string `yaml:"tenants"`
}

// User is a person with a password.
type User struct {
	// Name to log in with.
	Name string `yaml:"name"`
	// bcrypt hash of the password, as `htpasswd -nbB NAME PASSWORD` prints it behind the colon.
	PasswordHash redact.Secret `yaml:"password_hash"`
	// File that holds the hash.
	PasswordHashFile string `yaml:"password_hash_file"`
	// Tenants that the person sees; `*` stands for all.
	Tenants []string `yaml:"tenants"`
}

// Client is a program with a client certificate.
type Client struct {
	// Common name, or a DNS or URI name, of the certificate.
	Name string `yaml:"name"`
	// Tenants that it may ask for; `*` stands for all.
	Tenants []string `yaml:"tenants"`
}

// Proxy is a proxy that names the person in headers.
type Proxy struct {
	// Header that names the person, such as X-Forwarded-User. Empty: no proxy is trusted.
	UserHeader string `yaml:"user_header"`
	// Header that lists the person's tenants, separated by commas. Empty: the tenants below.
	TenantsHeader string `yaml:"tenants_header"`
	// Tenants of everybody who comes through the proxy, without tenants_header; `*` stands for all.
	Tenants []string `yaml:"tenants"`
	// Addresses of the proxy, such as 10.0.0.0/8. The headers of others are not read.
	Trusted []string `yaml:"trusted"`
}

// IsEmpty reports whether no proof is configured: then everybody may ask.
func (a *Auth) IsEmpty() bool {
	return len(a.Tokens)+len(a.Users)+len(a.Clients) == 0 && a.Proxy.UserHeader == ""
}

// OnlyTenant reports whether every login is for that tenant alone.
func (a *Auth) OnlyTenant(tenant string) bool {
	lists := make([][]string, 0, len(a.Tokens)+len(a.Users)+len(a.Clients)+1)
	for i := range a.Tokens {
		lists = append(lists, a.Tokens[i].Tenants)
	}
	for i := range a.Users {
		lists = append(lists, a.Users[i].Tenants)
	}
	for i := range a.Clients {
		lists = append(lists, a.Clients[i].Tenants)
	}
	if a.Proxy.UserHeader != "" {
		lists = append(lists, a.Proxy.Tenants)
	}
	return !slices.ContainsFunc(lists, func(names []string) bool { return len(names) != 1 || names[0] != tenant })
}
