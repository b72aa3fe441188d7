package deep

import (
	"math/bits"

	"confab/detectors"
	"confab/internal/text"
)

// Cover finds the sentences of a document's sources that hold most of the words of a part of its answer.
type Cover struct {
	doc   *detectors.Document
	at    map[uint64][]int32 // source sentences, by content word of the answer
	masks []uint64           // by source sentence: the words of the part that it holds; zero between calls
}

// Window is a run of neighboring sentences of one source.
type Window struct {
	Source, Start, End int     // bytes of that source
	Share              float64 // 0 to 1: of the distinct content words of the part
}

const (
	windowSentences = 3  // of a window, at most
	maxCoverWords   = 64 // of a part that are compared
	coverCost       = 4  // units of work per word
)

// NewCover reads the sources of the document.
func NewCover(d *detectors.Document) Cover {
	mode, sentences, tokens := d.MatchMode(), d.AllSourceSentences(), d.SourceTokens()
	c := Cover{doc: d, at: map[uint64][]int32{}, masks: make([]uint64, len(sentences))}
	for i := range d.Tokens() {
		if t := &d.Tokens()[i]; isCompared(mode, t) {
			c.at[mode.Key(t, d.Text())] = nil
		}
	}
	for i, s := range sentences {
		if !d.Work().Spend(coverCost * int(1+s.Last-s.First)) {
			break
		}
		for k := s.First; k < s.Last; k++ {
			key := mode.Key(&tokens[k], d.Source(int(s.Source)))
			if list, has := c.at[key]; has && (len(list) == 0 || list[len(list)-1] != int32(i)) {
				c.at[key] = append(list, int32(i))
			}
		}
	}
	return c
}

func isCompared(mode text.MatchMode, t *text.Token) bool {
	return mode.IsContent(t) && !t.Has(text.Marker)
}

// Best adds the best window of each source that has any of the words of the tokens first to last of the answer to dst. Of equal
// windows it is the shortest, then the first. words is the number of distinct content words.
func (c *Cover) Best(dst []Window, first, last int32) (windows []Window, words int) {
	mode, touched, seen := c.doc.MatchMode(), []int32(nil), map[uint64]bool{}
	for i := first; i < last && words < maxCoverWords; i++ {
		t := &c.doc.Tokens()[i]
		key := mode.Key(t, c.doc.Text())
		if !isCompared(mode, t) || seen[key] {
			continue
		}
		seen[key] = true
		for _, s := range c.at[key] {
			if c.masks[s] == 0 {
				touched = append(touched, s)
			}
			c.masks[s] |= 1 << words
		}
		c.doc.Work().Spend(coverCost + len(c.at[key]))
		words++
	}
	for _, s := range touched {
		dst = c.widen(dst, int(s), words)
	}
	for _, s := range touched {
		c.masks[s] = 0
	}
	return dst, words
}

// widen adds or improves the window of the source of sentence i by those that begin with it.
func (c *Cover) widen(dst []Window, i, words int) []Window {
	sentences, mask := c.doc.AllSourceSentences(), uint64(0)
	source := sentences[i].Source
	at := 0
	for at < len(dst) && dst[at].Source != int(source) {
		at++
	}
	for k := i; k < min(len(sentences), i+windowSentences) && sentences[k].Source == source; k++ {
		mask |= c.masks[k]
		w := Window{int(source), int(sentences[i].Start), int(sentences[k].End), float64(bits.OnesCount64(mask)) / float64(words)}
		switch {
		case at == len(dst):
			dst = append(dst, w)
		case w.Share > dst[at].Share || w.Share == dst[at].Share && w.End-w.Start < dst[at].End-dst[at].Start:
			dst[at] = w
		}
	}
	return dst
}
