package figureindex

import (
	"math"
	"strings"

	"confab/detectors"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// exampleReach is how many tokens before a figure may say that it is an example.
const exampleReach = 10

//nolint:gochecknoglobals,misspell // read-only tables, not only English
var (
	exampleWords = wordSet("example e.g suppose supposing assume assuming beispiel beispielsweise angenommen ejemplo supongamos exemple supposons 例如 比如 假设")
	factorWords  = wordSet("times fold x mal fache fachen veces fois 倍")
)

// isGiven reports an operand that needs no source: a figure of the prompt, or an amount that the answer assumes ("for example,
// if your rate is $20").
func (x *Index) isGiven(d *detectors.Document, f *figures.Figure) bool {
	if !isAmount(f) || isBare(f) && f.Value < minChanceFree {
		return false
	}
	prompt := PromptOf(d).Figures
	d.Work().Spend(2 * len(prompt))
	for i := range prompt {
		if figurematch.Compare(f, &prompt[i]) >= figurematch.Rounded {
			return true
		}
	}
	tokens := d.Tokens()
	for t := f.First - 1; t >= max(0, f.First-exampleReach); t-- {
		if exampleWords.Has(tokens[t].Hash) {
			return f.Kind == figures.Money || f.Unit.Dimension != figures.None
		}
	}
	return false
}

// supportedNear lists the supported figures near f in the answer.
func (c *calculation) supportedNear() (near [2 * answerReach]int, n int) {
	x := c.x
	for k := c.nearFirst(); k < c.nearEnd(); k++ {
		if k == c.index || !c.isNear(&x.Answer[k]) {
			continue
		}
		if b := x.basisOf(c.d, k, c.depth+1); b.basis >= basisStated {
			near[n] = k
			n++
		}
	}
	return near, n
}

// withSources combines an operand of the answer with source figures: near the sentence of it, or any if it needs no source.
func (c *calculation) withSources(a operand, sentence int32) bool {
	if sentence < 0 {
		return c.fromGiven(a)
	}
	if !c.withSource(a, sentence) {
		return false
	}
	c.sentence = sentence
	return true
}

// fromGiven combines an operand of no source with any figure of the sources, in a sentence with a word of the answer's.
func (c *calculation) fromGiven(a operand) bool {
	list, tokens := c.x.Sources, c.sourceTokens()
	for i := range list {
		if !c.spend(pairCost) {
			return false
		}
		b := operand{&list[i].Figure, tokens}
		if (c.combine(a, b, neighbors) || c.isMultiple(a, b)) && c.sharesWords(list[i].Sentence) {
			c.sentence = list[i].Sentence
			return true
		}
	}
	return false
}

// isMultiple reports f as 1.5 times a, if the source's number n is said to be a factor.
func (c *calculation) isMultiple(a, n operand) bool {
	return sameMeasure(c.f, a.Figure) && isFactorNumber(n) && fitsRounded(c.f, baseValue(a.Figure)*n.Value)
}

// isFactorNumber reports a number before "times" and the like.
func isFactorNumber(n operand) bool {
	return isBare(n.Figure) && n.Value > 0 && n.Value <= maxMultiplier && int(n.Last) < len(n.tokens.tokens) && factorWords.Has(n.tokens.tokens[n.Last].Hash)
}

// fromCount reports an amount of the sources times a small number of the answer that needs no source: three loaves at 4.20,
// four days at 25 cents a day, two adults at 9 and two children at 4.
func (c *calculation) fromCount() bool {
	if !c.isTotalOf() {
		return false
	}
	var before *figures.Figure
	for k := c.nearFirst(); k < c.nearEnd(); k++ {
		n := &c.x.Answer[k]
		if k == c.index || !c.isSmallCount(n) || !c.isNear(n) {
			continue
		}
		if c.timesSource(n) || before != nil && c.sumsTwo(before, n) {
			return true
		}
		before = n
	}
	return false
}

// isTotalOf reports an amount that may be a price times a number.
func (c *calculation) isTotalOf() bool {
	f := c.f
	return f.Kind == figures.Money || f.Kind == figures.Count && f.Unit.Dimension != figures.None && c.cues&cueTotal != 0
}

// Range of the answer's figures near f.
func (c *calculation) nearFirst() int { return max(0, c.index-answerReach) }
func (c *calculation) nearEnd() int   { return min(len(c.x.Answer), c.index+answerReach+1) }

func (c *calculation) isNear(g *figures.Figure) bool {
	return g.First-c.f.Last <= answerTokens && c.f.First-g.Last <= answerTokens
}

// maxAssumed is the largest number that an answer assumes in an example.
const maxAssumed = 31

// isSmallCount reports a number of things, or of units of time.
func (c *calculation) isSmallCount(f *figures.Figure) bool {
	if f.Kind != figures.Count || f.Value < 2 || f.Value > maxAssumed || f.Value != math.Trunc(f.Value) {
		return false
	}
	if f.Unit.Dimension != figures.None {
		return f.Unit.Dimension == figures.Duration || f.Unit.Dimension == figures.Calendar
	}
	after := strings.TrimLeft(c.d.Answer()[f.End:min(len(c.d.Answer()), int(f.End)+4)], " ")
	return f.Counts || f.Spelled || strings.HasPrefix(after, "×") || strings.HasPrefix(after, "x ")
}

// timesSource finds the source's amount whose n-fold is f. A number of days needs an amount a day.
func (c *calculation) timesSource(n *figures.Figure) bool {
	list := c.x.Sources
	for i := range list {
		if !c.spend(2) {
			return false
		}
		s := &list[i]
		if !sameMeasure(c.f, &s.Figure) {
			continue
		}
		fits := n.Unit.Dimension == figures.None && fitsExactly(c.f, n.Value*baseValue(&s.Figure)) ||
			n.Unit.Dimension != figures.None && c.priced(operand{&s.Figure, c.sourceTokens()}, operand{n, c.answerTokens()})
		if fits && c.sharesWords(s.Sentence) {
			c.sentence = s.Sentence
			return true
		}
	}
	return false
}

// sumsTwo reports n times an amount of the sources and m times the next one.
func (c *calculation) sumsTwo(n, m *figures.Figure) bool {
	list := c.x.Sources
	if n.Unit.Dimension != figures.None || m.Unit.Dimension != figures.None {
		return false
	}
	for i := range list {
		a := &list[i]
		if !sameMeasure(c.f, &a.Figure) {
			continue
		}
		for k := i + 1; k < len(list) && k <= i+2 && c.spend(2); k++ {
			b := &list[k]
			if b.Sentence == a.Sentence && c.fitsBoth(n, m, &a.Figure, &b.Figure) && c.sharesWords(a.Sentence) {
				c.sentence = a.Sentence
				return true
			}
		}
	}
	return false
}

// fitsBoth reports n times a and m times b, or the other way round.
func (c *calculation) fitsBoth(n, m, a, b *figures.Figure) bool {
	va, vb := baseValue(a), baseValue(b)
	return sameMeasure(c.f, b) && (fitsExactly(c.f, n.Value*va+m.Value*vb) || fitsExactly(c.f, m.Value*va+n.Value*vb))
}

// isAssumed reports a small number of the answer of which an amount nearby is a multiple, such as "three" in "three loaves cost
// £12.60": it needs no source.
func (c *calculation) isAssumed() bool {
	if !c.isSmallCount(c.f) {
		return false
	}
	for k := c.nearFirst(); k < c.nearEnd(); k++ {
		g := &c.x.Answer[k]
		if k == c.index || g.Kind != figures.Money || !c.isNear(g) {
			continue
		}
		whole := calculation{x: c.x, d: c.d, f: g, index: k, depth: c.depth, sentence: -1}
		if whole.timesSource(c.f) || whole.isSumWith(c.f) {
			c.sentence = whole.sentence
			return true
		}
	}
	return false
}

// isSumWith reports f as a sum of two amounts times two numbers, one of which is n.
func (c *calculation) isSumWith(n *figures.Figure) bool {
	for k := c.nearFirst(); k < c.nearEnd(); k++ {
		if m := &c.x.Answer[k]; m != n && k != c.index && c.isSmallCount(m) && c.sumsTwo(n, m) {
			return true
		}
	}
	return false
}

// unitReach is how many tokens before a number may hold its unit: "timeout (seconds, default 30)", "total_cents": 7495.
const unitReach = 3

// hasUnitBefore reports f as the source's bare number in the unit that stands before it.
func (c *calculation) hasUnitBefore(s *SourceFigure) bool {
	f, tokens := c.f, c.d.SourceTokens()
	if !isBare(&s.Figure) || f.Kind == figures.Percent || isBare(f) && f.Decimals != 2 {
		return false
	}
	for t := s.First - 1; t >= max(0, s.First-unitReach); t-- {
		if u, ok := figures.UnitNamed(&tokens[t]); ok {
			same := u.Dimension == f.Unit.Dimension || isBare(f) && u.Factor == 0.01
			return same && fitsExactly(f, s.Value*u.Factor)
		}
	}
	return false
}

// identityReach is how many tokens around a figure may name the unit that it explains.
const identityReach = 5

// isIdentity reports a figure that says how large a unit is: "a tonne is 1,000 kilograms".
func (c *calculation) isIdentity() bool {
	f := c.f
	if f.Kind != figures.Count || f.Unit.Dimension == figures.None || f.Value <= 1 {
		return false
	}
	near := c.answerTokens().around(f, identityReach)
	for i := range near {
		u, ok := figures.UnitNamed(&near[i])
		if ok && u.Dimension == f.Unit.Dimension && u.Factor > f.Unit.Factor && fitsRounded(f, u.Factor) {
			return true
		}
	}
	return false
}

// namesMultiple reports 200 % where a source sentence with a word of the answer's says "double", 50 % for "half".
func (c *calculation) namesMultiple() bool {
	if c.f.Kind != figures.Percent {
		return false
	}
	sentences := c.d.AllSourceSentences()
	for n := range multiples {
		times, part := fitsExactly(c.f, float64(100*(n+2))), fitsRounded(c.f, 100/float64(n+2))
		for i := range sentences {
			if !times && !part || !c.spend(int(sentences[i].Last-sentences[i].First)) {
				break
			}
			words := c.d.SourceTokens()[sentences[i].First:sentences[i].Last]
			said := times && holdsAny(words, multiples[n]) || part && holdsAny(words, parts[n])
			if said && c.sharesWords(int32(i)) {
				c.sentence = int32(i)
				return true
			}
		}
	}
	return false
}
