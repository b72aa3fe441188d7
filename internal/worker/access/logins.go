package access

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"confab/internal/files"
	"confab/internal/redact"
	"confab/internal/worker/config"
)

// tokens are the tokens in force, by digest. They are replaced as a whole.
type tokens map[[sha256.Size]byte]Principal

func newTokens(a *config.Auth) *tokens {
	all := make(tokens)
	for i := range a.Logins {
		l := &a.Logins[i]
		all[sha256.Sum256([]byte(l.Token.Reveal()))] = Principal{l.Name, l.Tenants}
	}
	return &all
}

const (
	refreshEvery  = 2 * time.Second
	maxLoginBytes = 64 << 10
)

// refresh takes over changed files. A file that cannot be read, or is too short for a token, leaves the login as it was: files are
// replaced while this reads.
func (g *Gate) refresh() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.now(); now.Sub(g.checked) < refreshEvery {
		return
	}
	g.checked = g.now()
	next, changed := g.settings, false
	next.Logins = slices.Clone(next.Logins)
	for i := range next.Logins {
		l := &next.Logins[i]
		if text := readToken(l.TokenFile); len(text) >= config.MinTokenLength && text != l.Token.Reveal() {
			l.Token, changed = redact.Secret(text), true
		}
	}
	if changed {
		g.settings = next
		g.tokens.Store(newTokens(&next))
	}
}

// readToken returns the content of a file, "" if it cannot be read.
func readToken(name string) string {
	if name == "" {
		return ""
	}
	text, err := files.Read(name, maxLoginBytes)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}
