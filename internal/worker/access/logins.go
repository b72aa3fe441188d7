package access

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"

	"confab/internal/files"
	"confab/internal/redact"
	"confab/internal/worker/config/listen"
)

// logins are the proofs in force. They are replaced as a whole.
type logins struct {
	tokens  map[[sha256.Size]byte]Principal
	users   map[string]user
	decoy   []byte // the most expensive hash of them, for unknown users
	clients map[string]Principal
}

type user struct {
	Principal

	hash []byte
}

func newLogins(a *listen.Auth) *logins {
	l := &logins{
		tokens: make(map[[sha256.Size]byte]Principal), users: make(map[string]user), clients: make(map[string]Principal),
	}
	for _, t := range a.Tokens {
		l.tokens[sha256.Sum256([]byte(t.Token.Reveal()))] = Principal{t.Name, t.Tenants}
	}
	most := -1
	for _, u := range a.Users {
		hash := []byte(u.PasswordHash.Reveal())
		l.users[u.Name] = user{Principal{u.Name, u.Tenants}, hash}
		if cost, err := bcrypt.Cost(hash); err == nil && cost > most {
			most, l.decoy = cost, hash
		}
	}
	for _, c := range a.Clients {
		l.clients[c.Name] = Principal{c.Name, c.Tenants}
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
	next.Tokens, next.Users = slices.Clone(next.Tokens), slices.Clone(next.Users)
	for i := range next.Tokens {
		t := &next.Tokens[i]
		text := readProof(t.TokenFile)
		if len(text) >= listen.MinTokenLength && text != t.Token.Reveal() {
			t.Token, changed = redact.Secret(text), true
		}
	}
	for i := range next.Users {
		u := &next.Users[i]
		text := readProof(u.PasswordHashFile)
		if _, err := bcrypt.Cost([]byte(text)); err == nil && text != u.PasswordHash.Reveal() {
			u.PasswordHash, changed = redact.Secret(text), true
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
