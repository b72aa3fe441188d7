package consistency

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/support"
	"confab/internal/text"
	"confab/schemas"
)

// Measurement is how far an answer agrees with fresh answers to the same messages, and they among themselves. All
// similarities are 0 to 1.
type Measurement struct {
	Samples      int     // fresh answers that were compared; with fewer than two nothing was measured
	Original     float64 // mean similarity of the answer with each of them
	Among        float64 // mean similarity of each two of them
	Short        bool    // the answer has fewer than three words: a value, compared word for word
	Embedded     bool    // similarities are cosines of vectors, else shares of words
	Claims       int     // of the answer
	Agreed       int     // of them, those that enough fresh answers contain
	ClaimSupport float64 // mean over the claims of the share of the fresh answers that contain each; 0 without claims
}

const (
	claimsWeight = 2.0 / 3 // words that answers share are mostly those of the question, claims are what they say
	shortWords   = 3       // fewer make a value
	containsAt   = 0.6     // of a claim's words: what a fresh answer that contains it holds
)

// Agreement is 0 where the fresh answers share nothing with the answer, 1 where all say the same. Likeness of the fresh
// answers among themselves is no part of it: it ranks less well (AUROC .88 and .90 on recorded answers), and fresh answers
// that agree on something else are the worst that can be heard.
func (c Measurement) Agreement() float64 {
	if c.Claims == 0 || c.Short || c.Embedded {
		return c.Original
	}
	return claimsWeight*c.ClaimSupport + (1-claimsWeight)*c.Original
}

// Measured reports whether there was enough to compare.
func (c Measurement) Measured() bool { return c.Samples >= deep.MinSamples }

// Score is 1 − agreement: higher is worse.
func (c Measurement) Score() float64 { return min(1, max(0, 1-c.Agreement())) }

func (c Measurement) measures() []detectors.Measure {
	short := 0.0
	if c.Short {
		short = 1
	}
	return []detectors.Measure{
		{Name: "original_similarity", Value: c.Original},
		{Name: "among_similarity", Value: c.Among},
		{Name: "agreement", Value: c.Agreement()},
		{Name: "short", Value: short},
		{Name: "claims", Value: float64(c.Claims)},
		{Name: "agreed_claims", Value: float64(c.Agreed)},
	}
}

// Measure compares an answer with recorded fresh answers by their words; empty ones and refusals are left out.
// With fewer than two there is nothing to compare, and Measured says so; nor is a refusal compared. It asks nobody.
func Measure(original string, samples []string) Measurement {
	answers := make([]schemas.FreshAnswer, len(samples))
	for i, s := range samples {
		answers[i].Text = s
	}
	var work detectors.Work
	usable := deep.SelectUsable(original, answers, &work)
	if len(usable.Texts) < deep.MinSamples || deep.IsRefusal(original) {
		return Measurement{}
	}
	return compareSamples(&schemas.Interaction{Answer: original}, usable.Texts, &work).result(DefaultOptions().AgreedShare)
}

// comparison is one answer held against its fresh ones.
type comparison struct {
	sampleCount     int
	work            *detectors.Work
	original, among float64
	short           bool
	embedded        bool
	claims          []deep.Agreement
	facts           []factAgreement
}

func compareSamples(in *schemas.Interaction, texts []string, work *detectors.Work) *comparison {
	c := &comparison{sampleCount: len(texts), work: work}
	work.Spend(2 * deep.WordSetCost * len(in.Answer))
	first := wordsOf(in.Answer, false)
	c.short = first.tokens < shortWords
	first = wordsOf(in.Answer, c.short)
	sets := make([]wordBag, len(texts))
	for i, t := range texts {
		if !work.Spend(deep.WordSetCost * len(t) * (1 + len(texts)/4)) {
			return c
		}
		sets[i] = wordsOf(t, c.short)
	}
	c.among, c.original = pairwiseMeans(len(sets),
		func(i, k int) float64 { return sets[i].dice(&sets[k]) },
		func(i int) float64 { return first.dice(&sets[i]) })
	for _, t := range texts {
		if work.Ended() != "" {
			return c
		}
		c.addSample(in, t)
	}
	for i := range c.claims {
		c.claims[i].Share /= float64(c.sampleCount)
	}
	return c
}

// addSample looks for the answer's claims and facts in one fresh answer, which stands where a source would.
func (c *comparison) addSample(in *schemas.Interaction, fresh string) {
	var doc detectors.Document
	doc.ResetWithin(&schemas.Interaction{Answer: in.Answer, Messages: in.Messages, Sources: []schemas.Source{{Text: fresh}}}, c.work)
	if doc.Uncheckable() != "" {
		return // the answer states nothing
	}
	p := support.NewPass(&doc)
	for i := range p.Claims {
		s, ok := p.Measure(i, nil)
		if c.work.Ended() != "" {
			return
		}
		if !ok {
			continue
		}
		at := slices.IndexFunc(c.claims, func(a deep.Agreement) bool { return a.Start == s.At.Start })
		if at < 0 {
			at = len(c.claims)
			c.claims = append(c.claims, deep.Agreement{Start: s.At.Start, End: s.At.End})
		}
		if s.Similarity() >= containsAt {
			c.claims[at].Share++
		}
	}
	c.addFacts(&doc)
}

func (c *comparison) result(agreedShare float64) Measurement {
	out := Measurement{Samples: c.sampleCount, Original: c.original, Among: c.among, Short: c.short, Embedded: c.embedded, Claims: len(c.claims)}
	for i := range c.claims {
		out.ClaimSupport += c.claims[i].Share / float64(len(c.claims))
		if c.claims[i].Share >= agreedShare {
			out.Agreed++
		}
	}
	return out
}

var errVectors = errors.New("the embedder gave no vectors of one length and with a direction, one a text")

// embed replaces the similarities by the cosines of the texts' vectors.
func (c *comparison) embed(ctx context.Context, by deep.Embedder, answer string, texts []string) (schemas.Usage, error) {
	vectors, used, err := by.Embed(ctx, append([]string{answer}, texts...))
	if err != nil {
		return used, err
	}
	if len(vectors) != len(texts)+1 {
		return used, errVectors
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) || !(cosineSimilarity(v, v) > 0) {
			return used, errVectors
		}
	}
	c.embedded = true
	c.among, c.original = pairwiseMeans(len(texts),
		func(i, k int) float64 { return cosineSimilarity(vectors[i+1], vectors[k+1]) },
		func(i int) float64 { return cosineSimilarity(vectors[0], vectors[i+1]) })
	return used, nil
}

// pairwiseMeans are the mean over all pairs of n things, and the mean over all things of their likeness to the first one.
func pairwiseMeans(n int, alike func(i, k int) float64, first func(i int) float64) (among, original float64) {
	pairs := 0
	for i := range n {
		original += first(i) / float64(n)
		for k := range i {
			among += alike(i, k)
			pairs++
		}
	}
	return among / float64(pairs), original
}

// cosineSimilarity is 0 for vectors that point apart, for those without a direction, and for those that hold no numbers.
func cosineSimilarity(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	c := ab / math.Sqrt(aa*bb)
	if !(c > 0) {
		return 0
	}
	return min(1, c)
}

// wordBag is the distinct words of a text, by stem.
type wordBag struct {
	stems   map[uint64]bool
	tokens  int
	letters string // and digits, in lower case: "J.R.R." is "J. R. R."
}

// wordsOf leaves stop words out, unless all is asked for or nothing else is there: "I" is a word of no weight in a
// sentence and the whole answer to a question for a symbol.
func wordsOf(s string, all bool) wordBag {
	tokens := text.AppendTokens(nil, s)
	b := wordBag{stems: map[uint64]bool{}, tokens: len(tokens), letters: strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)}
	for pass := range 2 {
		for i := range tokens {
			if pass == 1 || all || !tokens[i].Stop() {
				b.stems[tokens[i].Stem] = true
			}
		}
		if len(b.stems) > 0 {
			break
		}
	}
	return b
}

// dice is twice the number of shared words by the number of both (Dice, 1945): 1 for equal texts, texts without words included.
func (b *wordBag) dice(o *wordBag) float64 {
	if len(b.stems)+len(o.stems) == 0 || b.letters != "" && b.letters == o.letters {
		return 1
	}
	shared := 0
	for w := range b.stems {
		if o.stems[w] {
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(b.stems)+len(o.stems))
}
