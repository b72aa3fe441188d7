package figureindex

import (
	"slices"
	"sort"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

// Costs of reading figures, in units of [detectors.Work].
const (
	figureCost  = 8 // per token
	promptBytes = 1 // bytes of the prompt per unit
)

// Caps, far above usual answers. Each figure of the answer is compared with each figure of the sources: an answer with fewer
// figures has more of the sources read, so that the comparisons are at most maxComparisons.
const (
	maxAnswerFacts   = 256
	maxSourceFigures = 4096
	maxComparisons   = 2048 * maxAnswerFacts
	maxFactPrompt    = 40_000
	minLongPrompt    = 60
)

// Index holds the figures of an answer and of its sources.
type Index struct {
	Answer  []figures.Figure
	Sources []SourceFigure
	bases   []answerBasis // by figure of the answer, filled on demand
	scratch []figures.Figure

	wholes         [maxDepth + 1]figures.Figure // scratch, by depth
	parts          int                          // words for parts that were compared
	derivations    int                          // figures for which calculations were searched
	derivationWork int                          // units spent on them
	Foreign        bool                         // the answer is not English: only digits can be read
	Truncated      bool
	// SourcesTruncated reports that the sources have more figures than were read.
	SourcesTruncated bool
}

// SourceFigure is a figure of a source. Its token range counts in SourceTokens.
type SourceFigure struct {
	figures.Figure
	Source, Sentence int32
	local            bool // its source has a decimal comma
}

// Of returns the index of the document, built on first use.
func Of(d *detectors.Document) *Index {
	x, fresh := detectors.Scratch[Index](d)
	if fresh {
		x.read(d)
	}
	return x
}

func (x *Index) read(d *detectors.Document) {
	x.Truncated, x.SourcesTruncated = false, false
	tokens := d.Tokens()
	d.Work().Spend(len(tokens) * figureCost)
	x.Foreign = d.Language().IsForeign()
	if d.UnreadStatements() == 0 {
		x.Answer = figures.AppendFirst(x.Answer[:0], d.Text(), tokens, maxAnswerFacts)
	} else {
		x.Answer = onlyOfClaims(figures.Append(x.Answer[:0], d.Text(), tokens), d.Claims())
	}
	if d.Language() == text.EnglishLanguage {
		x.Answer = slices.DeleteFunc(x.Answer, isForeign)
	}
	if len(x.Answer) > maxAnswerFacts {
		x.Answer, x.Truncated = x.Answer[:maxAnswerFacts], true
	}
	x.derivations, x.derivationWork, x.parts = 0, 0, 0
	x.bases = x.bases[:0]
	x.readSources(d)
	x.readLocally(d, d.Language() == text.EnglishLanguage)
}

// onlyOfClaims keeps the figures in one of the claims. Both are in the order of the answer.
func onlyOfClaims(list []figures.Figure, claims []textclaims.Claim) []figures.Figure {
	return slices.DeleteFunc(list, func(f figures.Figure) bool {
		for len(claims) > 0 && claims[0].Last <= f.First {
			claims = claims[1:]
		}
		return len(claims) == 0 || f.First < claims[0].First
	})
}

// readLocally reads 1.100 as eleven hundred where the text is in a language that writes so: it is not known to be English, or
// has a decimal comma. An answer in English may have sources that are not.
func (x *Index) readLocally(d *detectors.Document, english bool) {
	isLocal := func(s SourceFigure) bool { return s.local }
	local := hasDecimalComma(d.Text(), x.Answer)
	if !english {
		local = local || x.Foreign || d.MatchMode() == text.Foreign || slices.ContainsFunc(x.Sources, isLocal)
	}
	if local {
		for i := range x.Answer {
			swapReadings(&x.Answer[i])
		}
	}
	for i := range x.Sources {
		if s := &x.Sources[i]; s.local || local && !english {
			swapReadings(&s.Figure)
		}
	}
}

// hasDecimalComma reports a number with one or two digits after a comma: 4,50.
func hasDecimalComma(s string, list []figures.Figure) bool {
	for i := range list {
		f := &list[i]
		if f.Decimals < 1 || f.Decimals > 2 || f.Spelled || f.Alternative != 0 {
			continue
		}
		if end := int(f.Start) + len("000.000.000,00"); strings.IndexByte(s[f.Start:min(int(f.End), end)], ',') >= 0 && strings.IndexByte(s[f.Start:min(int(f.End), end)], '.') < 0 {
			return true
		}
	}
	return false
}

// swapReadings reads 1.100 as eleven hundred and 1,100 as a fraction.
func swapReadings(f *figures.Figure) {
	if f.Alternative != 0 && !f.Scaled {
		f.Value, f.Alternative = f.Alternative, f.Value
		f.Decimals = 3 - f.Decimals
	}
}

// isForeign reports a figure in words of another language: "once" and "elf" are English words too.
func isForeign(f figures.Figure) bool { return f.Foreign }

// InClaim returns the answer's figures in the claim.
func (x *Index) InClaim(c *textclaims.Claim) []figures.Figure {
	first := x.firstFrom(c.First)
	last := first
	for last < len(x.Answer) && x.Answer[last].First < c.Last {
		last++
	}
	return x.Answer[first:last]
}

// firstFrom is the index of the answer's first figure that starts with the token or later.
func (x *Index) firstFrom(token int32) int {
	return sort.Search(len(x.Answer), func(i int) bool { return x.Answer[i].First >= token })
}

func (x *Index) readSources(d *detectors.Document) {
	x.Sources = x.Sources[:0]
	tokens, sentences := d.SourceTokens(), d.AllSourceSentences()
	limit := min(maxSourceFigures, maxComparisons/max(1, len(x.Answer)))
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
		local := hasDecimalComma(d.Source(int(source)), x.scratch)
		for _, f := range x.scratch {
			f.First, f.Last = f.First+first, f.Last+first
			for s < last-1 && sentences[s].Last <= f.First {
				s++
			}
			if len(x.Sources) == limit {
				x.Truncated, x.SourcesTruncated = true, true
				return
			}
			x.Sources = append(x.Sources, SourceFigure{Figure: f, Source: source, Sentence: int32(s), local: local})
		}
		s = last
	}
}

// Prompt is the text of the messages that are not from the assistant, without the sources in them.
type Prompt struct {
	Words     []text.Token // offsets count in the word's own message
	Figures   []figures.Figure
	Truncated bool // it is longer than what was read
}

// PromptIsLong reports a prompt that is long enough to contain the facts of the answer.
func PromptIsLong(d *detectors.Document) bool { return len(PromptOf(d).Words) >= minLongPrompt }

// PromptOf returns the prompt of the document, read on first use.
func PromptOf(d *detectors.Document) *Prompt {
	p, fresh := detectors.Scratch[Prompt](d)
	if fresh {
		p.read(d)
	}
	return p
}

func (p *Prompt) read(d *detectors.Document) {
	p.Words, p.Figures, p.Truncated = p.Words[:0], p.Figures[:0], false
	messages := d.Interaction().Messages
	d.Work().Spend(len(messages))
	left := maxFactPrompt
	for i := range messages {
		m := &messages[i]
		if m.Role == "assistant" {
			continue
		}
		before, after := m.Instructions()
		left = p.readPart(d, before, left)
		left = p.readPart(d, after, left)
	}
}

// readPart reads at most left bytes and returns how many are left.
func (p *Prompt) readPart(d *detectors.Document, part string, left int) int {
	s, cut := text.Cut(part, left)
	p.Truncated = p.Truncated || cut
	d.Work().Spend(len(s)/promptBytes + figureCost*len(s)/8)
	first := len(p.Words)
	p.Words = d.Tokenizer().Append(p.Words, s)
	p.Figures = figures.Append(p.Figures, s, p.Words[first:])
	return left - len(s)
}
