package knownfalse

import (
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// ErrStoreFull is returned for an observation that the limits of the store do not admit.
var ErrStoreFull = errors.New("the store of observations is full: raise its limit, or delete or expire observations")

// ErrNoClaim is returned for a text that cannot be recognised again: too short, too long or without its subject.
var ErrNoClaim = errors.New("the text is no claim of four words or more that names what it is about")

// Observation says who found a claim false, for the evidence.
type Observation struct {
	Source  string    // label or manual
	At      time.Time // when it was found false
	Expires time.Time // zero: never
	// Sources are those of the answer that made the claim, see [HashSource]; nil: it had none, or they are unknown.
	Sources []SourceHash
}

// SourceHash identifies the text of a source.
type SourceHash [8]byte

// HashSource returns the hash of a source's text.
func HashSource(text string) (h SourceHash) {
	sum := sha256.Sum256([]byte(text))
	copy(h[:], sum[:])
	return h
}

// Limits bound a store.
type Limits struct{ Entries, PerTenant int }

type entryKey struct {
	tenant string
	claim  ClaimKey
}

// Store holds the claims known to be false, by tenant. It is safe for concurrent use.
type Store struct {
	limits  Limits
	now     func() time.Time
	mu      sync.RWMutex
	entries map[entryKey]Observation
	tenants map[string]int
	expired time.Time // when expired ones were last removed
}

// NewStore returns an empty store that reads the time from now.
func NewStore(limits Limits, now func() time.Time) *Store {
	return &Store{limits: limits, now: now, entries: map[entryKey]Observation{}, tenants: map[string]int{}}
}

// Put adds or replaces the observation of a tenant's claim. A full store removes expired ones first, once a minute.
func (s *Store) Put(tenant string, claim ClaimKey, o Observation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := entryKey{tenant, claim}
	if _, known := s.entries[k]; !known {
		if s.isFull(tenant) && s.now().Sub(s.expired) >= time.Minute {
			s.expire()
		}
		if s.isFull(tenant) {
			return ErrStoreFull
		}
		s.tenants[tenant]++
	}
	s.entries[k] = o
	return nil
}

// Delete removes the observation of a tenant's claim, if there is one.
func (s *Store) Delete(tenant string, claim ClaimKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(entryKey{tenant, claim})
}

func (s *Store) isFull(tenant string) bool {
	return len(s.entries) >= s.limits.Entries || s.tenants[tenant] >= s.limits.PerTenant
}

// expire removes what has expired.
func (s *Store) expire() {
	s.expired = s.now()
	for k, o := range s.entries {
		if o.expired(s.expired) {
			s.remove(k)
		}
	}
}

// Find returns the observation of a tenant's claim unless it has expired.
func (s *Store) Find(tenant string, claim ClaimKey) (Observation, bool) {
	s.mu.RLock()
	o, ok := s.entries[entryKey{tenant, claim}]
	s.mu.RUnlock()
	return o, ok && !o.expired(s.now())
}

// Len is the number of observations, expired ones included.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.entries)
}

// Holds reports whether the tenant has any observation.
func (s *Store) Holds(tenant string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tenants[tenant] > 0
}

func (s *Store) remove(k entryKey) {
	if _, ok := s.entries[k]; !ok {
		return
	}
	delete(s.entries, k)
	if s.tenants[k.tenant]--; s.tenants[k.tenant] == 0 {
		delete(s.tenants, k.tenant)
	}
}

func (o *Observation) expired(now time.Time) bool {
	return !o.Expires.IsZero() && !now.Before(o.Expires)
}
