package support

import (
	"confab/detectors"
	"confab/internal/text"
)

// bloom is a small set of hashes that may find what was never added, seldom while it is sparse.
type bloom [1 << (bloomBits - 6)]uint64

const bloomBits = 15

func (b *bloom) clear() { *b = bloom{} }

func (b *bloom) add(h uint64) {
	h >>= 64 - bloomBits
	b[h>>6] |= 1 << (h & 63)
}

func (b *bloom) has(h uint64) bool {
	h >>= 64 - bloomBits
	return b[h>>6]>>(h&63)&1 != 0
}

// Spread is the multiplier of the hashes.
const Spread = 0x9E3779B97F4A7C15

// pair hashes two numbers of stems, in their order.
func pair(a, b int32) uint64 { return (uint64(uint32(a))<<32 | uint64(uint32(b)+1)) * Spread }

// akin is how many letters two words share at the start when they may be forms of one ("organize", "organization").
const akin = 5

// beginning hashes the first letters of a word in lower case; shorter words and figures count as they are.
func beginning(t *text.Token, s string) uint64 {
	if t.Kind != text.Word || t.End-t.Start < akin {
		return t.Stem * Spread
	}
	v := uint64(0)
	for _, c := range []byte(s[t.Start : t.Start+akin]) {
		v = v<<8 | uint64(c|0x20)
	}
	v *= Spread
	return (v ^ v>>32) * Spread
}

const maxPromptBytes = 4_000 // of the end of the last message: where a question is put

// ask notes which of the answer's stems the last message of the prompt holds.
func (x *Index) ask(d *detectors.Document) {
	x.asked, x.Asks = resize(x.asked, len(x.counts)), 0
	clear(x.asked)
	messages := d.Interaction().Messages
	if len(messages) == 0 {
		return
	}
	last := messages[len(messages)-1].Content
	if len(last) > maxPromptBytes {
		last = last[len(last)-maxPromptBytes:]
	}
	x.work.Spend(len(last))
	x.prompt = text.AppendTokens(x.prompt[:0], last)
	for i := range x.prompt {
		t := &x.prompt[i]
		if !x.reading.Carries(t) {
			continue
		}
		x.Asks++
		if slot := x.slot(x.reading.Key(t, last)); slot.generation == x.generation {
			x.asked[slot.id] = true
		}
	}
}

// How the sources say a word: with a negation shortly before it, or without.
const (
	seenPlain uint8 = 1 << iota
	seenNegated
)

// NegationReach is how many words behind a negation those stand that it is taken to turn around.
const NegationReach = 3

// NeverNegated reports a stem that the sources say, and never behind a negation.
func (x *Index) NeverNegated(id int32) bool { return x.polarity[id] == seenPlain }

// AlwaysNegated reports a stem that the sources say behind negations only.
func (x *Index) AlwaysNegated(id int32) bool { return x.polarity[id] == seenNegated }

// say notes that a source says the stem, so many words behind a negation.
func (x *Index) say(id, behind int32) {
	if behind <= NegationReach {
		x.polarity[id] |= seenNegated
	} else {
		x.polarity[id] |= seenPlain
	}
}
