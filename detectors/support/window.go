package support

import (
	"math/bits"
	"slices"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// Window is a run of neighboring sentences of one source, with the loaded words in it.
type Window struct {
	First, Last int32 // source sentences, half open
	Mask        uint64
	Weight      float64
}

// AnySource stands for all sources.
const AnySource = -1

const (
	windowSentences = 3    // a passage dilutes the signal, one sentence misses facts spread over two
	minGain         = 1e-9 // a wider window must add weight, not a rounding difference
)

// Load selects the distinct content words of the answer's tokens from..to, at most 64, instead of those selected before, and
// returns where it stopped.
func (x *Index) Load(from, to int32) (next int32) {
	if x.isLoaded(from, to) {
		x.work.Spend(x.loadCost)
		return to
	}
	x.unload()
	x.stretch++
	held, touched, n := x.held, x.touched[:len(x.sentences)+1], 0
	cost, words := 0, 0
	for next = from; next < to; next++ {
		id := x.ids[next]
		if id < 0 {
			continue
		}
		s := &x.stems[id]
		if s.stretch == x.stretch {
			continue
		}
		if words == len(x.wordWeight) {
			break
		}
		weight, bit := s.weight, uint64(1)<<(words&63)
		s.stretch, s.mask = x.stretch, bit
		x.wordWeight[words] = weight
		words++
		x.Total += weight
		if s.isFigure {
			x.Figures |= bit
		}
		cost += 1 + int(s.count)/postings
		if s.count > 0 {
			x.found |= bit
			x.foundWeight += weight
		}
		for _, sentence := range x.sentencesOf(s) {
			words := &held[sentence]
			touched[n] = sentence
			if words.mask == 0 {
				n++
			}
			words.mask |= bit
			words.weight += weight
		}
	}
	x.touched, x.loadCost, x.words = touched[:n], cost, words
	x.work.Spend(cost)
	return next
}

// isLoaded reports whether all distinct words of the answer's tokens are the loaded ones, in the same order, as those of a
// repeated sentence are.
func (x *Index) isLoaded(from, to int32) bool {
	words := 0
	for _, id := range x.ids[from:max(from, to)] {
		if id < 0 {
			continue
		}
		s := &x.stems[id]
		bit := s.mask >> words
		if s.stretch != x.stretch || bit > 1 {
			return false
		}
		words += int(bit)
	}
	return words == x.words && x.stretch > 0
}

// unload clears the loaded words.
func (x *Index) unload() {
	for _, s := range x.touched {
		x.held[s] = sentenceWords{}
	}
	x.touched = x.touched[:0]
	x.Total, x.words, x.Figures, x.found, x.foundWeight = 0, 0, 0, 0, 0
}

// BestWindow is the window of the source, or of any source, with the largest weight of loaded words. It starts with a
// sentence that has one of them.
func (x *Index) BestWindow(source int32) Window {
	var best Window
	cost := len(x.touched) / 2
	for _, first := range x.touched {
		if x.foundWeight <= best.Weight+minGain {
			break // no window weighs more
		}
		held := x.held[int(first):][:windowSentences]
		if held[0].weight+held[1].weight+held[2].weight <= best.Weight+minGain {
			continue // no window that starts here weighs more
		}
		s := x.sentences[first].Source
		if source != AnySource && s != source {
			continue
		}
		mask, bound := held[0].mask, held[0].weight
		if bound > best.Weight+minGain {
			best = Window{first, first + 1, mask, bound}
		}
		for next := first + 1; next < first+windowSentences && x.isOf(s, next); next++ {
			words := &held[next-first]
			if words.mask&^mask == 0 {
				continue
			}
			mask |= words.mask
			bound += words.weight // the union weighs at most the sum
			if bound <= best.Weight+minGain {
				continue
			}
			cost += 1 + bits.OnesCount64(mask)/8
			if weight := x.WeightOf(mask); weight > best.Weight+minGain {
				best = Window{first, next + 1, mask, weight}
			}
		}
	}
	x.work.Spend(cost)
	return best
}

// isOf reports whether the source has the sentence.
func (x *Index) isOf(source, sentence int32) bool {
	return int(sentence) < len(x.sentences) && x.sentences[sentence].Source == source
}

// HeldWords is the mask of the loaded words in the source.
func (x *Index) HeldWords(source int32) (mask uint64) {
	x.work.Spend(len(x.touched) / detectors.ScanRows)
	for _, s := range x.touched {
		if x.sentences[s].Source != source {
			continue
		}
		if mask |= x.held[s].mask; mask == x.found {
			break
		}
	}
	return mask
}

// WeightOf is the weight of the loaded words in the mask.
func (x *Index) WeightOf(mask uint64) float64 {
	sum := 0.0
	for ; mask != 0; mask &= mask - 1 {
		sum += x.wordWeight[bits.TrailingZeros64(mask)]
	}
	return sum
}

// Place is the window's source and its bytes there; ok is false for the zero Window.
func (w *Window) Place(d *detectors.Document) (source, start, end int, ok bool) {
	if w.Last == 0 {
		return 0, 0, 0, false
	}
	sentences := d.AllSourceSentences()
	first, last := sentences[w.First], sentences[w.Last-1]
	return int(first.Source), int(first.Start), int(last.End), true
}

// Stem is the stem number of the answer's token, -1 for stop words and citation markers.
func (x *Index) Stem(token int32) int32 { return x.ids[token] }

// sentencesOf are the source sentences with the stem.
func (x *Index) sentencesOf(s *stem) []int32 { return x.postings[s.last-s.count : s.last] }

// Count is the number of source sentences with the stem.
func (x *Index) Count(id int32) int32 { return x.stems[id].count }

// Weight is the weight of the stem, 0 to 1.
func (x *Index) Weight(id int32) float64 { return x.stems[id].weight }

// IsFigure reports whether the stem is a number.
func (x *Index) IsFigure(id int32) bool { return x.stems[id].isFigure }

// InPrompt reports whether the stem is in the prompt.
func (x *Index) InPrompt(id int32) bool { return x.stems[id].inPrompt }

// Key is the hash of the stem.
func (x *Index) Key(id int32) uint64 { return x.stems[id].key }

// Mask is the bit of a loaded stem.
func (x *Index) Mask(id int32) uint64 { return x.stems[id].mask }

// HoldsPair reports whether a source may have the stems in this order, with at most one content word between.
func (x *Index) HoldsPair(a, b int32) bool { return x.pairs.has(pairHash(a, b)) }

// HasPrefix reports whether the sources may have a word with the same first letters as the token.
func (x *Index) HasPrefix(d *detectors.Document, token *text.Token) bool {
	if !x.hasPrefixes {
		x.readPrefixes(d)
	}
	return x.prefixes.has(prefixHash(token, d.Text()))
}

// CoOccurring is the largest number of loaded words in the mask that share a source sentence with the stem.
func (x *Index) CoOccurring(id int32, mask uint64) (most int) {
	word := &x.stems[id]
	x.work.Spend(1 + int(word.count)/postings)
	all := bits.OnesCount64(mask)
	for _, s := range x.sentencesOf(word) {
		most = max(most, bits.OnesCount64(x.held[s].mask&mask))
		if most == all {
			break
		}
	}
	return most
}

// OccursNear reports whether the stem occurs in the source sentence or a neighboring one.
func (x *Index) OccursNear(id, sentence, source int32) bool {
	postings := x.sentencesOf(&x.stems[id])
	at, _ := slices.BinarySearch(postings, sentence-1)
	return at < len(postings) && postings[at] <= sentence+1 && x.sentences[postings[at]].Source == source
}

// SentenceWeight is the weight of loaded words in the source sentence.
func (x *Index) SentenceWeight(sentence int32) float64 { return x.held[sentence].weight }

// BestSentences are the largest weight of loaded words in one sentence, and of those among them that the mask lacks.
func (x *Index) BestSentences(mask uint64) (best, second float64) {
	x.work.Spend(len(x.touched) / detectors.ScanRows)
	x.work.Spend(len(x.touched) / detectors.ScanRows)
	for _, s := range x.touched {
		held := &x.held[s]
		best = max(best, held.weight)
		if rest := held.mask &^ mask; rest != 0 && held.weight > second {
			second = max(second, x.WeightOf(rest))
		}
	}
	return best, second
}

// CitedUnion is the weight of the loaded words in all sources cited from..to together.
func (x *Index) CitedUnion(c *citations.Markers, from, to int) float64 {
	mask := uint64(0)
	for i := range c.List {
		m := &c.List[i]
		if m.Start < from || m.Start >= to {
			continue
		}
		for _, r := range c.References[m.First:m.Last] {
			if x.work.Ended() != "" {
				return 0
			}
			if r.Source >= 0 {
				mask |= x.HeldWords(int32(r.Source))
			}
		}
	}
	return x.WeightOf(mask)
}

// BestCited is the largest weight of loaded words in one of the sources cited from..to; ok is false without citations.
func (x *Index) BestCited(c *citations.Markers, from, to int) (best float64, ok bool) {
	x.work.Spend(len(c.List) / detectors.ScanRows)
	for i := range c.List {
		m := &c.List[i]
		if m.Start < from || m.Start >= to {
			continue
		}
		for _, r := range c.References[m.First:m.Last] {
			if x.work.Ended() != "" {
				return best, ok
			}
			if r.Source >= 0 {
				best, ok = max(best, x.BestWindow(int32(r.Source)).Weight), true
			}
		}
	}
	return best, ok
}
