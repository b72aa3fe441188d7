package detectors

import (
	"math"
	"math/bits"
	"slices"

	"confab/internal/text"
)

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

// load takes the distinct content words of the answer's tokens from..to, as many as there are bits, and returns where it
// stopped. What was loaded must be unloaded before the next load.
func (x *supportIndex) load(from, to int32) (next int32) {
	x.loaded++
	x.total, x.words, x.figures = 0, 0, 0
	cost := 0
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
		x.bit[id] = uint8(x.words)
		x.words++
		if x.figure[id] {
			x.figures |= bit
		}
		cost += 1 + int(x.counts[id])/postings
		for _, s := range x.postings[x.last[id]-x.counts[id] : x.last[id]] {
			if x.masks[s] == 0 {
				x.touched = append(x.touched, s)
			}
			x.masks[s] |= bit
			x.sums[s] += weight
		}
	}
	x.work.Spend(cost)
	return from
}

// unload ends the load before.
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
	cost := len(x.touched) / 2
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
			cost += 1 + bits.OnesCount64(mask)/8
			if weight := x.weightOf(mask); weight > best.weight+epsilon {
				best = window{first, next + 1, mask, weight}
			}
		}
	}
	x.work.Spend(cost)
	return best
}

// holds are the loaded words that the source has anywhere.
func (x *supportIndex) holds(source int32) (mask uint64) {
	x.work.Spend(len(x.touched) / Glances)
	for _, s := range x.touched {
		if x.sentences[s].Source == source {
			mask |= x.masks[s]
		}
	}
	return mask
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

// missingFigure is what is left of a similarity for each figure that the sources do not hold: one wrong figure makes a
// well-copied sentence wrong. It trebled the recall of the citation rule at the same precision; the exact value matters
// little.
const missingFigure = 0.25

// similarity is the share of a stretch's weight that a window holds, with its missing figures taken into account.
func similarity(held, total float64, missingFigures int) float64 {
	return min(1, held/total) * math.Pow(missingFigure, float64(missingFigures))
}

// place is the source that the window stands in, and its bytes there; ok is false for no window.
func (w *window) place(d *Document) (source, start, end int, ok bool) {
	if w.last == 0 {
		return 0, 0, 0, false
	}
	sentences := d.AllSourceSentences()
	first, last := sentences[w.first], sentences[w.last-1]
	return int(first.Source), int(first.Start), int(last.End), true
}

// stem is the number of the stem of the answer's token, -1 for stop words and citation markers.
func (x *supportIndex) stem(token int32) int32 { return x.ids[token] }

// count is how many source sentences hold the stem.
func (x *supportIndex) count(id int32) int32 { return x.counts[id] }

// weight is what the stem counts, 0 to 1.
func (x *supportIndex) weight(id int32) float64 { return x.weights[id] }

// isFigure reports the stem of a number.
func (x *supportIndex) isFigure(id int32) bool { return x.figure[id] }

// isAsked reports a stem that the prompt holds.
func (x *supportIndex) isAsked(id int32) bool { return x.asked[id] }

// key is what the stem is compared by.
func (x *supportIndex) key(id int32) uint64 { return x.keys[id] }

// mask is the bit of the stem, which is loaded.
func (x *supportIndex) mask(id int32) uint64 { return 1 << x.bit[id] }

// holdsPair reports that the stems may stand in this order in a source, side by side or with one content word between.
func (x *supportIndex) holdsPair(a, b int32) bool { return x.near.has(pair(a, b)) }

// beginsAlike reports that the sources may hold a word that begins like the token of the answer.
func (x *supportIndex) beginsAlike(token *text.Token, answer string) bool {
	return x.beginning.has(beginning(token, answer))
}

// beside is how many of the loaded words in the mask some source sentence holds together with the stem.
func (x *supportIndex) beside(id int32, mask uint64) (most int) {
	x.work.Spend(1 + int(x.counts[id])/postings)
	for _, s := range x.postings[x.last[id]-x.counts[id] : x.last[id]] {
		most = max(most, bits.OnesCount64(x.masks[s]&mask))
	}
	return most
}

// occursNear reports that the stem stands in the source sentence or next to it.
func (x *supportIndex) occursNear(id, sentence, source int32) bool {
	postings := x.postings[x.last[id]-x.counts[id] : x.last[id]]
	at, _ := slices.BinarySearch(postings, sentence-1)
	return at < len(postings) && postings[at] <= sentence+1 && x.sentences[postings[at]].Source == source
}

// single is the weight that the best sentence alone holds.
func (x *supportIndex) single() (best float64) {
	x.work.Spend(len(x.touched) / Glances)
	for _, s := range x.touched {
		best = max(best, x.sums[s])
	}
	return best
}

// cited is the weight that the best source among the cited ones holds of the loaded words; ok is false without any.
func (x *supportIndex) cited(c *citations, from, to int) (best float64, ok bool) {
	x.work.Spend(len(c.markers) / Glances)
	for i := range c.markers {
		m := &c.markers[i]
		if m.start < from || m.start >= to {
			continue
		}
		for _, r := range c.references[m.first:m.last] {
			if x.work.Ended() != "" {
				return best, ok
			}
			if r.source >= 0 {
				best, ok = max(best, x.best(int32(r.source)).weight), true
			}
		}
	}
	return best, ok
}
