package config

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/crypto/bcrypt"

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
	// Who may read metrics, configuration, version and profiles, which concern every tenant. Probes need no login. Empty: everybody.
	Auth Auth `yaml:"auth"`
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
	// Programs and people with a token or a password.
	Logins []Login `yaml:"logins"`
	// A proxy in front that has authenticated people.
	Proxy Proxy `yaml:"proxy"`
}

// Login is a program or a person.
type Login struct {
	// Name in the audit log; the name to log in with a password.
	Name string `yaml:"name"`
	// The token, at least 16 characters, sent as `Authorization: Bearer TOKEN`, or as `X-Confab-Token: TOKEN`.
	Token redact.Secret `yaml:"token"`
	// File that holds the token; read again when it changes.
	TokenFile string `yaml:"token_file"`
	// bcrypt hash of the password (HTTP basic authentication), as `htpasswd -nbB NAME PASSWORD` prints it behind the colon.
	PasswordHash redact.Secret `yaml:"password_hash"`
	// File that holds the hash; read again when it changes.
	PasswordHashFile string `yaml:"password_hash_file"`
	// Tenants that it may ask for; `*` stands for all. Not for admin.
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

// HasPassword reports whether the login has a password.
func (l *Login) HasPassword() bool { return l.PasswordHash != "" || l.PasswordHashFile != "" }

// IsEmpty reports whether no proof is configured: then everybody may ask.
func (a *Auth) IsEmpty() bool { return len(a.Logins) == 0 && a.Proxy.UserHeader == "" }

// ForAllTenants returns the same proofs, each for every tenant.
func (a *Auth) ForAllTenants() *Auth {
	all := []string{AllTenants}
	out := &Auth{Logins: slices.Clone(a.Logins), Proxy: a.Proxy}
	for i := range out.Logins {
		out.Logins[i].Tenants = all
	}
	out.Proxy.TenantsHeader, out.Proxy.Tenants = "", all
	return out
}

// onlyTenant reports whether every login is for that tenant alone.
func (a *Auth) onlyTenant(tenant string) bool {
	other := func(names []string) bool { return len(names) != 1 || names[0] != tenant }
	return !slices.ContainsFunc(a.Logins, func(l Login) bool { return other(l.Tenants) }) && (a.Proxy.UserHeader == "" || !other(a.Proxy.Tenants))
}

// sendsPlaintextLogin reports whether tokens or passwords arrive unencrypted.
func (s *Admin) sendsPlaintextLogin() bool { return !s.Auth.IsEmpty() && s.TLS.CertFile == "" }

// listener checks an address that others reach.
func (k *checker) listener(path string, s *Listener) {
	k.address(path+".listen", s.Listen, true)
	if s.Auth.IsEmpty() && !isLoopbackAddress(s.Listen) {
		k.fail(path+".listen", "anybody who reaches %s could ask: add auth.logins or auth.proxy, or listen on 127.0.0.1", s.Listen)
	}
	k.listenerTLS(path+".tls", &s.TLS)
	k.auth(path, &s.Auth)
}

func (k *checker) admin(s *Admin) {
	if s.Listen != "" {
		k.address("admin.listen", s.Listen, true)
	}
	k.listenerTLS("admin.tls", &s.TLS)
	for i := range s.Auth.Logins {
		if len(s.Auth.Logins[i].Tenants) > 0 {
			k.fail(fmt.Sprintf("admin.auth.logins[%d].tenants", i), "has no effect: metrics concern every tenant; remove it")
		}
	}
	k.auth("admin", s.Auth.ForAllTenants())
}

func (k *checker) listenerTLS(path string, t *ListenerTLS) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		k.fail(path, "needs both cert_file and key_file")
	}
}

func (k *checker) auth(path string, a *Auth) {
	names, tokens := map[string]bool{}, map[redact.Secret]bool{}
	for i := range a.Logins {
		l, at := &a.Logins[i], fmt.Sprintf("%s.auth.logins[%d]", path, i)
		switch {
		case l.Name == "":
			k.fail(at+".name", "is empty: the audit log needs a name")
		case names[l.Name]:
			k.fail(at+".name", "%q is used twice", l.Name)
		case l.Token != "" && tokens[l.Token]:
			k.fail(at+".token", "is that of another entry: give each program its own")
		case !l.HasToken() && !l.HasPassword():
			k.fail(at, "has no proof: set token_file or password_hash_file")
		}
		names[l.Name], tokens[l.Token] = true, true
		k.login(at, l)
	}
	k.proxy(path+".auth.proxy", &a.Proxy)
}

func (k *checker) login(at string, l *Login) {
	if l.HasToken() && l.HasPassword() {
		k.fail(at, "has a token and a password: make two entries")
	}
	if n := len(l.Token.Reveal()); n > 0 && n < MinTokenLength {
		k.fail(at+".token", "needs at least %d characters: make one with `openssl rand -hex 32`", MinTokenLength)
	}
	if l.PasswordHash != "" {
		if _, err := bcrypt.Cost([]byte(l.PasswordHash.Reveal())); err != nil {
			k.fail(at+".password_hash", "is not a bcrypt hash: make one with `htpasswd -nbB NAME PASSWORD`")
		}
	}
	k.tenants(at, l.Tenants)
}

func (k *checker) proxy(at string, p *Proxy) {
	if p.UserHeader == "" {
		if p.TenantsHeader != "" || len(p.Trusted) > 0 {
			k.fail(at+".user_header", "is missing: it names the person")
		}
		return
	}
	if len(p.Trusted) == 0 {
		k.fail(at+".trusted", "is missing: without it anybody could send the header; list the proxy's addresses, such as [10.1.2.3/32]")
	}
	for i, text := range p.Trusted {
		if _, err := netip.ParsePrefix(text); err != nil {
			k.fail(fmt.Sprintf("%s.trusted[%d]", at, i), "expected addresses such as 10.0.0.0/8 or 10.1.2.3/32")
		}
	}
	if p.TenantsHeader == "" {
		k.tenants(at, p.Tenants)
	}
}

func (k *checker) tenants(at string, tenants []string) {
	if len(tenants) == 0 || slices.Contains(tenants, "") {
		k.fail(at+".tenants", `name the tenants, such as [default], or ["*"] for all`)
	}
}
