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
	"confab/internal/text"
	"confab/schemas"
)

// Measurement holds the agreement of an answer with sampled responses to the same messages. All similarities are 0 to 1.
type Measurement struct {
	Samples      int     // sampled responses that were compared; with fewer than two nothing was measured
	Original     float64 // mean similarity of the answer and each of them
	Short        bool    // the answer has fewer than three words: a value, compared with all its words
	Embedded     bool    // similarities are cosines of embeddings, not shares of words
	Claims       int     // of the answer
	Agreed       int     // claims that enough sampled responses contain
	ClaimSupport float64 // mean over the claims of the share of sampled responses that contain the claim; 0 without claims
}

const (
	claimsWeight = 2.0 / 3 // words that responses share are mostly those of the question
	shortWords   = 3       // an answer with fewer words is a value
	containsAt   = 0.6     // share of a claim's words that a response which contains it holds
)

// Agreement returns 0 when the sampled responses share nothing with the answer and 1 when all say the same.
func (c Measurement) Agreement() float64 {
	if c.Claims == 0 || c.Short || c.Embedded {
		return c.Original
	}
	return claimsWeight*c.ClaimSupport + (1-claimsWeight)*c.Original
}

// Measured reports whether there were enough responses to compare.
func (c Measurement) Measured() bool { return c.Samples >= deep.MinSamples }

// Score returns 1 − agreement: higher is worse.
func (c Measurement) Score() float64 { return min(1, max(0, 1-c.Agreement())) }

func (c Measurement) measures() []detectors.Measure {
	short := 0.0
	if c.Short {
		short = 1
	}
	return []detectors.Measure{
		{Name: "original_similarity", Value: c.Original},
		{Name: "agreement", Value: c.Agreement()},
		{Name: "short", Value: short},
		{Name: "claims", Value: float64(c.Claims)},
		{Name: "agreed_claims", Value: float64(c.Agreed)},
		{Name: schemas.AgainstSamples, Value: 1},
	}
}

// Measure compares an answer with recorded responses by their words, without a language model. Empty responses and refusals
// are left out. With fewer than two left, or when the answer is a refusal, nothing is measured.
func Measure(original string, samples []string) Measurement {
	answers := make([]schemas.SampledResponse, len(samples))
	for i, s := range samples {
		answers[i].Text = s
	}
	var work detectors.Work
	usable := deep.SelectUsable(original, answers, &work)
	if len(usable.Texts) < deep.MinSamples || deep.IsRefusal(original) {
		return Measurement{}
	}
	return compareSamples(&schemas.Interaction{Answer: original}, usable.Texts, &work).result()
}

// comparison accumulates the comparison of one answer with its sampled responses.
type comparison struct {
	sampleCount int
	work        *detectors.Work
	original    float64
	short       bool
	embedded    bool
	claims      []deep.Agreement
	figures     []figureAgreement
}

func compareSamples(in *schemas.Interaction, texts []string, work *detectors.Work) *comparison {
	c := &comparison{sampleCount: len(texts), work: work}
	work.Spend(2 * deep.WordSetCost * len(in.Answer))
	first := wordsOf(in.Answer, false)
	c.short = first.tokens < shortWords
	first = wordsOf(in.Answer, c.short)
	for _, t := range texts {
		if !work.Spend(deep.WordSetCost * len(t)) {
			return c
		}
		words := wordsOf(t, c.short)
		c.original += first.dice(&words) / float64(len(texts))
	}
	c.compareClaims(deep.AgainstTexts(in, texts, work))
	return c
}

// compareClaims looks for the claims and figures of the answer in each source of the document, a sampled response. A response
// contains a claim if one place in it has most of its words, and it has all of its figures.
func (c *comparison) compareClaims(doc *detectors.Document) {
	cover := deep.NewCover(doc)
	figures := readFigures(doc)
	var windows []deep.Window
	for _, claim := range doc.Claims() {
		var words int
		if windows, words = cover.Best(windows[:0], claim.First, claim.Last); words == 0 {
			continue
		}
		a := deep.Agreement{Start: int(claim.Start), End: int(claim.End)}
		of := figures.of(claim.First, claim.Last)
		for sample := range c.sampleCount {
			at := slices.IndexFunc(windows, func(w deep.Window) bool { return w.Source == sample })
			var place deep.Window
			if at >= 0 {
				place = windows[at]
			}
			if c.work.Ended() != "" {
				return
			}
			if figures.missing(of, sample, place) == 0 && place.Share >= containsAt {
				a.Share++
			}
		}
		a.Share /= float64(c.sampleCount)
		c.claims = append(c.claims, a)
		c.figures = append(c.figures, of...)
	}
}

func (c *comparison) result() Measurement {
	out := Measurement{Samples: c.sampleCount, Original: c.original, Short: c.short, Embedded: c.embedded, Claims: len(c.claims)}
	for i := range c.claims {
		out.ClaimSupport += c.claims[i].Share / float64(len(c.claims))
		if c.claims[i].Share >= agreedShare {
			out.Agreed++
		}
	}
	return out
}

var errVectors = errors.New("the embedder must return one non-zero vector per text, all of one length")

// embed replaces the similarities by cosines of the texts' embeddings.
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
	c.embedded, c.original = true, 0
	for _, v := range vectors[1:] {
		c.original += cosineSimilarity(vectors[0], v) / float64(len(texts))
	}
	return used, nil
}

// cosineSimilarity returns 0 for negative cosines, zero vectors and vectors with NaN.
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

// wordBag holds the distinct words of a text, by stem.
type wordBag struct {
	stems   map[uint64]bool
	tokens  int
	letters string // letters and digits in lower case, so that "J.R.R." equals "J. R. R."
}

// wordsOf leaves stop words out, unless all is set or the text has no other words: "I" may be the whole answer to a question
// for a symbol.
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

// dice returns the Dice coefficient of the words (Dice, 1945); 1 for equal texts, also for texts without words.
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
