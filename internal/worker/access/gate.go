package access

import (
	"cmp"
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

	"golang.org/x/crypto/bcrypt"

	"confab/internal/worker/config"
)

// TokenHeader carries a token where Authorization belongs to somebody else, such as the server behind a proxy.
const TokenHeader = "X-Confab-Token" //nolint:gosec // the name of a header

// ErrUnauthenticated means that the request has no valid proof.
var ErrUnauthenticated = errors.New("no valid credentials")

// ErrBusy means that too many passwords wait to be compared.
var ErrBusy = errors.New("too many logins")

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

// Gate authenticates requests. It is safe for concurrent use. Changed files of tokens and password hashes take effect within
// seconds.
type Gate struct {
	open     bool // nothing is configured: everybody may ask
	settings config.Auth
	logins   atomic.Pointer[logins]
	proxy    config.Proxy
	trusted  []netip.Prefix
	now      func() time.Time

	mu      sync.Mutex
	known   map[[sha256.Size]byte]bool // passwords that bcrypt has accepted: it takes 50 ms by design
	checked time.Time                  // when files were last compared
	waiting map[string]int             // passwords that are compared or wait for it, by address
	queued  int                        // all of them

	hashing chan struct{} // one password is hashed at a time: wrong ones cannot take every core
}

// Bounds of passwords. One that waits behind maxQueued others is compared after a second or two.
const (
	maxKnown       = 1000 // accepted ones that are remembered
	maxQueued      = 16
	maxFromAddress = 4 // of those, so that one client does not lock out the others
)

// NewGate makes the gate of the settings, which have been checked.
func NewGate(a *config.Auth) (*Gate, error) {
	g := &Gate{
		open: a.IsEmpty(), settings: *a, proxy: a.Proxy, now: time.Now,
		known: make(map[[sha256.Size]byte]bool), waiting: make(map[string]int), hashing: make(chan struct{}, 1),
	}
	g.logins.Store(newLogins(a))
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

// Authenticate returns who sent the request. The error is ErrUnauthenticated, or ErrBusy.
func (g *Gate) Authenticate(r *http.Request) (Principal, error) {
	if g.open {
		return Principal{Name: "anonymous", tenants: []string{config.AllTenants}}, nil
	}
	g.refresh()
	if p, ok := g.byToken(r); ok {
		return p, nil
	}
	person, err := g.byPassword(r)
	if err == nil {
		return person, nil
	}
	if p, ok := g.byProxy(r); ok {
		return p, nil
	}
	return Principal{}, err
}

// Refuse logs a login that Authenticate has refused, with the client's address and the name that it gave, and sets the headers
// of the response, whose status it returns.
func (g *Gate) Refuse(h http.Header, r *http.Request, err error, log *slog.Logger) (status int) {
	name, _, _ := r.BasicAuth()
	log.WarnContext(r.Context(), "login refused", "client", r.RemoteAddr, "user", name[:min(len(name), maxLoggedName)], "error", err)
	if errors.Is(err, ErrBusy) {
		h.Set("Retry-After", "2")
		return http.StatusServiceUnavailable
	}
	challenge := `Bearer realm="confab"`
	if len(g.logins.Load().users) > 0 {
		challenge = `Basic realm="confab", charset="UTF-8"`
	}
	h.Set("WWW-Authenticate", challenge)
	return http.StatusUnauthorized
}

// maxLoggedName bounds the names that strangers write into the log.
const maxLoggedName = 64

func (g *Gate) byToken(r *http.Request) (Principal, bool) {
	if token := r.Header.Get(TokenHeader); token != "" {
		return g.findToken(token)
	}
	return g.findToken(bearerToken(r))
}

// findToken compares digests, so the time says nothing about the token.
func (g *Gate) findToken(token string) (Principal, bool) {
	if token == "" {
		return Principal{}, false
	}
	p, ok := g.logins.Load().tokens[sha256.Sum256([]byte(token))]
	return p, ok
}

func bearerToken(r *http.Request) string {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// byPassword compares the password of an unknown user, too, so that the time does not tell who is known.
func (g *Gate) byPassword(r *http.Request) (Principal, error) {
	name, password, ok := r.BasicAuth()
	l := g.logins.Load()
	if !ok || len(l.users) == 0 {
		return Principal{}, ErrUnauthenticated
	}
	u, exists := l.users[name]
	if !exists {
		u.hash = l.decoy
	}
	key := sha256.Sum256([]byte(name + "\x00" + password + "\x00" + string(u.hash)))
	g.mu.Lock()
	known := g.known[key]
	g.mu.Unlock()
	if known {
		return u.Principal, nil
	}
	matches, err := g.matches(r, u.hash, password)
	if err != nil || !matches || !exists {
		return Principal{}, cmp.Or(err, ErrUnauthenticated)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.known) < maxKnown {
		g.known[key] = true
	}
	return u.Principal, nil
}

// matches compares a password with its hash, after those of earlier requests. The error is ErrBusy.
func (g *Gate) matches(r *http.Request, hash []byte, password string) (bool, error) {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	if !g.queue(address, 1) {
		return false, ErrBusy
	}
	defer g.queue(address, -1)
	select {
	case g.hashing <- struct{}{}:
	case <-r.Context().Done(): // the client has left
		return false, nil
	}
	defer func() { <-g.hashing }()
	return bcrypt.CompareHashAndPassword(hash, []byte(password)) == nil, nil
}

// queue counts a password that waits, or one that does not any more. It reports whether there is room.
func (g *Gate) queue(address string, add int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if add > 0 && (g.queued >= maxQueued || g.waiting[address] >= maxFromAddress) {
		return false
	}
	g.queued += add
	if g.waiting[address] += add; g.waiting[address] == 0 {
		delete(g.waiting, address)
	}
	return true
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
