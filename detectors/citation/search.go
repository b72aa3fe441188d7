package citation

import (
	"confab/detectors"
	"confab/internal/text"
)

// find searches all pieces in the tokens. at is the first token of the first piece.
func (c *checker) find(in []text.Token) (at int, held bool) {
	at = -1
	for i, p := range c.pieces {
		if c.left--; c.left < 0 {
			return at, true // not measured
		}
		if !c.doc.Work().Spend(1 + len(in)/tokensByUnit) {
			return at, true
		}
		found := c.findPiece(in, c.doc.Tokens()[p.First:p.Last])
		if found < 0 {
			return at, false
		}
		if i == 0 {
			at = found
		}
	}
	return at, true
}

// findPiece is the index of the first occurrence of want in the tokens, or of an occurrence with one other word, which may
// be a slip of the pen: it must not be a number or a negation. It is -1 if there is none.
func (c *checker) findPiece(in, want []text.Token) int {
	at := findTokens(in, want)
	if at >= 0 || len(want) < minLoose {
		return at
	}
	half := len(want) / 2
	c.doc.Work().Spend(2 * len(in) / tokensByUnit)
	if at = findTokens(in, want[:half]); at >= 0 && differsByOne(in[at:], want) {
		return at
	}
	if at = findTokens(in, want[half:]) - half; at >= 0 && differsByOne(in[at:], want) {
		return at
	}
	return -1
}

// minLoose is the length of a piece, in words, in which one word may differ.
const minLoose = 8

func differsByOne(in, want []text.Token) bool {
	if len(in) < len(want) {
		return false
	}
	other := 0
	for i := range want {
		if in[i].Hash == want[i].Hash {
			continue
		}
		if other++; other > 1 || want[i].Kind == text.Number || want[i].Has(text.Negation) || in[i].Has(text.Negation) {
			return false
		}
	}
	return true
}

// findTokens is the index of the first occurrence of want in tokens, -1 if there is none, by a rolling hash.
func findTokens(tokens, want []text.Token) int {
	const base = 0x9E3779B97F4A7C15
	if len(want) == 0 || len(want) > len(tokens) {
		return -1
	}
	sum, target, power := uint64(0), uint64(0), uint64(1)
	for i := range want {
		target = target*base + want[i].Hash
		sum = sum*base + tokens[i].Hash
		power *= base
	}
	for i := 0; ; i++ {
		if sum == target {
			return i
		}
		if i+len(want) == len(tokens) {
			return -1
		}
		sum = sum*base + tokens[i+len(want)].Hash - power*tokens[i].Hash
	}
}

// inMessages reports whether the messages have the words.
func (c *checker) inMessages() bool {
	if !c.read {
		c.read, c.prompt = true, c.prompt[:0]
		for i := range c.doc.Interaction().Messages {
			content, _ := text.Cut(c.doc.Interaction().Messages[i].Content, detectors.MaxTextBytes)
			if !c.doc.Work().Spend(1 + len(content)/tokensByUnit) {
				return true
			}
			c.prompt = c.doc.Tokenizer().Append(c.prompt, content)
		}
	}
	_, held := c.find(c.prompt)
	return held
}
