package contradiction

// comparison aligns a part of a claim with one sentence of a source.
type comparison struct {
	claim, source phrase
	first, last   int // the part: words of the claim, half open

	within bool // both are sentences of the answer

	heads [buckets]int8  // by hash of a root: the first word of the source with it, plus one; 0 for none
	next  [maxWords]int8 // by word of the source: the next word with the same hash, plus one; 0 for none
	alts  bool           // a word of the source has another root too

	aligned [maxWords]int8 // by word of the claim: the word of the source, -1 for none
	claimed [maxWords]int8 // by word of the source: a word of the part, -1 for none
	matches int            // aligned words that are not light
	content int            // words of the part that are not light
	held    uint64         // words of the part that are aligned
	equal   bool           // see findChange
}

// alignWords pairs each word of the claim with the word of the source on the same scale that has the most equal neighbors.
// A word in the same direction is preferred.
func (c *comparison) alignWords() {
	var present uint64 // words of the source, by hash
	clear(c.heads[:])
	c.alts = false
	for j := len(c.source.words) - 1; j >= 0; j-- {
		w := &c.source.words[j]
		c.claimed[j] = -1
		present |= presenceBit(w.root)
		head := &c.heads[bucketOf(w.root)]
		c.next[j], *head = *head, int8(j+1)
		if w.alt != 0 {
			present |= presenceBit(w.alt)
			c.alts = true
		}
	}
	previous := -1
	for i := range c.claim.words {
		w := &c.claim.words[i]
		c.aligned[i] = -1
		if present&presenceBit(w.root) == 0 && (w.alt == 0 || present&presenceBit(w.alt) == 0) {
			continue
		}
		j := c.bestMatch(i, previous)
		if j < 0 {
			continue
		}
		c.aligned[i], previous = int8(j), j
		if c.claimed[j] < 0 {
			c.claimed[j] = int8(i)
		}
	}
}

// bestMatch is the source's word for the claim's word i, -1 for none.
func (c *comparison) bestMatch(i, previous int) int {
	best, at := 0, -1
	all := c.alts || c.claim.words[i].alt != 0
	for j := c.following(i, -1, all); j >= 0; j = c.following(i, j, all) {
		if !sameScale(&c.claim.words[i], &c.source.words[j]) {
			continue
		}
		if at < 0 { // most words occur once
			at = j
			continue
		}
		if best == 0 {
			best = c.agreement(i, at, previous)
		}
		if score := c.agreement(i, j, previous); score > best {
			best, at = score, j
		}
	}
	return at
}

// following is the first of the source's words after j that may be on the same scale as the claim's word i, -1 for none. If all
// is false, words are only on the scales of their roots.
func (c *comparison) following(i, j int, all bool) int {
	switch {
	case !all && j < 0:
		return int(c.heads[bucketOf(c.claim.words[i].root)]) - 1
	case !all:
		return int(c.next[j]) - 1
	case j+1 < len(c.source.words):
		return j + 1
	default:
		return -1
	}
}

// selectPart makes words from first to last the compared part.
func (c *comparison) selectPart(first, last int) {
	c.first, c.last = first, last
	c.matches, c.content, c.held = 0, 0, 0
	for i := first; i < last; i++ {
		if c.claim.words[i].light {
			continue
		}
		c.content++
		if c.aligned[i] >= 0 {
			c.matches++
			c.held |= 1 << i
		}
	}
}

// inPart is the word of the part that is aligned with the source's word j, -1 for none.
func (c *comparison) inPart(j int) int {
	if i := int(c.claimed[j]); i >= c.first && i < c.last {
		return i
	}
	return -1
}

const bucketBits, buckets = 6, 1 << bucketBits

func bucketOf(root uint64) uint64 { return root * 0x9E3779B97F4A7C15 >> (64 - bucketBits) }

func presenceBit(root uint64) uint64 { return 1 << bucketOf(root) }

// sameScale reports words that are equal or opposite.
func sameScale(a, b *word) bool {
	return a.root == b.root || a.alt != 0 && a.alt == b.root || b.alt != 0 && a.root == b.alt
}

// directionOf is -1 if the aligned words are opposites, otherwise 1.
func directionOf(a, b *word) int {
	if a.root != b.root || a.sign*b.sign < 0 {
		return -1
	}
	return 1
}

// sameDirection exceeds what neighbors can add.
const sameDirection = 10

// agreement is how well the surroundings of the words match, from 1.
func (c *comparison) agreement(i, j, previous int) int {
	score := 1
	for step := -2; step <= 2; step++ {
		if k := i + step; step != 0 && k >= 0 && k < len(c.claim.words) && c.nearby(k, j) {
			score += 2
		}
	}
	if directionOf(&c.claim.words[i], &c.source.words[j]) > 0 {
		score += sameDirection
	}
	if j == previous+1 {
		score++
	}
	return score
}

// nearby reports whether the source has the claim's word k within two words of its word j.
func (c *comparison) nearby(k, j int) bool {
	for step := -2; step <= 2; step++ {
		if n := j + step; step != 0 && n >= 0 && n < len(c.source.words) && c.source.words[n].root == c.claim.words[k].root {
			return true
		}
	}
	return false
}

// minPart is the smallest number of content words of a part of a claim that is compared on its own.
const minPart = 2

// nextPart returns the end of the part of the claim that starts at word from: a claim is divided at "; but", ", which" and
// the like, if both sides have enough words.
func (p *phrase) nextPart(from int) int {
	content := 0
	for i := from; i < len(p.words); i++ {
		w := &p.words[i]
		breaks := w.before&hasBreak != 0 || w.before&hasComma != 0 && w.before&hasJoint != 0
		if breaks && content >= minPart && p.contentFrom(i) >= minPart {
			return i
		}
		if !w.light {
			content++
		}
	}
	return len(p.words)
}

func (p *phrase) contentFrom(i int) (n int) {
	for ; i < len(p.words) && n < minPart; i++ {
		if !p.words[i].light {
			n++
		}
	}
	return n
}
