package support

import (
	"confab/detectors"
	"confab/internal/text"
)

// bloomFilter is a set of hashes with false positives.
type bloomFilter [1 << (bloomBits - 6)]uint64

const bloomBits = 15

func (b *bloomFilter) clear() { *b = bloomFilter{} }

func (b *bloomFilter) add(h uint64) {
	h >>= 64 - bloomBits
	b[h>>6] |= 1 << (h & 63)
}

func (b *bloomFilter) has(h uint64) bool {
	h >>= 64 - bloomBits
	return b[h>>6]>>(h&63)&1 != 0
}

// Spread is the multiplier of hashes.
const Spread = 0x9E3779B97F4A7C15

// pairHash hashes an ordered pair of stem numbers.
func pairHash(a, b int32) uint64 { return (uint64(uint32(a))<<32 | uint64(uint32(b)+1)) * Spread }

// prefixLength is how many first letters two forms of a word share ("organize", "organization").
const prefixLength = 5

// prefixHash hashes the first letters of a word in lower case; short words and figures as a whole.
func prefixHash(t *text.Token, s string) uint64 {
	if t.Kind != text.Word || t.End-t.Start < prefixLength {
		return t.Stem * Spread
	}
	w := s[int(t.Start):][:prefixLength]
	v := (uint64(uint32(w[0])<<24|uint32(w[1])<<16|uint32(w[2])<<8|uint32(w[3]))<<8 | uint64(w[4]) | 0x2020202020) * Spread
	return (v ^ v>>32) * Spread
}

// readPrefixes fills prefixes. Many answers have no word that the sources lack and do not need it.
func (x *Index) readPrefixes(d *detectors.Document) {
	x.hasPrefixes = true
	x.prefixes.clear()
	tokens := d.SourceTokens()
	for i := range x.sentences {
		s := &x.sentences[i]
		x.prefixes.addPrefixes(tokens[s.First:s.Last], d.Source(int(s.Source)), x.matchMode)
	}
}

func (b *bloomFilter) addPrefixes(tokens []text.Token, source string, mode text.MatchMode) {
	for i := range tokens {
		if t := &tokens[i]; mode.IsContent(t) {
			b.add(prefixHash(t, source))
		}
	}
}

const maxPromptBytes = 4_000 // of the end of the last message, which usually has the question

// readPrompt marks the answer's stems that are in the last message of the prompt.
func (x *Index) readPrompt(d *detectors.Document) {
	x.PromptWords = 0
	before, after := d.Interaction().Question()
	if len(after) > maxPromptBytes {
		after = after[len(after)-maxPromptBytes:]
	}
	if left := maxPromptBytes - len(after); len(before) > left {
		before = before[len(before)-left:]
	}
	x.readInstructions(before)
	x.readInstructions(after)
}

func (x *Index) readInstructions(last string) {
	x.work.Spend(len(last))
	x.prompt = x.tokenizer.Append(x.prompt[:0], last)
	for i := range x.prompt {
		t := &x.prompt[i]
		if !x.matchMode.IsContent(t) {
			continue
		}
		x.PromptWords++
		if id := *x.findSlot(x.key(t, last)) - 1; id >= 0 {
			x.stems[id].inPrompt = true
		}
	}
}

// Polarities in which a stem occurs in the sources.
const (
	occursPlain uint8 = 1 << iota
	occursNegated
)

// NegationReach is how many words after a negation count as negated.
const NegationReach = 3

// NeverNegated reports a stem that occurs in the sources, never after a negation.
func (x *Index) NeverNegated(id int32) bool { return x.stems[id].polarity == occursPlain }

// AlwaysNegated reports a stem that occurs in the sources only after negations.
func (x *Index) AlwaysNegated(id int32) bool { return x.stems[id].polarity == occursNegated }

// addPolarity records an occurrence of the stem; distance counts from the last negation.
func (x *Index) addPolarity(id int32, distance int) {
	if distance <= NegationReach {
		x.stems[id].polarity |= occursNegated
	} else {
		x.stems[id].polarity |= occursPlain
	}
}
