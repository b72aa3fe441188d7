package sampling

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"confab/internal/redact"
	"confab/schemas"
)

// The headers of a forwarded copy.
const (
	HeaderReason = "confab-sample-reason" // Decision.Reason
	HeaderOrigin = "confab-origin"        // schemas.Origin.Header
)

// Reason says why an interaction was picked: a metric label from a closed set.
type Reason string

// ReasonHighStakes is the share of the interactions with a high-stakes tag.
const ReasonHighStakes Reason = "high_stakes"

// Reasons lists every reason.
func Reasons() []Reason { return []Reason{ReasonHighStakes} }

// Options set up a Sampler.
type Options struct {
	Rate float64       `yaml:"rate"` // share of the interactions with a tag in Tags that is picked, 0 to 1; 0 turns sampling off
	Tags []string      `yaml:"tags"` // letter case does not count
	Salt redact.Secret `yaml:"salt"` // keys the choice; the same on every replica, known to nobody who writes interactions
}

// DefaultOptions are 1 % of medical, financial, legal and high-stakes interactions, without a salt.
func DefaultOptions() Options {
	return Options{Rate: 0.01, Tags: []string{"medical", "financial", "legal", "high-stakes"}}
}

// Decision is what the sampler made of one interaction.
type Decision struct {
	Sampled     bool
	Reason      Reason  // why it was picked, "" when it was not
	Probability float64 // with which an interaction like this one is picked: 1/Probability weighs it in an estimate
}

// Sampler picks interactions. It is immutable, hence safe for concurrent use, and does not allocate.
type Sampler struct {
	tags         []string
	rate         float64
	below        uint64 // an id is picked when the first 64 bits of its hash are less
	all          bool   // every id is picked: the one share that below cannot say
	inner, outer [sha256.BlockSize]byte
}

// New makes a sampler. A rate other than 0 demands a salt.
func New(o Options) (*Sampler, error) {
	if math.IsNaN(o.Rate) || o.Rate < 0 || o.Rate > 1 {
		return nil, fmt.Errorf("sampling.rate is %v: set it between 0 (off) and 1 (all)", o.Rate)
	}
	for _, t := range o.Tags {
		if strings.TrimSpace(t) == "" {
			return nil, errors.New("sampling.tags holds an empty tag: name it or remove it")
		}
	}
	s := &Sampler{tags: append([]string(nil), o.Tags...), rate: o.Rate, all: o.Rate == 1}
	if o.Rate == 0 {
		return s, nil
	}
	if o.Salt == "" {
		return nil, errors.New("sampling is on without a salt, so whoever writes interactions could tell which are picked: " +
			"point sampling.salt_file at a file with at least 16 random bytes, the same on every replica, or set sampling.rate to 0")
	}
	if !s.all {
		s.below = uint64(math.Ldexp(o.Rate, 64))
	}
	s.inner, s.outer = pads([]byte(o.Salt.Reveal()))
	return s, nil
}

// Decide says whether the interaction earns the deep look. The event id is derived only when a tag asks for it.
func (s *Sampler) Decide(in *schemas.Interaction) Decision {
	if s.rate == 0 || !s.highStakes(in.Tags) {
		return Decision{}
	}
	if !s.picks(in.EventID()) {
		return Decision{Probability: s.rate}
	}
	return Decision{Sampled: true, Reason: ReasonHighStakes, Probability: s.rate}
}

func (s *Sampler) highStakes(tags []string) bool {
	for _, have := range tags {
		for _, want := range s.tags {
			if strings.EqualFold(have, want) {
				return true
			}
		}
	}
	return false
}

func (s *Sampler) picks(id schemas.EventID) bool {
	sum := s.hash(id)
	return s.all || binary.BigEndian.Uint64(sum[:8]) < s.below
}

// hash is HMAC-SHA-256 (RFC 2104) of the id under the salt. Spelled out over arrays, it needs no hash.Hash and so no
// allocation.
func (s *Sampler) hash(id schemas.EventID) [sha256.Size]byte {
	var block [sha256.BlockSize + sha256.Size]byte
	copy(block[:], s.inner[:])
	copy(block[sha256.BlockSize:], id[:])
	sum := sha256.Sum256(block[:])
	copy(block[:], s.outer[:])
	copy(block[sha256.BlockSize:], sum[:])
	sum = sha256.Sum256(block[:])
	return sum
}

// pads derives the two key blocks of HMAC.
func pads(key []byte) (inner, outer [sha256.BlockSize]byte) {
	if len(key) > sha256.BlockSize {
		sum := sha256.Sum256(key)
		key = sum[:]
	}
	copy(inner[:], key)
	outer = inner
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	return inner, outer
}
