package contradiction

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/text"
)

// Shares of the words of a clause that the other one must have: of the claim's, of the source's, and of both in text without
// spaces, where a negation changes the pairs of characters around it.
const (
	leastOfClaim  = 0.8
	leastOfSource = 0.6
	leastOfPairs  = 0.6
	leastShared   = 2
)

// maxParityTokens is the largest claim or sentence that is compared.
const maxParityTokens = 256

// maxParityWords is the largest clause that is compared, in content words.
const maxParityWords = 48

// clause is a part of a sentence between commas.
type clause struct {
	keys        [maxParityWords]uint64
	words       int // more than maxParityWords: the clause is not compared
	denials     int // 1 for any number of words like "not", and 1 for each "without"
	denied      int // the last word that a negation precedes, -1 without one
	start, next int // bytes of the text, and the token after the clause
	end         int
	pairs       bool // characters without spaces
}

// scratch holds two clauses and is reused across documents.
type scratch struct{ claim, source clause }

// Side is a run of tokens of one text.
type Side struct {
	Text        string
	Tokens      []text.Token
	First, Last int32
}

// Match is the closest clause of the source to a clause of the claim.
type Match struct {
	Start, End int // bytes of the source: the clause
	shared     int
	denied     bool // only one of them is negated
}

// Compare looks for a clause of the claim whose closest clause in the sentence says the same with or without a negation.
func Compare(d *detectors.Document, claim, sentence Side) (m Match, ok bool) {
	if claim.Last-claim.First > maxParityTokens || sentence.Last-sentence.First > maxParityTokens {
		return Match{}, false
	}
	s, _ := detectors.Scratch[scratch](d)
	for at := int(claim.First); at < int(claim.Last); at = s.claim.next {
		s.claim.read(d.MatchMode(), &claim, at)
		best := Match{}
		for from := int(sentence.First); from < int(sentence.Last); from = s.source.next {
			s.source.read(d.MatchMode(), &sentence, from)
			if !d.Work().Spend(1 + s.source.next - from + s.claim.words*s.source.words/detectors.ScanRows) {
				return Match{}, false
			}
			if n := s.claim.shared(&s.source); n > best.shared || n == best.shared && best.denied {
				best = Match{Start: s.source.start, End: s.source.end, shared: n}
				best.denied = s.claim.repeats(&s.source, n) && (s.claim.denials+s.source.denials)%2 == 1
			}
		}
		if best.denied {
			return best, true
		}
	}
	return Match{}, false
}

// read reads the clause that starts with the token.
func (c *clause) read(mode text.MatchMode, s *Side, at int) {
	tokens := s.Tokens
	c.words, c.denials, c.denied, c.pairs = 0, 0, -1, false
	c.start, c.end, c.next = int(tokens[at].Start), int(tokens[at].End), at
	denied := false
	for ; c.next < int(s.Last); c.next++ {
		t := &tokens[c.next]
		if int(t.Start) > c.end && strings.ContainsAny(s.Text[c.end:t.Start], clauseEnds) {
			break
		}
		c.end = max(c.end, int(t.End))
		c.pairs = c.pairs || t.Kind == text.Gram
		switch {
		case t.Has(text.Lack):
			c.denials++
			c.denied = c.words
		case s.denies(c.next):
			denied = true
			c.denied = c.words
		case mode.IsContent(t):
			c.add(mode.Key(t, s.Text))
		}
	}
	if denied || c.pairs && deniesCharacters(s.Text[c.start:c.end]) {
		c.denials++
	}
	c.denied = min(c.denied, c.words-1) // "is it not"
}

// add adds a content word.
func (c *clause) add(key uint64) {
	if c.words < maxParityWords {
		c.keys[c.words] = key
	}
	c.words = min(c.words+1, maxParityWords+1)
}

// denies reports a negation, except "not only".
func (s *Side) denies(at int) bool {
	if !s.Tokens[at].Has(text.ForeignNegation) {
		return false
	}
	return at+1 >= int(s.Last) || !onlyWords.Has(s.Tokens[at+1].Hash)
}

const clauseEnds = ",;:，；：、。()（）"

var onlyWords = text.HashSet("nur bloß solo solamente unicamente seulement uniquement") //nolint:gochecknoglobals // read-only

// deniesCharacters reports a Chinese negation, apart from those in words without a negative sense.
func deniesCharacters(s string) bool {
	for i, r := range s {
		switch r {
		case '不', '没', '无', '未':
		default:
			continue
		}
		rest := s[i+len("不"):]
		if !strings.ContainsRune(notNegative, r) || !startsWithAny(rest, afterNotNegative) {
			return true
		}
	}
	return false
}

// Characters that start words without a negative sense, and the characters after them: 不仅, 不过, 无论, 未来.
const (
	notNegative      = "不无未"
	afterNotNegative = "仅但过断同久论来少"
)

func startsWithAny(s, characters string) bool {
	for _, r := range s {
		return strings.ContainsRune(characters, r)
	}
	return false
}

// shared is the number of words of the clause that the other one has.
func (c *clause) shared(other *clause) (n int) {
	if c.words > maxParityWords || other.words > maxParityWords {
		return 0
	}
	for _, key := range c.keys[:c.words] {
		if other.has(key) {
			n++
		}
	}
	return n
}

func (c *clause) has(key uint64) bool { return slices.Contains(c.keys[:c.words], key) }

// negatesWordOf reports whether the other clause has the negated word, if there is one.
func (c *clause) negatesWordOf(other *clause) bool {
	return c.denied < 0 || c.pairs || other.has(c.keys[c.denied])
}

// repeats reports whether n shared words make the clause a copy of the source's.
func (c *clause) repeats(source *clause, n int) bool {
	if c.words > maxParityWords || source.words > maxParityWords || !c.negatesWordOf(source) || !source.negatesWordOf(c) {
		return false
	}
	ofClaim, ofSource := leastOfClaim, leastOfSource
	if c.pairs {
		ofClaim, ofSource = leastOfPairs, leastOfPairs
	}
	return n >= leastShared && float64(n) >= ofClaim*float64(c.words) && float64(n) >= ofSource*float64(source.words)
}
