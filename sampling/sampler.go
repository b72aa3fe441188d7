package sampling

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"confab/internal/redact"
	"confab/schemas"
)

// Headers of a forwarded copy.
const (
	HeaderReason      = "confab-sample-reason"      // Decision.Reason
	HeaderProbability = "confab-sample-probability" // Decision.Probability, in decimal
	HeaderOrigin      = "confab-origin"             // schemas.Origin.Header

	// Of a copy of one span, with what its JSON form does not say.
	HeaderSourcesFrom = "confab-sources-from" // where its sources were found, if that is another span
	HeaderNoSources   = "confab-no-sources"   // why other spans gave none
	HeaderMalformed   = "confab-malformed"    // names of malformed fields, separated by commas
)

// Reason is why an interaction was picked: a metric label.
type Reason string

// The reasons; the first one that picks an interaction is reported.
const (
	ReasonHighStakes       Reason = "high_stakes"       // a share of the interactions with a high-stakes tag
	ReasonTenant           Reason = "tenant"            // a share of the tenant's
	ReasonOperation        Reason = "operation"         // a share of the operation's
	ReasonWeakRetrieval    Reason = "weak_retrieval"    // the sources support little of the answer
	ReasonSpecificQuestion Reason = "specific_question" // the question asks for a figure, a date, a name

	// These are no part of the random sample: their probability is 0, and no responses are sampled for them.
	ReasonValue   Reason = "expected_value" // asking about it is worth more than about most others
	ReasonConfirm Reason = "confirm"        // its alert waits for the judge
	ReasonVerify  Reason = "verify"         // a verifier checks it, no other model
)

// Random reports whether the reason picks by chance alone, whatever the answer is.
func (r Reason) Random() bool {
	return r == ReasonHighStakes || r == ReasonTenant || r == ReasonOperation
}

// Reasons lists every reason.
func Reasons() []Reason {
	return []Reason{ReasonHighStakes, ReasonTenant, ReasonOperation, ReasonWeakRetrieval, ReasonSpecificQuestion, ReasonValue, ReasonConfirm, ReasonVerify}
}

// Options configure a Sampler.
type Options struct {
	Rate float64       // share of the interactions with a tag in Tags, 0 to 1; 0 picks none
	Tags []string      // case-insensitive
	Salt redact.Secret // key of the hash; the same on every replica, secret from producers

	Tenants    map[string]float64 // share of all interactions of a tenant, whatever their tags
	Operations map[string]float64 // share of all interactions of an operation
	Triggers   Triggers

	JudgeShare float64            // share of the answers about which the judge is asked because that is worth most
	Verify     Verify             // which other answers a verifier checks
	OptedOut   map[string]bool    // tenants of whom nothing is sent to a verifier
	Worth      map[string]float64 // what a wrong answer of a tenant is worth, 1 unless named; 0: none is picked for its value
}

// Verify is which answers a verifier checks that nothing else has picked; "" is VerifySampled.
type Verify string

// The choices.
const (
	VerifySampled Verify = "sampled" // none
	VerifyFlagged Verify = "flagged" // at which a detector fired
	VerifyGrey    Verify = "grey"    // whose risk is in the grey zone
	VerifyAll     Verify = "all"
)

// Verifies reports whether a verifier checks the answer, at which a fast detector fired or not.
func (s *Sampler) Verifies(in *schemas.Interaction, seen FastScores, fired bool) bool {
	switch {
	case s.optedOut[in.Tenant]:
		return false
	case s.verify == VerifyFlagged:
		return fired
	case s.verify == VerifyGrey:
		return seen.Risk >= lowGrey && seen.Risk < highGrey
	}
	return s.verify == VerifyAll
}

// Enabled reports whether anything can be picked by chance or value.
func (o *Options) Enabled() bool {
	on := o.Rate > 0 || o.JudgeShare > 0 || o.Triggers.WeakRetrieval.Rate > 0 || o.Triggers.SpecificQuestion.Rate > 0
	for _, rates := range []map[string]float64{o.Tenants, o.Operations} {
		for _, r := range rates {
			on = on || r > 0
		}
	}
	return on
}

// Decision is the result for one interaction.
type Decision struct {
	Sampled     bool
	Reason      Reason  // "" when not picked
	Probability float64 // that a random draw picks such an interaction; estimates weight it with 1/Probability. 0: none has picked it
}

// Sampler picks interactions. Each reason draws independently, with its own hash, so that the probability of the union
// is known. It is safe for concurrent use; only its memory of the latest values changes.
type Sampler struct {
	tags       []string
	on         bool
	stakes     share64
	tenants    map[string]share64
	operations map[string]share64
	triggers   activeTriggers
	judgeShare float64
	verify     Verify
	optedOut   map[string]bool
	worth      map[string]float64
	values     valueWindow
	salt       []byte
}

// share64 is a share of all hashes.
type share64 struct {
	rate  float64
	below uint64 // picks ids whose first 64 hash bits are less
	all   bool   // picks every id, which below cannot express
}

func newShare(rate float64) share64 {
	s := share64{rate: rate, all: rate == 1}
	if !s.all {
		s.below = uint64(math.Ldexp(rate, 64))
	}
	return s
}

func newShares(rates map[string]float64) map[string]share64 {
	shares := make(map[string]share64, len(rates))
	for name, rate := range rates {
		shares[name] = newShare(rate)
	}
	return shares
}

// New returns a sampler. A rate above 0 requires a salt.
func New(o Options) (*Sampler, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Sampler{
		tags: append([]string(nil), o.Tags...), on: o.Enabled(), stakes: newShare(o.Rate),
		tenants: newShares(o.Tenants), operations: newShares(o.Operations), triggers: newTriggers(o.Triggers),
		salt: []byte(o.Salt.Reveal()), judgeShare: o.JudgeShare, worth: o.Worth, verify: o.Verify, optedOut: o.OptedOut,
	}
	return s, nil
}

func (o *Options) check() error {
	errs := []error{checkRate("sampling.rate", o.Rate), checkRate("sampling.judge_share", o.JudgeShare)}
	for _, t := range o.Tags {
		if strings.TrimSpace(t) == "" {
			errs = append(errs, errors.New("sampling.tags holds an empty tag: name it or remove it"))
		}
	}
	for key, rates := range map[string]map[string]float64{"tenants": o.Tenants, "operations": o.Operations} {
		for name, rate := range rates {
			errs = append(errs, checkRate("sampling."+key+"."+name, rate))
		}
	}
	errs = append(errs, o.Triggers.check()...)
	if o.Enabled() && o.Salt == "" {
		errs = append(errs, errors.New("sampling is on without a salt, so producers could predict which interactions are picked: "+
			"point sampling.salt_file at a file with at least 16 random bytes, the same on every replica, or set sampling.rate to 0"))
	}
	return errors.Join(errs...)
}

func checkRate(key string, rate float64) error {
	if math.IsNaN(rate) || rate < 0 || rate > 1 {
		return fmt.Errorf("%s is %v: set it between 0 (off) and 1 (all)", key, rate)
	}
	return nil
}

// Decide reports whether the interaction gets a deep evaluation. The event id is derived only when a reason applies.
func (s *Sampler) Decide(in *schemas.Interaction, seen FastScores) Decision {
	if !s.on {
		return Decision{}
	}
	d := sampleDraw{sampler: s, in: in}
	if s.stakes.rate > 0 && s.highStakes(in.Tags) {
		d.drawFor(ReasonHighStakes, 0, s.stakes)
	}
	if len(s.tenants) > 0 {
		d.drawFor(ReasonTenant, 1, s.tenants[in.Tenant])
	}
	if len(s.operations) > 0 {
		d.drawFor(ReasonOperation, 2, s.operations[in.Operation])
	}
	s.triggers.drawAll(&d, in, seen)
	if s.worthJudging(&d, seen) && d.reason == "" {
		return Decision{Sampled: true, Reason: ReasonValue}
	}
	return Decision{Sampled: d.reason != "", Reason: d.reason, Probability: d.probability}
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

// sampleDraw is the state of one decision.
type sampleDraw struct {
	sampler     *Sampler
	in          *schemas.Interaction
	id          schemas.EventID
	known       bool // id is set
	reason      Reason
	probability float64 // that one of the reasons so far picks
}

// drawFor draws for one reason. The domain separates its hash from the others, so that draws are independent.
func (d *sampleDraw) drawFor(reason Reason, domain byte, share share64) {
	if share.rate == 0 {
		return
	}
	d.probability += share.rate * (1 - d.probability)
	if d.reason == "" && d.sampler.picks(d.eventID(), domain, share) {
		d.reason = reason
	}
}

// eventID derives the id once.
func (d *sampleDraw) eventID() schemas.EventID {
	if !d.known {
		d.id, d.known = d.in.EventID(), true
	}
	return d.id
}

func (s *Sampler) picks(id schemas.EventID, domain byte, share share64) bool {
	sum := s.hash(id, domain)
	return share.all || binary.BigEndian.Uint64(sum[:8]) < share.below
}

// hash is HMAC-SHA-256 of the id under the salt, with the domain appended unless it is 0.
func (s *Sampler) hash(id schemas.EventID, domain byte) []byte {
	mac := hmac.New(sha256.New, s.salt)
	mac.Write(id[:])
	if domain != 0 {
		mac.Write([]byte{domain})
	}
	return mac.Sum(nil)
}
