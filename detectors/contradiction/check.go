package contradiction

import (
	"math/bits"
	"unsafe"

	"confab/detectors"
	"confab/detectors/support"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
)

// Finding is one claim that contradicts a source, or a sentence that contradicts an earlier one of the answer.
type Finding struct {
	Kind       Kind
	Start, End int // bytes of the answer: the claim
	// Source is the index of the source, -1 for the answer itself; the sentence in it that says otherwise, and its words to
	// quote, are bytes of its text.
	Source                 int
	SourceStart, SourceEnd int
	QuoteStart, QuoteEnd   int
}

// Weight is the share of such findings that were right, at as many faulty as good claims.
func (f *Finding) Weight() float64 { return kindWeights[f.Kind] }

// kindWeights by kind.
//
//nolint:gochecknoglobals // a read-only table
var kindWeights = [kinds]float64{Negation: 0.85, Opposite: 0.8, Roles: 0.8, Obligation: 0.8, Quantity: 0.8, Figures: 0.8}

// Shares of the words of a part that the sentence must have: alone, or together with the rest of the window.
const (
	leastCoverage  = 0.75
	leastPartial   = 0.55
	windowCoverage = 0.9
	leastMatches   = 2
)

// maxTokens is the largest claim or sentence that is compared, in tokens.
const maxTokens = 256

// Units of [detectors.Work] per token.
const tokenCost = 2

// Check compares claims with the windows of the sources. It is kept for each document.
type Check struct {
	comparison
	best     [maxParts]partResult
	parts    int // of the claim
	notes    []byte
	outlines [2]outline // of a claim and a sentence

	signatures [maxSentences]uint64
	later      int  // the sentence whose words WithinAnswer has read as the claim, 0 for none
	states     bool // it asserts something itself
}

// maxParts is the maximum of compared parts of a claim.
const maxParts = 8

// partResult is the sentence that has most words of a part.
type partResult struct {
	matches int
	content int
	held    uint64 // words that the window has
	changed bool
	equal   bool
	finding Finding
}

// Of returns the check of the document.
func Of(d *detectors.Document) *Check {
	x, fresh := detectors.Scratch[Check](d)
	if fresh {
		x.notes = x.notes[:0]
	}
	return x
}

// Claim is a claim of the answer with its best window.
type Claim struct {
	*textclaims.Claim
	Window    *support.Window
	Sentences uint8 // of the window to compare, by bit; 0 for all
	Turned    bool  // its words may be in another order than in the sources
	Denied    bool  // the window has a negation or an opposite that the claim lacks
}

// compares reports whether the claim is compared with the sentence of its window.
func (c *Claim) compares(sentence int32) bool {
	return c.Sentences == 0 || c.Sentences>>(sentence-c.Window.First)&1 != 0
}

// InClaim compares the claim with the sentences of its window, in English texts. ok is false if it contradicts none.
func (x *Check) InClaim(d *detectors.Document, c Claim) (found Finding, ok bool) {
	tokens := d.Tokens()
	x.parts = 0
	if n := c.Last - c.First; n <= 0 || n > maxTokens || c.Window.Last == 0 {
		return Finding{}, false
	}
	if tokens[c.First].Kind == text.Gram || d.MatchMode() == text.Foreign {
		return Finding{}, false
	}
	if !d.Work().Spend(tokenCost*int(c.Last-c.First)) || !x.isCandidate(d, &c) {
		return Finding{}, false
	}
	x.within = false
	x.claim.readTokens(d.Answer(), tokens, c.First, c.Last)
	clear(x.best[:])
	for s := c.Window.First; s < c.Window.Last; s++ {
		if c.compares(s) && !x.compareSentence(d, &d.AllSourceSentences()[s]) {
			return Finding{}, false
		}
	}
	return x.firstFinding(&c)
}

// firstFinding is the first part of the claim that contradicts its sentence.
func (x *Check) firstFinding(c *Claim) (found Finding, ok bool) {
	for i := range x.best {
		if x.best[i].counts() {
			found = x.best[i].finding
			found.Start, found.End = int(c.Start), int(c.End)
			return found, true
		}
	}
	return Finding{}, false
}

// compareSentence compares the parts of the claim with a sentence of a source, unless it is long, a line of a record or a
// question. It returns false if the work has ended.
func (x *Check) compareSentence(d *detectors.Document, s *detectors.SourceSentence) bool {
	source := d.Source(int(s.Source))
	if s.Last-s.First > maxTokens || source[s.Start] == '"' || source[s.Start] == '{' || source[s.End-1] == '?' {
		return true
	}
	if !d.Work().Spend(tokenCost * int(s.Last-s.First)) {
		return false
	}
	x.source.readTokens(source, d.SourceTokens(), s.First, s.Last)
	x.compareParts(d, s)
	return true
}

// Reworded reports whether the claim of the last InClaim says what one sentence of the source says, with two changes that
// cancel out: "is not required" for "is optional", "A bought it from B" for "B sold it to A".
func (x *Check) Reworded() bool {
	return x.best[0].equal && x.best[0].content == x.content && x.parts == 1
}

// counts reports a change in a part of which the sentence has enough words.
func (r *partResult) counts() bool {
	n := float64(r.content)
	matches, held := float64(r.matches), float64(bits.OnesCount64(r.held))
	return r.changed && (matches >= leastCoverage*n || matches >= leastPartial*n && held >= windowCoverage*n)
}

// isCandidate reports whether the claim may contradict a sentence of its window.
func (x *Check) isCandidate(d *detectors.Document, c *Claim) bool {
	claim, sentence := &x.outlines[0], &x.outlines[1]
	if !c.Turned {
		claim.readTokens(d.Answer(), d.Tokens(), c.First, c.Last)
		if claim.isPlain() && !c.Denied {
			return false
		}
	}
	sentences := d.AllSourceSentences()
	for i := c.Window.First; i < c.Window.Last; i++ {
		s := &sentences[i]
		if !c.compares(i) || s.Last-s.First > maxTokens {
			continue
		}
		d.Work().Spend(int(s.Last-s.First) / detectors.ScanRows)
		if c.Turned {
			return true
		}
		sentence.readTokens(d.Source(int(s.Source)), d.SourceTokens(), s.First, s.Last)
		if claim.mayContradict(sentence) {
			return true
		}
	}
	return false
}

// compareParts compares each part of the claim with the loaded sentence.
func (x *Check) compareParts(d *detectors.Document, s *detectors.SourceSentence) {
	d.Work().Spend(len(x.claim.words) * len(x.source.words) / detectors.ScanRows)
	x.alignWords()
	for part, from := 0, 0; part < maxParts && from < len(x.claim.words); part++ {
		x.selectPart(from, x.claim.nextPart(from))
		from, x.parts = x.last, part+1
		best := &x.best[part]
		best.held |= x.held
		if x.matches < max(best.matches, leastMatches) {
			continue
		}
		change, ok := x.findChange()
		if x.matches == best.matches && (ok || !best.changed) {
			continue // a sentence with as many words that agrees is preferred
		}
		best.matches, best.content, best.changed, best.equal = x.matches, x.content, ok, x.equal
		if !ok {
			continue
		}
		best.finding = Finding{
			Kind: change.kind, Source: int(s.Source), SourceStart: int(s.Start), SourceEnd: int(s.End),
		}
		x.setQuote(&best.finding, change)
	}
}

// Limits of a quote, in tokens and words.
const (
	quotedBefore = 3
	quotedAround = 3
)

// setQuote chooses the words of the sentence to show.
func (x *Check) setQuote(f *Finding, k change) {
	w := &x.source.words[k.other]
	first, last := w.token, w.token
	switch {
	case k.kind == Roles:
		first = x.source.words[max(0, k.other-quotedAround)].token
		last = x.source.words[min(len(x.source.words)-1, k.other+quotedAround)].token
	case w.denial >= 0:
		first = w.denial
	case w.before != 0 && k.other > 0:
		first = max(x.source.words[k.other-1].token+1, w.token-quotedBefore)
	}
	f.QuoteStart, f.QuoteEnd = int(x.source.tokens[first].Start), int(x.source.tokens[last].End)
}

// Evidence pairs the finding with the sentence that says otherwise. Its note quotes the words.
func (x *Check) Evidence(d *detectors.Document, f *Finding) detectors.Evidence {
	e := detectors.Evidence{Start: f.Start, End: f.End, Source: f.Source, SourceStart: f.SourceStart, SourceEnd: f.SourceEnd}
	if f.Source < 0 {
		e.Note = x.join("the answer also says \"", d.Answer()[f.QuoteStart:f.QuoteEnd], "\"")
		return e
	}
	e.Says = d.Source(f.Source)[f.QuoteStart:f.QuoteEnd]
	e.Note = x.join("the source says \"", e.Says, "\"")
	return e
}

// join joins the parts in the buffer.
func (x *Check) join(parts ...string) string {
	first := len(x.notes)
	for _, p := range parts {
		x.notes = append(x.notes, p...)
	}
	return unsafe.String(&x.notes[first], len(x.notes)-first) //nolint:gosec // a view of bytes that are valid until the next Reset, like the finding
}
