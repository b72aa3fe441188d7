// Package hostile generates records that are as expensive as a producer can make them: text, JSON, schemas, keys and headers
// at the limits of the worker and above them. Tests assert the maximum cost of each; see docs/testing/hostile.md.
package hostile

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"confab/schemas"
)

// Limits of the worker, which the kinds reach and exceed.
const (
	TextCap   = 200_000 // bytes of the answer and the sources that detectors read
	ValueCap  = 1 << 20 // bytes of a record's value
	SchemaCap = 64 << 10
)

// Record is one hostile record.
type Record struct {
	Kind string
	Size int // requested bytes
	Seed uint64

	Interaction schemas.Interaction
	Raw         []byte // the value when the encoder cannot produce it; nil: the interaction's JSON
	Key         []byte
	Headers     []Header

	Refused string // the decoder's reason for rejecting it; "": it is accepted up to ValueCap
}

// Header is a header of a Kafka record.
type Header struct {
	Key   string
	Value []byte
}

// Kind is one way to make a record expensive.
type Kind struct {
	Name string
	Full int // size at the limit that the kind tests, in bytes

	build func(b *builder, n int)
}

// Record builds a record of about size bytes. Equal arguments give equal records. seed modulo 3 selects the place of text:
// answer and sources, answer only, sources only.
func (k Kind) Record(size int, seed uint64) Record {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.Name))
	b := &builder{Rand: rand.New(rand.NewPCG(seed, h.Sum64())), N: size}
	b.Record = Record{Kind: k.Name, Size: size, Seed: seed, Interaction: schemas.Interaction{
		ID: k.Name, Service: "hostile", Operation: "qa", Model: "m", FinishReason: "stop", Temperature: 0.2,
	}}
	k.build(b, size)
	return b.Record
}

// Sizes returns a quarter, a half, the whole and twice the size at the limit.
func (k Kind) Sizes() []int { return []int{k.Full / 4, k.Full / 2, k.Full, 2 * k.Full} }

// Kinds returns every kind. Names are unique.
func Kinds() []Kind {
	return slices.Concat(tableKinds(), sourceKinds(), longKinds(), flagKinds(), logprobKinds(), fieldKinds())
}

// Find returns the kind of that name.
func Find(name string) (Kind, bool) {
	kinds := Kinds()
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i], true
	}
	return Kind{}, false
}
