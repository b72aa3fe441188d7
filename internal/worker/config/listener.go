package config

import (
	"slices"
	"time"

	"confab/internal/redact"
	"confab/internal/strictyaml"
)

// Listener is an HTTP listener that other programs and people reach.
type Listener struct {
	// Address to listen on, host:port. Other addresses than loopback need authentication.
	Listen string `yaml:"listen"`
	// Encryption. Empty: HTTP.
	TLS ListenerTLS `yaml:"tls"`
	// Who may ask, and for which tenants. Empty: everybody on this machine, for every tenant.
	Auth Auth `yaml:"auth"`

	// MaxBodySize is the maximum size of a request's body, after decompression.
	MaxBodySize strictyaml.Bytes `yaml:"-"`
	// MaxConcurrent requests are answered at a time. More wait for at most a second, then they are refused with 503.
	MaxConcurrent int `yaml:"-"`
	// ReadTimeout is the maximum time to send a request's header, and again its body.
	ReadTimeout time.Duration `yaml:"-"`
}

func newListener(address string, maxBody strictyaml.Bytes) Listener {
	return Listener{Listen: address, MaxBodySize: maxBody, MaxConcurrent: 64, ReadTimeout: 10 * time.Second}
}

// Admin is the HTTP server for probes and metrics.
type Admin struct {
	// Address to listen on, host:port. Loopback by default; in a pod use 0.0.0.0:9464. Empty: no server.
	Listen string `yaml:"listen"`
	// Serve Go profiles under /debug/pprof/. Profiles contain memory contents: keep the address private, or set auth.
	Pprof bool `yaml:"pprof"`
	// Encryption. Empty: HTTP. Changed files are used without a restart.
	TLS ListenerTLS `yaml:"tls"`
	// Bearer token, at least 16 characters, to read metrics, configuration, version and profiles, which concern every tenant. Probes need none. Empty: everybody may read.
	Token redact.Secret `yaml:"token"`
	// File that holds the token; read again when it changes.
	TokenFile string `yaml:"token_file"`
}

// Auth is the login as that of other listeners.
func (s *Admin) Auth() (a Auth) {
	if s.Token != "" || s.TokenFile != "" {
		a.Logins = []Login{{Name: "admin", Token: s.Token, TokenFile: s.TokenFile, Tenants: []string{AllTenants}}}
	}
	return a
}

// ListenerTLS is the encryption of a listener.
type ListenerTLS struct {
	// Certificate with its chain, PEM.
	CertFile string `yaml:"cert_file"`
	// Key of the certificate, PEM.
	KeyFile string `yaml:"key_file"`
}

// Auth says who may ask. A request needs one of the configured proofs.
type Auth struct {
	// Programs and people, each with a token.
	Logins []Login `yaml:"logins"`
	// A proxy in front that has authenticated people.
	Proxy Proxy `yaml:"proxy"`
}

// anyTenant reports that a client may name every tenant.
func (a *Auth) anyTenant() bool {
	return a.IsEmpty() || slices.Contains(a.Proxy.Tenants, AllTenants) ||
		slices.ContainsFunc(a.Logins, func(l Login) bool { return slices.Contains(l.Tenants, AllTenants) })
}

// Login is a program or a person.
type Login struct {
	// Name in the audit log.
	Name string `yaml:"name"`
	// The token, at least 16 characters, sent as `Authorization: Bearer TOKEN`, as `X-Confab-Token: TOKEN`, or as the password of HTTP basic authentication, for which browsers ask.
	Token redact.Secret `yaml:"token"`
	// File that holds the token; read again when it changes.
	TokenFile string `yaml:"token_file"`
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

// MinTokenLength is the least length of a token: a shorter one can be guessed.
const MinTokenLength = 16

// AllTenants stands for every tenant in a list of tenants.
const AllTenants = "*"

// HasToken reports whether the login has a token.
func (l *Login) HasToken() bool { return l.Token != "" || l.TokenFile != "" }

// IsEmpty reports whether no proof is configured: then everybody may ask.
func (a *Auth) IsEmpty() bool { return len(a.Logins) == 0 && a.Proxy.UserHeader == "" }

// onlyTenant reports whether every login is for that tenant alone.
func (a *Auth) onlyTenant(tenant string) bool {
	other := func(names []string) bool { return len(names) != 1 || names[0] != tenant }
	return !slices.ContainsFunc(a.Logins, func(l Login) bool { return other(l.Tenants) }) && (a.Proxy.UserHeader == "" || !other(a.Proxy.Tenants))
}
