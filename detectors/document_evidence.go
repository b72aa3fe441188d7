package detectors

import (
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
)

// maxTurnBytes is how much of the end of a user's turn is read.
const maxTurnBytes = 4_000

// evidenceScratch holds the index of a document and what it is made of.
type evidenceScratch struct {
	index   evidence.Index
	sources []evidence.Prepared
	spans   []text.Span
	ranges  []text.Range
	turns   []string
}

// Index is the index of the sources and of the user's turns by the terms of the answer.
func (d *Document) Index() *evidence.Index {
	s, fresh := Scratch[evidenceScratch](d)
	if !fresh {
		return &s.index
	}
	d.makeTokens()
	s.readSources(d)
	s.turns = s.turns[:0]
	for i := range d.in.Messages {
		if m := &d.in.Messages[i]; strings.EqualFold(m.Role, "user") {
			before, after := m.Question()
			for _, t := range [...]string{before, after} {
				if t = t[max(0, len(t)-maxTurnBytes):]; strings.TrimSpace(t) != "" {
					s.turns = append(s.turns, strings.ToValidUTF8(t, ""))
				}
			}
		}
	}
	s.index.Read(evidence.Input{
		Answer:  evidence.Prepared{Text: d.Text(), Sentences: d.Sentences(), Ranges: d.ranges, Tokens: d.tokens},
		Sources: s.sources, Turns: s.turns, Mode: d.MatchMode(), Tokens: d.Tokenizer(), Work: d.Work(),
	})
	return &s.index
}

func (s *evidenceScratch) readSources(d *Document) {
	s.sources, s.spans, s.ranges = s.sources[:0], s.spans[:0], s.ranges[:0]
	for _, x := range d.AllSourceSentences() {
		first := d.sourceStarts[x.Source]
		s.spans = append(s.spans, text.Span{Start: x.Start, End: x.End})
		s.ranges = append(s.ranges, text.Range{First: x.First - first, Last: x.Last - first})
	}
	n := 0
	for i := range d.sources {
		first := n
		for n < len(s.spans) && int(d.sourceSentences[n].Source) == i {
			n++
		}
		s.sources = append(s.sources, evidence.Prepared{Text: d.sources[i], Sentences: s.spans[first:n], Ranges: s.ranges[first:n], Tokens: d.TokensRead(i)})
	}
}
