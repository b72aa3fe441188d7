package detectors

import (
	"math"
	"math/bits"

	"confab/internal/text"
)

// supportIndex answers how far the source sentences bear out a stretch of the answer. It is made once per document and
// shared by the detectors that compare the answer with its sources.
//
// Each token is looked at once. Only the stems of the answer's content words get numbers, so the many source words that
// the answer does not use cost one failed look. What is kept of the sources is, for each such stem, the list of sentences
// that hold it. A stretch then touches only the sentences that share a word with it: at most 64 of its distinct words
// are given bits, a sentence is a mask of them, and a window of sentences is the union of their masks.
type supportIndex struct {
	slots      []stemSlot // open addressing, cleared by raising the generation
	generation uint32

	ids       []int32   // by answer token: the number of its stem, -1 for stop words and citation markers
	weights   []float64 // by stem: what it counts, 0 to 1
	counts    []int32   // by stem: source sentences that hold it
	last      []int32   // by stem: the sentence counted last; later the end of its postings
	postings  []int32   // source sentences, grouped by stem
	hits      []stemHit
	sentences []SourceSentence

	loaded     int32   // counts stretches
	seen       []int32 // by stem: the stretch that holds it
	total      float64 // of the loaded words' weights
	words      int     // loaded, distinct
	wordWeight [64]float64
	masks      []uint64  // by source sentence: which loaded words it holds
	sums       []float64 // by source sentence: what those weigh
	touched    []int32   // sentences that hold a loaded word
}

type stemSlot struct {
	stem       uint64
	generation uint32
	id         int32
}

type stemHit struct{ id, sentence int32 }

// window is a run of neighboring sentences of one source, and what it holds of the loaded stretch.
type window struct {
	first, last int32 // source sentences, half open
	mask        uint64
	weight      float64
}

const (
	windowSentences = 3 // a whole passage dilutes the signal, a sentence alone misses what is spread over two
	anySource       = -1
	epsilon         = 1e-9 // a wider window must hold more, not round better
)

// support is the index of the document, made on first use.
func (d *Document) support() *supportIndex {
	if d.make(madeSupport) {
		d.index.build(d, d.citations().markers)
	}
	return &d.index
}

// citations are the markers of the answer, found on first use.
func (d *Document) citations() *citations {
	if d.make(madeCitations) {
		d.cited.read(d)
	}
	return &d.cited
}

// build indexes the document. Markers are no words of the answer.
func (x *supportIndex) build(d *Document, markers []marker) {
	x.sentences = d.AllSourceSentences()
	x.numberStems(d.Tokens(), markers)
	x.collect(d.SourceTokens())
	x.weigh()
	x.masks = resize(x.masks, len(x.sentences))
	x.sums = resize(x.sums, len(x.sentences))
	clear(x.masks) // a pass that panicked may have left marks
	clear(x.sums)
	x.touched = x.touched[:0]
}

// numberStems gives a number to each distinct stem of the answer's content words.
func (x *supportIndex) numberStems(tokens []text.Token, markers []marker) {
	x.begin(len(tokens))
	x.ids, x.weights = resize(x.ids, len(tokens)), x.weights[:0]
	for i := range tokens {
		t := &tokens[i]
		for len(markers) > 0 && int(t.Start) >= markers[0].end {
			markers = markers[1:]
		}
		if t.Stop() || len(markers) > 0 && int(t.Start) >= markers[0].start {
			x.ids[i] = -1
			continue
		}
		slot := x.slot(t.Stem)
		if slot.generation != x.generation {
			*slot = stemSlot{stem: t.Stem, generation: x.generation, id: int32(len(x.weights))}
			weight := 0.0 // to be weighed
			if t.Kind == text.Number {
				weight = 1
			}
			x.weights = append(x.weights, weight)
		}
		x.ids[i] = slot.id
	}
	x.counts, x.last = resize(x.counts, len(x.weights)), resize(x.last, len(x.weights))
	x.seen = resize(x.seen, len(x.weights))
	clear(x.counts)
	clear(x.seen)
	x.loaded = 0
}

func (x *supportIndex) begin(stems int) {
	if need := 2 * (stems + 1); len(x.slots) < need {
		x.slots, x.generation = make([]stemSlot, max(512, 1<<bits.Len(uint(need)))), 0
	}
	x.generation++
	if x.generation == 0 { // wrapped: old marks would look new
		clear(x.slots)
		x.generation = 1
	}
}

// slot is where the stem is, or the free place where it belongs.
func (x *supportIndex) slot(stem uint64) *stemSlot {
	mask := uint64(len(x.slots) - 1)
	for i := stem & mask; ; i = (i + 1) & mask {
		if s := &x.slots[i]; s.generation != x.generation || s.stem == stem {
			return s
		}
	}
}

// collect finds the sentences of each stem.
func (x *supportIndex) collect(tokens []text.Token) {
	for i := range x.last {
		x.last[i] = -1
	}
	x.hits = x.hits[:0]
	for i := range x.sentences {
		s := &x.sentences[i]
		for t := s.First; t < s.Last; t++ {
			if tokens[t].Stop() {
				continue
			}
			slot := x.slot(tokens[t].Stem)
			if slot.generation != x.generation || x.last[slot.id] == int32(i) {
				continue
			}
			x.last[slot.id] = int32(i)
			x.counts[slot.id]++
			x.hits = append(x.hits, stemHit{slot.id, int32(i)})
		}
	}
	end := int32(0)
	for id, n := range x.counts { // from here on, last is where the stem's next posting goes
		x.last[id] = end
		end += n
	}
	x.postings = resize(x.postings, len(x.hits))
	for _, h := range x.hits {
		x.postings[x.last[h.id]] = h.sentence
		x.last[h.id]++
	}
}

// weigh gives each stem its inverse document frequency over the source sentences, ln(1 + N/(1+df)), as a share of what a
// stem that no sentence holds would have. A number counts fully: a wrong one is wrong however often it occurs.
func (x *supportIndex) weigh() {
	n := float64(len(x.sentences))
	most := math.Log(1 + n)
	for id := range x.weights {
		if x.weights[id] == 0 {
			x.weights[id] = 1
			if x.counts[id] > 0 {
				x.weights[id] = math.Log(1+n/float64(1+x.counts[id])) / most
			}
		}
	}
}

// load takes the distinct content words of the answer's tokens from..to, as many as there are bits, and returns where it
// stopped. What was loaded must be unloaded before the next load.
func (x *supportIndex) load(from, to int32) (next int32) {
	x.loaded++
	x.total, x.words = 0, 0
	for ; from < to; from++ {
		id := x.ids[from]
		if id < 0 || x.seen[id] == x.loaded {
			continue
		}
		if x.words == len(x.wordWeight) {
			break
		}
		x.seen[id] = x.loaded
		weight := x.weights[id]
		x.total += weight
		x.wordWeight[x.words] = weight
		bit := uint64(1) << x.words
		x.words++
		for _, s := range x.postings[x.last[id]-x.counts[id] : x.last[id]] {
			if x.masks[s] == 0 {
				x.touched = append(x.touched, s)
			}
			x.masks[s] |= bit
			x.sums[s] += weight
		}
	}
	return from
}

func (x *supportIndex) unload() {
	for _, s := range x.touched {
		x.masks[s], x.sums[s] = 0, 0
	}
	x.touched = x.touched[:0]
}

// best is the window of the source, or of any, that holds most of the loaded words. It begins with a sentence that
// holds one of them, as any best window can be made to.
func (x *supportIndex) best(source int32) window {
	var best window
	for _, first := range x.touched {
		s := x.sentences[first].Source
		if source != anySource && s != source {
			continue
		}
		mask, bound := x.masks[first], x.sums[first]
		if bound > best.weight+epsilon {
			best = window{first, first + 1, mask, bound}
		}
		for next := first + 1; next < first+windowSentences && int(next) < len(x.sentences) && x.sentences[next].Source == s; next++ {
			if x.masks[next] == 0 {
				continue
			}
			mask |= x.masks[next]
			bound += x.sums[next] // the union weighs at most the sum
			if bound <= best.weight+epsilon {
				continue
			}
			if weight := x.weightOf(mask); weight > best.weight+epsilon {
				best = window{first, next + 1, mask, weight}
			}
		}
	}
	return best
}

// weightOf sums the weights of the loaded words in the mask.
func (x *supportIndex) weightOf(mask uint64) float64 {
	sum := 0.0
	for ; mask != 0; mask &= mask - 1 {
		sum += x.wordWeight[bits.TrailingZeros64(mask)]
	}
	return sum
}

// missing reports a content word that no source sentence holds.
func (x *supportIndex) missing(token int32) bool {
	return x.ids[token] >= 0 && x.counts[x.ids[token]] == 0
}

// resize returns s with n elements, whatever they hold.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
