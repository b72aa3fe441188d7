package access

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"confab/internal/worker/config"
)

// TokenHeader carries a token where Authorization belongs to somebody else, such as the server behind a proxy.
const TokenHeader = "X-Confab-Token" //nolint:gosec // the name of a header

// ErrUnauthenticated means that the request has no valid proof.
var ErrUnauthenticated = errors.New("no valid credentials")

// ErrTenant means that the sender may not ask for the tenant.
var ErrTenant = errors.New("tenant not allowed")

// ErrAmbiguousTenant means that the sender has several tenants and the request names none.
var ErrAmbiguousTenant = errors.New("tenant not named")

// Principal is who sent a request.
type Principal struct {
	Name    string
	tenants []string
}

// Sees reports whether the principal may ask for the tenant.
func (p *Principal) Sees(tenant string) bool {
	return slices.Contains(p.tenants, tenant) || slices.Contains(p.tenants, config.AllTenants)
}

// Tenants returns the tenants, and whether the principal may ask for all.
func (p *Principal) Tenants() (names []string, all bool) {
	return p.tenants, slices.Contains(p.tenants, config.AllTenants)
}

// Choose returns the tenant of a request that asks for one, or for none (""): then it is the principal's only tenant, or
// otherwise for a principal of all tenants. The error is ErrTenant or ErrAmbiguousTenant.
func (p *Principal) Choose(asked, otherwise string) (string, error) {
	_, all := p.Tenants()
	switch {
	case asked != "" && p.Sees(asked):
		return asked, nil
	case asked != "":
		return "", ErrTenant
	case all:
		return otherwise, nil
	case len(p.tenants) == 1:
		return p.tenants[0], nil
	}
	return "", ErrAmbiguousTenant
}

// Gate authenticates requests. It is safe for concurrent use. Changed files of tokens take effect within seconds.
type Gate struct {
	open     bool // nothing is configured: everybody may ask
	settings config.Auth
	tokens   atomic.Pointer[tokens]
	proxy    config.Proxy
	trusted  []netip.Prefix
	now      func() time.Time

	mu      sync.Mutex
	checked time.Time // when files were last compared
}

// NewGate makes the gate of the settings, which have been checked.
func NewGate(a *config.Auth) (*Gate, error) {
	g := &Gate{open: a.IsEmpty(), settings: *a, proxy: a.Proxy, now: time.Now}
	g.tokens.Store(newTokens(a))
	g.checked = g.now()
	for _, text := range a.Proxy.Trusted {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("auth.proxy.trusted: %w", err)
		}
		g.trusted = append(g.trusted, prefix)
	}
	return g, nil
}

// Authenticate returns who sent the request. The error is ErrUnauthenticated.
func (g *Gate) Authenticate(r *http.Request) (Principal, error) {
	if g.open {
		return Principal{Name: "anonymous", tenants: []string{config.AllTenants}}, nil
	}
	g.refresh()
	if p, ok := g.byToken(r); ok {
		return p, nil
	}
	if p, ok := g.byProxy(r); ok {
		return p, nil
	}
	return Principal{}, ErrUnauthenticated
}

// Refuse logs a login that Authenticate has refused, with the client's address and the name that it gave, and sets the headers
// of the response, whose status it returns. Browsers ask for a password: the token, under any name.
func (g *Gate) Refuse(h http.Header, r *http.Request, log *slog.Logger) (status int) {
	name, _, _ := r.BasicAuth()
	log.WarnContext(r.Context(), "login refused", "client", r.RemoteAddr, "user", name[:min(len(name), maxLoggedName)])
	h["Www-Authenticate"] = []string{`Bearer realm="confab"`, `Basic realm="confab", charset="UTF-8"`}
	return http.StatusUnauthorized
}

// maxLoggedName bounds the names that strangers write into the log.
const maxLoggedName = 64

// byToken finds the token of the request. It compares digests, so the time says nothing about the token.
func (g *Gate) byToken(r *http.Request) (Principal, bool) {
	token := r.Header.Get(TokenHeader)
	if token == "" {
		token = bearerToken(r)
	}
	if _, password, ok := r.BasicAuth(); ok && token == "" {
		token = password
	}
	p, ok := (*g.tokens.Load())[sha256.Sum256([]byte(token))]
	return p, ok && token != ""
}

func bearerToken(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// byProxy reads the headers of a trusted proxy. A header that is sent twice is not trusted: one of them is the client's.
func (g *Gate) byProxy(r *http.Request) (Principal, bool) {
	if g.proxy.UserHeader == "" || !g.isTrusted(r.RemoteAddr) {
		return Principal{}, false
	}
	names := r.Header.Values(g.proxy.UserHeader)
	if len(names) != 1 || names[0] == "" {
		return Principal{}, false
	}
	if g.proxy.TenantsHeader == "" {
		return Principal{names[0], g.proxy.Tenants}, true
	}
	lists := r.Header.Values(g.proxy.TenantsHeader)
	if len(lists) != 1 {
		return Principal{}, false
	}
	var tenants []string
	for name := range strings.SplitSeq(lists[0], ",") {
		if name = strings.TrimSpace(name); name != "" {
			tenants = append(tenants, name)
		}
	}
	return Principal{names[0], tenants}, true
}

func (g *Gate) isTrusted(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(g.trusted, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}
