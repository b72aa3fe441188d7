package detectors

import (
	"hash/maphash"
	"math"
	"math/bits"

	"confab/internal/text"
)

// frequencies count in how many sentences a stem occurs: open addressing, cleared by raising the generation. The place
// of a stem depends on a secret, so that no text can be written to make stems collide.
type frequencies struct {
	secret     uint64
	slots      []frequency // a power of two, at least twice the number of tokens
	generation uint32
	sentences  int
	weights    []float64 // idf by frequency, grown as needed
}

type frequency struct {
	stem       uint64
	generation uint32
	last       int32 // the sentence that was counted last
	count      int32
}

const minSlots = 1 << 11

// count counts the stems of the sentences anew.
func (f *frequencies) count(sentences []SourceSentence, tokens []text.Token) {
	if need := 2 * len(tokens); len(f.slots) < need || len(f.slots) == 0 {
		f.slots = make([]frequency, max(minSlots, 1<<bits.Len(uint(need))))
		f.generation = 0
		f.secret = maphash.Bytes(maphash.MakeSeed(), nil) | 1
	}
	f.generation++
	if f.generation == 0 {
		clear(f.slots)
		f.generation = 1
	}
	f.sentences = len(sentences)
	f.weights = f.weights[:0]
	for i := range sentences {
		for t := sentences[i].First; t < sentences[i].Last; t++ {
			e := f.slot(tokens[t].Stem)
			if e.generation != f.generation {
				*e = frequency{stem: tokens[t].Stem, generation: f.generation, last: int32(i), count: 1}
			} else if e.last != int32(i) {
				e.last = int32(i)
				e.count++
			}
		}
	}
}

// slot is where the stem is, or the free place where it belongs.
func (f *frequencies) slot(stem uint64) *frequency {
	mask := uint64(len(f.slots) - 1)
	hi, lo := bits.Mul64(stem, f.secret)
	for i := (hi ^ lo) & mask; ; i = (i + 1) & mask {
		if e := &f.slots[i]; e.generation != f.generation || e.stem == stem {
			return e
		}
	}
}

func (f *frequencies) of(stem uint64) int32 {
	if e := f.slot(stem); e.generation == f.generation {
		return e.count
	}
	return 0
}

func (f *frequencies) idf(count int32) float64 {
	for int(count) >= len(f.weights) {
		f.weights = append(f.weights, math.Log(1+float64(f.sentences)/float64(1+len(f.weights))))
	}
	return f.weights[count]
}
