// Package hostile generates records that cost as much as a producer can make them cost: text, JSON, schemas, keys and
// headers at the caps of the worker and above them. Tests assert what each may cost; see docs/testing/hostile.md.
package hostile

import (
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"

	"confab/schemas"
)

// Sizes at which kinds aim.
const (
	TextCap   = 200_000 // bytes of the answer and the sources that detectors read
	ValueCap  = 1 << 20 // bytes of a record's value
	SchemaCap = 64 << 10
)

// Record is one hostile record.
type Record struct {
	Kind string
	Size int // bytes that were asked for
	Seed uint64

	Interaction schemas.Interaction
	Raw         []byte // the value where no encoder writes it; nil: the interaction's JSON
	Key         []byte
	Headers     []Header

	Refused string // the reason for which the decoder refuses it; "": it is evaluated, unless it is larger than ValueCap
}

// Header is a header of a Kafka record.
type Header struct {
	Key   string
	Value []byte
}

// Kind is one way to make a record expensive.
type Kind struct {
	Name string
	Full int // bytes at the cap that the kind aims at

	build func(b *recordBuilder, n int)
}

// Record builds the kind's record of about size bytes. Equal arguments give equal records. Seeds 0, 1 and 2 place text
// in the answer and the sources, in the answer alone, and in the sources alone; the next three begin anew.
func (k Kind) Record(size int, seed uint64) Record {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.Name))
	b := &recordBuilder{Rand: rand.New(rand.NewPCG(seed, h.Sum64())), layout: int(seed % 3)}
	b.Record = Record{Kind: k.Name, Size: size, Seed: seed, Interaction: schemas.Interaction{
		ID: k.Name, Service: "hostile", Operation: "qa", Model: "m", FinishReason: "stop", Temperature: 0.2,
	}}
	k.build(b, size)
	return b.Record
}

// Sizes are a quarter, a half and all of the cap, and twice the cap.
func (k Kind) Sizes() []int { return []int{k.Full / 4, k.Full / 2, k.Full, 2 * k.Full} }

// Kinds lists every kind; names are unique.
func Kinds() []Kind {
	return slices.Concat(
		numberKinds(), citationKinds(), claimKinds(), recordKinds(), wordKinds(), blankKinds(), scriptKinds(), sentenceKinds(),
		technicalKinds(), answerKinds(), secretKinds(), evidenceKinds(), valueKinds(), fieldKinds(),
		refusedKinds(), logprobKinds(), envelopeKinds(),
		schemaScalarKinds(), schemaListKinds(), schemaElementKinds(), schemaObjectKinds(), schemaBranchKinds(), schemaTextKinds(),
		validatedValueKinds(), validatedShapeKinds(), compiledSchemaKinds(), sharedKinds(), unitKinds(),
	)
}

// Find returns the kind of that name.
func Find(name string) (Kind, bool) {
	kinds := Kinds()
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i], true
	}
	return Kind{}, false
}

// Records yields every kind at every size, once for each of the seeds 0 to seeds-1. A record is built when it is asked
// for.
func Records(seeds int) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, k := range Kinds() {
			for seed := range seeds {
				for _, size := range k.Sizes() {
					if !yield(k.Record(size, uint64(seed))) {
						return
					}
				}
			}
		}
	}
}
