package listen

import (
	"fmt"
	"net/netip"
	"slices"

	"golang.org/x/crypto/bcrypt"
)

// MinTokenLength is the least length of a token: a shorter one can be guessed.
const MinTokenLength = 16

// AllTenants stands for every tenant in a list of tenants.
const AllTenants = "*"

// failFunc takes a problem at a path below the settings, such as ".tls".
type failFunc func(at, format string, args ...any)

// Check reports problems between the settings to fail, each at a path below them. isLoopback says whether the address is
// reached from this machine only.
func (s *Settings) Check(isLoopback bool, fail func(at, format string, args ...any)) {
	if s.Auth.IsEmpty() && !isLoopback {
		fail(".listen", "anybody who reaches %s could ask: add auth.tokens, auth.users, auth.clients or auth.proxy, or listen on 127.0.0.1", s.Listen)
	}
	s.TLS.check(fail)
	if len(s.Auth.Clients) > 0 && s.TLS.ClientCAFile == "" {
		fail(".auth.clients", "needs tls.client_ca_file, which verifies their certificates")
	}
	s.Auth.check(fail)
}

func (a *Auth) check(fail failFunc) {
	names := map[string]bool{}
	entry := func(at, name string, tenants []string) {
		if name == "" {
			fail(at+".name", "is empty: the audit log needs a name")
		}
		if names[name] {
			fail(at+".name", "%q is used twice", name)
		}
		names[name] = true
		checkTenants(at, tenants, fail)
	}
	a.checkTokens(entry, fail)
	for i := range a.Users {
		u, at := &a.Users[i], fmt.Sprintf(".auth.users[%d]", i)
		entry(at, u.Name, u.Tenants)
		if _, err := bcrypt.Cost([]byte(u.PasswordHash.Reveal())); err != nil && (u.PasswordHash != "" || u.PasswordHashFile == "") {
			fail(at+".password_hash", "is not a bcrypt hash: make one with `htpasswd -nbB NAME PASSWORD`")
		}
	}
	for i := range a.Clients {
		entry(fmt.Sprintf(".auth.clients[%d]", i), a.Clients[i].Name, a.Clients[i].Tenants)
	}
	a.Proxy.check(fail)
}

func (a *Auth) checkTokens(entry func(at, name string, tenants []string), fail failFunc) {
	for i := range a.Tokens {
		t, at := &a.Tokens[i], fmt.Sprintf(".auth.tokens[%d]", i)
		entry(at, t.Name, t.Tenants)
		if n := len(t.Token.Reveal()); n < MinTokenLength && t.TokenFile == "" || n > 0 && n < MinTokenLength {
			fail(at+".token", "needs at least %d characters: make one with `openssl rand -hex 32`", MinTokenLength)
		}
		if slices.ContainsFunc(a.Tokens[:i], func(other Token) bool { return t.Token != "" && other.Token == t.Token }) {
			fail(at+".token", "is that of another entry: give each program its own")
		}
	}
}

func (p *Proxy) check(fail failFunc) {
	if p.UserHeader == "" {
		if p.TenantsHeader != "" || len(p.Trusted)+len(p.Tenants) > 0 {
			fail(".auth.proxy.user_header", "is missing: it names the person")
		}
		return
	}
	if len(p.Trusted) == 0 {
		fail(".auth.proxy.trusted", "is missing: without it anybody could send the header; list the proxy's addresses, such as [10.1.2.3/32]")
	}
	for i, text := range p.Trusted {
		if _, err := netip.ParsePrefix(text); err != nil {
			fail(fmt.Sprintf(".auth.proxy.trusted[%d]", i), "expected addresses such as 10.0.0.0/8 or 10.1.2.3/32")
		}
	}
	if p.TenantsHeader == "" {
		checkTenants(".auth.proxy", p.Tenants, fail)
	}
}

func checkTenants(at string, tenants []string, fail failFunc) {
	if len(tenants) == 0 || slices.Contains(tenants, "") {
		fail(at+".tenants", `name the tenants, such as [default], or ["*"] for all`)
	}
}
