package access

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"

	"confab/internal/files"
	"confab/internal/redact"
	"confab/internal/worker/config"
)

// logins are the proofs in force. They are replaced as a whole.
type logins struct {
	tokens map[[sha256.Size]byte]Principal
	users  map[string]user
	decoy  []byte // the most expensive hash of them, for unknown users
}

type user struct {
	Principal

	hash []byte
}

func newLogins(a *config.Auth) *logins {
	l := &logins{
		tokens: make(map[[sha256.Size]byte]Principal), users: make(map[string]user),
	}
	most := -1
	for i := range a.Logins {
		one := &a.Logins[i]
		who := Principal{one.Name, one.Tenants}
		switch {
		case one.HasToken():
			l.tokens[sha256.Sum256([]byte(one.Token.Reveal()))] = who
		case one.HasPassword():
			hash := []byte(one.PasswordHash.Reveal())
			l.users[one.Name] = user{who, hash}
			if cost, err := bcrypt.Cost(hash); err == nil && cost > most {
				most, l.decoy = cost, hash
			}
		}
	}
	return l
}

const (
	refreshEvery  = 2 * time.Second
	maxLoginBytes = 64 << 10
)

// refresh takes over changed files of tokens and hashes. A file that cannot be read, or holds no valid proof, leaves the
// login as it was: files are replaced while this reads.
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
		if text := readProof(l.TokenFile); len(text) >= config.MinTokenLength && text != l.Token.Reveal() {
			l.Token, changed = redact.Secret(text), true
		}
		text := readProof(l.PasswordHashFile)
		if _, err := bcrypt.Cost([]byte(text)); err == nil && text != l.PasswordHash.Reveal() {
			l.PasswordHash, changed = redact.Secret(text), true
		}
	}
	if changed {
		g.settings = next
		g.logins.Store(newLogins(&next))
		clear(g.known)
	}
}

// readProof returns the content of a file, "" if it cannot be read.
func readProof(name string) string {
	if name == "" {
		return ""
	}
	text, err := files.Read(name, maxLoginBytes)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}
