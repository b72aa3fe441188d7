package detectors

import (
	"slices"
	"unsafe"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// factKind says what is wrong with a fact of the answer.
type factKind uint8

const (
	factNumber       factKind = iota // a number, amount or measure that neither sources nor prompt hold
	factDate                         // a date, weekday or time of day that they do not hold
	factName                         // a name that they do not hold
	factWeak                         // a figure that they hold, but among other words
	factContradicted                 // a field of a record says otherwise
	factMissing                      // a field of a record is null or not there, and the answer tells what it is
	factKinds        = iota
)

// factFinding is a doubtful fact of the answer.
type factFinding struct {
	claim      int32 // index among Claims
	kind       factKind
	start, end int32   // bytes of the answer
	weight     float32 // 0 to 1: how surely it is a fault

	source                 int32 // index of the source that bears on it, -1 where none is known
	sourceStart, sourceEnd int32
}

// Caps on what is compared, far above what answers hold: each figure of the answer meets each of the sources.
const (
	maxAnswerFacts   = 256
	maxSourceFigures = 2048
	maxFactPrompt    = 20_000
	minFactPrompt    = 60
	maxFragments     = 1024 // sentences too short for a claim, where they are held against records
)

// factIndex holds what the facts of one document were checked with.
type factIndex struct {
	findings  []factFinding
	checked   int // facts that were looked for
	scans     int // of all source words for one word
	fragments int // that were held against records
	work      *Work
	truncated bool
	foreign   bool // not English: digits alone can be read

	answer  []figures.Figure
	sources []sourceFigure
	scratch []figures.Figure
	prompt  []figures.Figure
	words   []text.Token // of the prompt
	notes   []byte
	record  recordIndex

	claim    int32      // the one that is looked at
	fragment text.Claim // scratch: what is too short to be one
}

// sourceFigure is a figure of a source. Its tokens are counted among SourceTokens.
type sourceFigure struct {
	figures.Figure
	source, sentence int32
}

// facts are the doubtful facts of the answer's claims, claim by claim.
func (d *Document) facts() []factFinding {
	if d.make(madeFacts) {
		d.factual.find(d)
	}
	return d.factual.findings
}

// promptTells reports a prompt that is long enough to hold what the answer is about.
func (d *Document) promptTells() bool { return len(d.promptWords()) >= minFactPrompt }

// promptWords are the tokens of what was asked. Their offsets count in their own message.
func (d *Document) promptWords() []text.Token {
	if d.make(madePrompt) {
		d.factual.readPrompt(d)
	}
	return d.factual.words
}

func (x *factIndex) readPrompt(d *Document) {
	x.words, x.prompt = x.words[:0], x.prompt[:0]
	d.Work().Spend(len(d.in.Messages))
	left := maxFactPrompt
	for i := range d.in.Messages {
		m := &d.in.Messages[i]
		if m.Role == "assistant" {
			continue
		}
		s, _ := text.Cut(m.Content, left)
		left -= len(s)
		d.Work().Spend(len(s)/tokenBytes + figureCost*len(s)/8)
		first := len(x.words)
		x.words = text.AppendTokens(x.words, s)
		x.prompt = figures.Append(x.prompt, s, x.words[first:])
	}
}

func (x *factIndex) find(d *Document) {
	x.findings, x.checked, x.scans, x.fragments, x.truncated, x.claim = x.findings[:0], 0, 0, 0, false, -1
	x.work = d.Work()
	x.work.Spend(len(d.Tokens())*figureCost + len(d.Tokens())/englishTokens)
	english, known := text.English(d.Tokens())
	x.foreign = known && !english
	x.answer = figures.Append(x.answer[:0], d.answer, d.Tokens())
	if len(x.answer) > maxAnswerFacts {
		x.answer, x.truncated = x.answer[:maxAnswerFacts], true
	}
	x.readSources(d)
	x.record.read(d)
	end := int32(d.citations().end)
	sentence := int32(0)
	claims := d.Claims()
	for i := range claims {
		c := &claims[i]
		if c.Start >= end || !x.work.Spend(1) {
			break // a list of references
		}
		x.claim = int32(i)
		x.checkFragments(d, sentence, c.Sentence)
		x.checkClaim(d, c)
		sentence = c.Sentence + 1
	}
	if x.claim >= 0 {
		x.checkFragments(d, sentence, int32(len(d.sentences)))
	}
}

func (x *factIndex) checkClaim(d *Document, c *text.Claim) {
	found := x.figuresIn(c)
	first := len(x.findings)
	x.checkFields(d, c, found)
	x.checkFigures(d, c, found, first)
	if !x.foreign {
		x.checkNames(d, c, found)
	}
}

// figuresIn are the answer's figures in the claim.
func (x *factIndex) figuresIn(c *text.Claim) []figures.Figure {
	first, _ := slices.BinarySearchFunc(x.answer, c.First, func(f figures.Figure, at int32) int { return int(f.First - at) })
	last := first
	for last < len(x.answer) && x.answer[last].First < c.Last {
		last++
	}
	return x.answer[first:last]
}

// maxFragment is how many tokens a sentence has at most that is too short to be a claim.
const maxFragment = 8

// checkFragments holds what is no claim against the records: "WiFi: free", "Good for groups: no".
func (x *factIndex) checkFragments(d *Document, first, last int32) {
	for i := first; i < last && len(x.record.fields) > 0; i++ {
		r := d.ranges[i]
		if !x.work.Spend(1) {
			return
		}
		if n := r.Len(); n < 2 || n > maxFragment {
			continue
		}
		if x.fragments++; x.fragments > maxFragments {
			x.truncated = true
			return
		}
		c := &x.fragment
		*c = text.Claim{Sentence: i, Start: d.sentences[i].Start, End: d.sentences[i].End, First: r.First, Last: r.Last}
		x.checkFields(d, c, x.figuresIn(c))
	}
}

func (x *factIndex) readSources(d *Document) {
	x.sources = x.sources[:0]
	tokens, sentences := d.SourceTokens(), d.AllSourceSentences()
	for s := 0; s < len(sentences); {
		source := sentences[s].Source
		last := s
		for last < len(sentences) && sentences[last].Source == source {
			last++
		}
		first := sentences[s].First
		if !x.work.Spend(last - s + figureCost*int(sentences[last-1].Last-first)) {
			return
		}
		x.scratch = figures.Append(x.scratch[:0], d.sources[source], tokens[first:sentences[last-1].Last])
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

// add notes a doubtful fact.
func (x *factIndex) add(f factFinding) {
	f.claim = x.claim
	x.findings = append(x.findings, f)
}

// note joins the parts in storage of the document.
func (d *Document) note(parts ...string) string {
	x := &d.factual
	first := len(x.notes)
	for _, p := range parts {
		x.notes = append(x.notes, p...)
	}
	if first == len(x.notes) {
		return ""
	}
	return unsafe.String(&x.notes[first], len(x.notes)-first) //nolint:gosec // a view of bytes that the document owns, like all of a finding
}
