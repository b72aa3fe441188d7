package detectors

import (
	"slices"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// Costs of reading figures, in units of [Work].
const (
	figureCost     = 8 // of a token that is read for figures
	promptBytes    = 1 // bytes of the prompt a unit
	languageTokens = 4 // tokens a unit whose language is read
)

// Caps on what is read, far above what answers hold: each figure of the answer meets each of the sources.
const (
	maxAnswerFacts   = 256
	maxSourceFigures = 2048
	maxFactPrompt    = 20_000
	minFactPrompt    = 60
)

// figureIndex holds the figures of an answer and of its sources.
type figureIndex struct {
	answer    []figures.Figure
	sources   []sourceFigure
	scratch   []figures.Figure
	foreign   bool // the answer is not English: digits alone can be read
	truncated bool
}

// sourceFigure is a figure of a source. Its tokens are counted among SourceTokens.
type sourceFigure struct {
	figures.Figure
	source, sentence int32
}

// figuresOf is the index of the document, made on first use.
func figuresOf(d *Document) *figureIndex {
	x, fresh := Scratch[figureIndex](d)
	if fresh {
		x.read(d)
	}
	return x
}

func (x *figureIndex) read(d *Document) {
	x.truncated = false
	tokens := d.Tokens()
	d.Work().Spend(len(tokens)*figureCost + len(tokens)/languageTokens)
	english, known := text.English(tokens)
	x.foreign = known && !english
	x.answer = figures.Append(x.answer[:0], d.Answer(), tokens)
	if len(x.answer) > maxAnswerFacts {
		x.answer, x.truncated = x.answer[:maxAnswerFacts], true
	}
	x.readSources(d)
}

// in are the answer's figures in the claim.
func (x *figureIndex) in(c *text.Claim) []figures.Figure {
	first, _ := slices.BinarySearchFunc(x.answer, c.First, func(f figures.Figure, at int32) int { return int(f.First - at) })
	last := first
	for last < len(x.answer) && x.answer[last].First < c.Last {
		last++
	}
	return x.answer[first:last]
}

func (x *figureIndex) readSources(d *Document) {
	x.sources = x.sources[:0]
	tokens, sentences := d.SourceTokens(), d.AllSourceSentences()
	for s := 0; s < len(sentences); {
		source := sentences[s].Source
		last := s
		for last < len(sentences) && sentences[last].Source == source {
			last++
		}
		first := sentences[s].First
		if !d.Work().Spend(last - s + figureCost*int(sentences[last-1].Last-first)) {
			return
		}
		x.scratch = figures.Append(x.scratch[:0], d.Source(int(source)), tokens[first:sentences[last-1].Last])
		for _, f := range x.scratch {
			f.First, f.Last = f.First+first, f.Last+first
			for s < last-1 && sentences[s].Last <= f.First {
				s++
			}
			if len(x.sources) == maxSourceFigures {
				x.truncated = true
				return
			}
			x.sources = append(x.sources, sourceFigure{Figure: f, source: source, sentence: int32(s)})
		}
		s = last
	}
}

// factPrompt holds what was asked.
type factPrompt struct {
	words   []text.Token // their offsets count in their own message
	figures []figures.Figure
}

// promptTells reports a prompt that is long enough to hold what the answer is about.
func promptTells(d *Document) bool { return len(promptOf(d).words) >= minFactPrompt }

// promptOf is the prompt of the document, read on first use.
func promptOf(d *Document) *factPrompt {
	p, fresh := Scratch[factPrompt](d)
	if fresh {
		p.read(d)
	}
	return p
}

func (p *factPrompt) read(d *Document) {
	p.words, p.figures = p.words[:0], p.figures[:0]
	messages := d.Interaction().Messages
	d.Work().Spend(len(messages))
	left := maxFactPrompt
	for i := range messages {
		m := &messages[i]
		if m.Role == "assistant" {
			continue
		}
		s, _ := text.Cut(m.Content, left)
		left -= len(s)
		d.Work().Spend(len(s)/promptBytes + figureCost*len(s)/8)
		first := len(p.words)
		p.words = text.AppendTokens(p.words, s)
		p.figures = figures.Append(p.figures, s, p.words[first:])
	}
}
