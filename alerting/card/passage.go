package card

import (
	"slices"
	"strings"

	"confab/schemas"
)

// groundingDetector is the detector whose evidence without a source means that no source supports the claim.
const groundingDetector = "grounding"

// Run is a piece of text of equal weight.
type Run struct {
	Text   string
	Strong bool // the words that are in question
}

// Passage is what an answer states and what its source says, in lines.
type Passage []Run

// String returns the text without its weights.
func (p Passage) String() string {
	var b strings.Builder
	for _, r := range p {
		b.WriteString(r.Text)
	}
	return b.String()
}

// addLine adds a line of runs without empty ones.
func (p Passage) addLine(runs ...Run) Passage {
	runs = slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Text == "" })
	if len(p) > 0 && len(runs) > 0 {
		p = append(p, Run{Text: "\n"})
	}
	return append(p, runs...)
}

// placed is a passage with the evidence that it shows.
type placed struct {
	signal   *schemas.Signal
	evidence *schemas.Evidence // nil: the signal has none
}

// hasSource reports whether the evidence says what the source has.
func (p placed) hasSource() bool {
	return p.evidence != nil && (p.evidence.SourceExcerpt != "" || p.evidence.SourceSays != "")
}

// overlaps reports whether both show the same words of the answer.
func (p placed) overlaps(q placed) bool {
	a, b := p.evidence, q.evidence
	return a != nil && b != nil && a.Start >= 0 && b.Start >= 0 && a.Start < b.End && b.Start < a.End
}

// evidencePassages returns the worst evidence of every incident, then the second worst, up to maxEvidence. A digest names the
// incidents that they are of: their ids are nowhere else in it.
func evidencePassages(alert *schemas.Alert, opts RenderOptions) (out []Passage) {
	flags := shownFlags(alert)
	for round := range maxEvidence {
		for _, f := range flags {
			passages := flagPassages(f, !opts.HideExcerpts)
			if round >= len(passages) || len(out) == maxEvidence {
				continue
			}
			if alert.Kind == schemas.AlertDigest {
				passages[round] = passages[round].addLine(Run{Text: incidentName(f)})
			}
			out = append(out, passages[round])
		}
	}
	return out
}

// flagPassages returns the passages of an incident. The question stands above the first.
func flagPassages(f *schemas.Flag, excerpts bool) []Passage {
	chosen := chooseEvidence(f)
	out := make([]Passage, 0, len(chosen))
	for i, p := range chosen {
		var text Passage
		if question := cleanRedacted(f.Question, maxQuestion); i == 0 && excerpts && question != "" {
			text = text.addLine(Run{Text: "Asked: " + question})
		}
		if text = passageLines(text, p, sentenceOf(f, p.evidence), excerpts); len(text) > 0 {
			out = append(out, text)
		}
	}
	return out
}

// chooseEvidence returns the worst evidence of every fired signal, then the second worst, up to maxEvidence. Several
// detectors often mark the same words: one piece is chosen, if possible one with the words of a source. What a judge says is
// first: it has read answer and sources.
func chooseEvidence(f *schemas.Flag) []placed {
	var out []placed
	signals := slices.Clone(f.Signals)
	slices.SortStableFunc(signals, func(a, b schemas.Signal) int { return judgeFirst(&a) - judgeFirst(&b) })
	for round, more := 0, true; more && round < maxEvidence; round++ {
		more = false
		for i := range signals {
			s := &signals[i]
			if s.Outcome != schemas.Fired || round >= max(1, len(s.Evidence)) {
				continue
			}
			more = true
			next := placed{signal: s}
			if len(s.Evidence) > 0 {
				next.evidence = &s.Evidence[round]
			}
			out = addPlaced(out, next)
		}
	}
	return out
}

// About returns the words that a message shows first of a flag, with what the source has instead, "" without words, and what found it.
func About(f *schemas.Flag) (said, found string) {
	chosen := chooseEvidence(f)
	if len(chosen) == 0 {
		return "", strings.Join(f.Fired, " + ")
	}
	if e := chosen[0].evidence; e != nil && e.Excerpt != "" {
		said = "“" + e.Excerpt + "”"
		if says := e.Says(); says != "" {
			said += ", " + e.Speaker() + ": " + says
		}
	}
	return said, signalHeading(chosen[0].signal)
}

// Accused returns what a message shows first of a flag without a judge, which speaks later than the others and in other words: the
// signal, and its evidence, nil if it has none. Without such a signal it is what the judge says.
func Accused(f *schemas.Flag) (*schemas.Signal, *schemas.Evidence) {
	own := *f
	own.Signals = slices.DeleteFunc(slices.Clone(f.Signals), func(s schemas.Signal) bool { return judgeFirst(&s) == 0 })
	for _, from := range []*schemas.Flag{&own, f} {
		if chosen := chooseEvidence(from); len(chosen) > 0 {
			return chosen[0].signal, chosen[0].evidence
		}
	}
	return nil, nil
}

// judgeFirst orders the signal of a judge before others.
func judgeFirst(s *schemas.Signal) int {
	if s.Detector == schemas.JudgeDetector {
		return 0
	}
	return 1
}

// addPlaced adds a piece unless its words are shown. A piece with a source replaces one without.
func addPlaced(out []placed, next placed) []placed {
	for i := range out {
		if out[i].overlaps(next) {
			if next.hasSource() && !out[i].hasSource() && judgeFirst(out[i].signal) > 0 {
				out[i] = next
			}
			return out
		}
	}
	if len(out) == maxEvidence {
		return out
	}
	return append(out, next)
}

// sentenceOf returns the excerpt of the evidence, or the longest one of the flag that has the same words of the answer in it: a
// figure alone says little.
func sentenceOf(f *schemas.Flag, e *schemas.Evidence) (sentence string) {
	if e == nil || e.Start < 0 {
		return ""
	}
	sentence = e.Excerpt
	for i := range f.Signals {
		for j := range f.Signals[i].Evidence {
			around := &f.Signals[i].Evidence[j]
			if around.Start <= e.Start && around.End >= e.End && len(around.Excerpt) > len(sentence) && strings.Contains(around.Excerpt, e.Excerpt) {
				sentence = around.Excerpt
			}
		}
	}
	return sentence
}

// passageLines adds the sentence and what the source says. Without text of the answer it adds reason and position.
func passageLines(text Passage, p placed, around string, excerpts bool) Passage {
	e := p.evidence
	if e == nil {
		return text.addLine(Run{Text: signalHeading(p.signal)})
	}
	sentence, note, source := cleanRedacted(around, maxExcerpt), cleanRedacted(noteOf(e, around), maxNote), sourceLine(e)
	if !excerpts {
		return text.addLine(Run{Text: signalHeading(p.signal)}).addLine(Run{Text: evidencePlace(e, false)})
	}
	shown := sentence != ""
	runs, marked := markWords(sentence, note)
	if shown {
		text = text.addLine(quoteRuns("", runs)...)
	} else {
		text = text.addLine(Run{Text: signalHeading(p.signal)})
	}
	if note != "" && !marked {
		text = text.addLine(Run{Text: "note: "}, Run{note, true})
	}
	if source != nil {
		text = text.addLine(source...)
	}
	switch {
	case !shown:
		return text.addLine(Run{Text: evidencePlace(e, true)})
	case source != nil:
		return text
	case p.signal.Detector == groundingDetector:
		return text.addLine(Run{Text: "No source supports this."})
	}
	return text.addLine(Run{Text: signalHeading(p.signal)})
}

// noteOf returns the note of the evidence, else the words that it marks in a longer sentence.
func noteOf(e *schemas.Evidence, sentence string) string {
	switch {
	case e.Note != "" && e.Note != e.Says():
		return e.Note
	case sentence != e.Excerpt:
		return e.Excerpt
	}
	return ""
}

// sourceLine returns what the source, an earlier turn or a call says, nil when that is unknown.
func sourceLine(e *schemas.Evidence) Passage {
	label, says := speaker(e)+": ", cleanRedacted(e.Says(), maxSays)
	label = strings.ToUpper(label[:1]) + label[1:]
	if source := cleanRedacted(e.SourceExcerpt, maxSource); source != "" {
		runs, _ := markWords(source, says)
		return quoteRuns(label, runs)
	}
	if says == "" {
		return nil
	}
	return Passage{{Text: label}, {says, true}}
}

// speaker returns what the evidence is compared with.
func speaker(e *schemas.Evidence) string { return Clean(e.Speaker(), maxReference) }

// quoteRuns puts runs in quotation marks, after a label.
func quoteRuns(label string, runs []Run) []Run {
	out := append([]Run{{Text: label + "“"}}, runs...)
	return append(out, Run{Text: "”"})
}
