package listen

import (
	"slices"

	"confab/internal/redact"
)

// Admin is the HTTP server for probes and metrics.
type Admin struct {
	// Address to listen on, host:port. Loopback by default; in a pod use 0.0.0.0:9464. Empty: no server.
	Listen string `yaml:"listen"`
	// Serve Go profiles under /debug/pprof/. Profiles contain memory contents: keep the address private, or set auth.
	Pprof bool `yaml:"pprof"`
	// Encryption. Empty: HTTP. Changed files are used without a restart.
	TLS TLS `yaml:"tls"`
	// Who may read metrics, configuration, version and profiles. Probes need no login. Empty: everybody.
	Auth AdminAuth `yaml:"auth"`
}

// AdminAuth says who may read what concerns every tenant. A request needs one of the configured proofs.
type AdminAuth struct {
	// Tokens of programs, sent as `Authorization: Bearer TOKEN`.
	Tokens []AdminToken `yaml:"tokens"`
	// People and programs with a password (HTTP basic authentication).
	Users []AdminUser `yaml:"users"`
	// Common names, or DNS or URI names, of client certificates. They need tls.client_ca_file.
	Clients []string `yaml:"clients"`
}

// AdminToken is a token of one program.
type AdminToken struct {
	// Name of the program.
	Name string `yaml:"name"`
	// The token, at least 16 characters. It is a secret.
	Token redact.Secret `yaml:"token"`
	// File that holds the token; read again when it changes.
	TokenFile string `yaml:"token_file"`
}

// AdminUser is a person or program with a password.
type AdminUser struct {
	// Name to log in with.
	Name string `yaml:"name"`
	// bcrypt hash of the password, as `htpasswd -nbB NAME PASSWORD` prints it behind the colon.
	PasswordHash redact.Secret `yaml:"password_hash"`
	// File that holds the hash; read again when it changes.
	PasswordHashFile string `yaml:"password_hash_file"`
}

// IsEmpty reports whether no proof is configured: then everybody may ask.
func (a *AdminAuth) IsEmpty() bool { return len(a.Tokens)+len(a.Users)+len(a.Clients) == 0 }

// Auth returns the same proofs for every tenant.
func (a *AdminAuth) Auth() *Auth {
	all := []string{AllTenants}
	var out Auth
	for _, t := range a.Tokens {
		out.Tokens = append(out.Tokens, Token{Name: t.Name, Token: t.Token, TokenFile: t.TokenFile, Tenants: all})
	}
	for _, u := range a.Users {
		out.Users = append(out.Users, User{Name: u.Name, PasswordHash: u.PasswordHash, PasswordHashFile: u.PasswordHashFile, Tenants: all})
	}
	for _, name := range a.Clients {
		out.Clients = append(out.Clients, Client{Name: name, Tenants: all})
	}
	return &out
}

// Check reports problems between the settings to fail, each at a path below them.
func (s *Admin) Check(fail func(at, format string, args ...any)) {
	s.TLS.check(fail)
	if len(s.Auth.Clients) > 0 && s.TLS.ClientCAFile == "" {
		fail(".auth.clients", "needs tls.client_ca_file, which verifies their certificates")
	}
	if len(s.Auth.Clients) == 0 && s.TLS.ClientCAFile != "" && s.TLS.CertFile != "" {
		fail(".tls.client_ca_file", "has no effect without auth.clients: name the certificates that may ask")
	}
	if slices.Contains(s.Auth.Clients, "") {
		fail(".auth.clients", "an entry is empty: write the name of a certificate")
	}
	rest := s.Auth.Auth()
	rest.Clients = nil // their list has been checked
	rest.check(fail)
}

// SendsPlaintextLogin reports whether tokens or passwords arrive unencrypted.
func (s *Admin) SendsPlaintextLogin() bool { return !s.Auth.IsEmpty() && s.TLS.CertFile == "" }

func (t *TLS) check(fail failFunc) {
	if (t.CertFile == "") != (t.KeyFile == "") {
		fail(".tls", "needs both cert_file and key_file")
	}
	if t.ClientCAFile != "" && t.CertFile == "" {
		fail(".tls.client_ca_file", "has no effect without cert_file and key_file")
	}
}
