package detectors

import (
	"confab/internal/text"
	"confab/internal/text/units"
	"confab/schemas"
)

// Document is one interaction prepared once for all detectors. Each part is made on first use and kept until Reset. Storage
// is reused, so that a pooled document allocates nothing in the steady state. What its methods return is read-only and
// valid until the next Reset. It is not safe for concurrent use.
type Document struct {
	in      *schemas.Interaction
	limits  Limits
	raw     string // the answer, cut
	answer  string // without reasoning
	prose   string // without code
	text    string // without markup
	sources []string
	sizes   []textSize // of the sources; empty if every text is within the limits
	cut     cutPart
	made    documentPart
	work    Work
	shared  *Work // charged instead of work if the document belongs to another document's evaluation

	tokenizer text.Tokenizer
	sentences []text.Span
	tokens    []text.Token
	ranges    []text.Range
	units     units.List
	claims    []Claim

	sentenceSpans   []text.Span // scratch: sentences of one source
	sourceSentences []SourceSentence
	sourceTokens    []text.Token
	sourceStarts    []int32 // by source: its first token; then the number of tokens
	comparable      bool
	matchMode       text.MatchMode
	language        text.Language

	explain  bool          // flags carry the evidence of clear signals, too
	attached any           // see [Suite.EvaluateWith]
	scratch  []scratchSlot // one for each type; see Scratch
	resets   uint64        // number of interactions so far

	measures []Measure
	evidence []Evidence
	supports []Support
}

// documentPart is a set of the parts that have been made.
type documentPart uint16

const (
	madeSentences documentPart = 1 << iota
	madeTokens
	madeUnits
	madeClaims
	madeSources
	madeComparable
	madeAnswer
	madeProse
	madeText
)

// SourceSentence is one sentence of a source.
type SourceSentence struct {
	Source      int32 // index into the interaction's sources
	Start, End  int32 // bytes of that source's text
	First, Last int32 // its tokens among SourceTokens, half open
}

// SetLimits sets the limits of the interactions from the next Reset on.
func (d *Document) SetLimits(l Limits) { d.limits = l }

// Reset makes the document describe another interaction. The interaction must not change until the next Reset.
func (d *Document) Reset(in *schemas.Interaction) {
	d.in, d.made, d.cut = in, 0, 0
	d.work, d.shared, d.attached = Work{}, nil, nil
	d.measures, d.evidence, d.supports = d.measures[:0], d.evidence[:0], d.supports[:0]
	d.sources, d.sizes = d.sources[:0], d.sizes[:0]
	d.resets++
	d.raw, d.answer, d.prose, d.text = "", "", "", ""
	if in != nil {
		d.cutTexts(in)
	}
}

// discard drops everything that was made of the interaction, so that it is made again on its next use. A detector that panics
// may leave shared parts half made, also for later interactions.
func (d *Document) discard() {
	d.made, d.scratch, d.tokenizer = 0, nil, text.Tokenizer{}
}

// ResetWithin is Reset for a document inside another evaluation: its cost is charged to work.
func (d *Document) ResetWithin(in *schemas.Interaction, work *Work) {
	d.Reset(in)
	d.shared = work
	work.Spend(int(d.work.spent))
}

// Attached is what the evaluation was called with; nil for nothing.
func (d *Document) Attached() any { return d.attached }

// Explains reports whether the evidence of a clear signal is shown, so that a detector may give all of it.
func (d *Document) Explains() bool { return d.explain }

// beginPart marks the part as made and reports whether it was not made before.
func (d *Document) beginPart(p documentPart) bool {
	missing := d.made&p == 0
	d.made |= p
	return missing
}

// Interaction is the described interaction. Its texts may be longer than Answer and Source, which are cut to the caps.
func (d *Document) Interaction() *schemas.Interaction { return d.in }

// Work is the counter that detectors charge.
func (d *Document) Work() *Work {
	if d.shared != nil {
		return d.shared
	}
	return &d.work
}

// Truncated reports whether a cap has cut anything that was used so far.
func (d *Document) Truncated() bool { return d.cut != 0 }

// Sentences are the sentences of the answer.
func (d *Document) Sentences() []text.Span {
	if d.beginPart(madeSentences) {
		d.Work().Spend(len(d.raw) / sentenceBytes)
		d.sentences = d.Markers().JoinSentences(text.AppendSentences(d.sentences[:0], d.Text()))
	}
	return d.sentences
}

// Tokens are the tokens of the answer.
func (d *Document) Tokens() []text.Token {
	if d.made&madeTokens == 0 {
		d.makeTokens()
	}
	return d.tokens
}

// Tokenizer reads texts of the interaction. It keeps stems of frequent words from one interaction to the next.
func (d *Document) Tokenizer() *text.Tokenizer {
	d.tokenizer.Keep()
	return &d.tokenizer
}

// SentenceTokens is the range of the i-th sentence's tokens among Tokens.
func (d *Document) SentenceTokens(i int) text.Range {
	d.makeTokens()
	return d.ranges[i]
}

func (d *Document) makeTokens() {
	if d.beginPart(madeTokens) {
		d.Work().Spend(len(d.raw) / tokenBytes)
		d.tokens = d.Tokenizer().Append(d.tokens[:0], d.Text())
		d.Markers().FlagTokens(d.tokens)
		d.ranges = text.AppendTokenRanges(d.ranges[:0], d.Sentences(), d.tokens)
	}
}

// Uncheckable is the reason why the answer cannot be compared with the sources: [ReasonNoSources], [ReasonNoClaims] or [ReasonAbstains] (nothing
// of [Document.JudgedKinds]) or [ReasonLanguage]; "" if it can.
func (d *Document) Uncheckable() string {
	switch {
	case len(d.AllSourceSentences()) == 0:
		return ReasonNoSources
	case !d.hasJudged() && d.units.Has(units.Abstention):
		return ReasonAbstains
	case !d.hasJudged():
		return ReasonNoClaims
	case !d.Comparable():
		return ReasonLanguage
	default:
		return ""
	}
}

// Sources is the number of sources that are measured.
func (d *Document) Sources() int { return len(d.sources) }

// Source is the text of the i-th source, cut to the caps.
func (d *Document) Source(i int) string { return d.sources[i] }

// AllSourceSentences are the sentences of all sources, in order.
func (d *Document) AllSourceSentences() []SourceSentence {
	d.makeSources()
	return d.sourceSentences
}

// SourceTokens are the tokens of all sources, in order. Offsets count in the token's own source.
func (d *Document) SourceTokens() []text.Token {
	d.makeSources()
	return d.sourceTokens
}
