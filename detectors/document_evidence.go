package detectors

import (
	"regexp"
	"slices"
	"strings"

	"confab/internal/evidence"
	"confab/internal/evidence/records"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
	"confab/schemas"
)

// maxTurnBytes is how much of the end of a turn is read.
const maxTurnBytes = 16_000

// prose is a run of words.
var prose = regexp.MustCompile(`(?:\pL[^\s"{}\[\]]* +){9}\pL`)

// unitWork is the work of one token that is read into units and figures.
const unitWork = 2

// Texts are the answer and its sources with their units and figures.
type Texts struct {
	Answer  evidence.Prepared
	Sources []evidence.Prepared // fewer than there are when the work has ended
	Turns   []string            // what the user and the operator wrote; read with the index

	lists         []units.List
	figuresOf     [][]figures.Figure
	answerFigures []figures.Figure
	spans         []text.Span
	ranges        []text.Range
}

// Texts are read once, for all detectors.
func (d *Document) Texts() *Texts {
	t, fresh := Scratch[Texts](d)
	if fresh {
		list := d.Units()
		d.Work().Spend(len(d.tokens) * unitWork)
		t.answerFigures = figures.Append(t.answerFigures[:0], d.Text(), d.tokens)
		t.Answer = evidence.Prepared{Text: d.Text(), Tokens: d.tokens, Units: list, Figures: t.answerFigures}
		t.readSources(d)
	}
	return t
}

func (t *Texts) readSources(d *Document) {
	all := d.AllSourceSentences()
	t.Sources = t.Sources[:0]
	for len(t.lists) < len(d.sources) {
		t.lists, t.figuresOf = append(t.lists, units.List{}), append(t.figuresOf, nil)
	}
	for i, s := range d.sources {
		tokens := d.TokensRead(i)
		if !d.Work().Spend(len(tokens) * unitWork) {
			return
		}
		first := d.sourceStarts[i]
		t.spans, t.ranges = t.spans[:0], t.ranges[:0]
		for ; len(all) > 0 && int(all[0].Source) == i; all = all[1:] {
			t.spans = append(t.spans, text.Span{Start: all[0].Start, End: all[0].End})
			t.ranges = append(t.ranges, text.Range{First: all[0].First - first, Last: all[0].Last - first})
		}
		t.lists[i].Reset()
		t.lists[i].Source(s, t.spans, t.ranges, tokens)
		t.figuresOf[i] = figures.Append(t.figuresOf[i][:0], s, tokens)
		t.Sources = append(t.Sources, evidence.Prepared{Text: s, Tokens: tokens, Units: &t.lists[i], Figures: t.figuresOf[i]})
	}
}

// Index is the index of the sources and of the user's turns by the terms of the answer.
func (d *Document) Index() *evidence.Index {
	x, fresh := Scratch[evidence.Index](d)
	if !fresh {
		return x
	}
	t := d.Texts()
	t.Turns = t.Turns[:0]
	for i := range d.in.Messages {
		m := &d.in.Messages[i]
		if m.Role == "assistant" || m.Role == "tool" {
			continue
		}
		before, after := m.Question()
		for _, turn := range [...]string{before, after} {
			if turn = turn[max(0, len(turn)-maxTurnBytes):]; strings.TrimSpace(turn) != "" {
				t.Turns = append(t.Turns, strings.ToValidUTF8(turn, ""))
			}
		}
	}
	for i := range d.in.Calls { // what a tool was asked and has answered, an answer may repeat; a call without a result may be the answer
		a := d.in.Calls[i].Arguments
		if d.in.Calls[i].Result == "" {
			continue
		}
		t.Turns = append(t.Turns, strings.ToValidUTF8(a[max(0, len(a)-maxTurnBytes):], ""))
	}
	x.Read(evidence.Input{Answer: t.Answer, Sources: t.Sources, Turns: t.Turns, Mode: d.MatchMode(), Tokens: d.Tokenizer(), Work: d.Work()})
	d.Records() // gives figures the units of their fields
	return x
}

// OnlyToolRecords reports results of tools, found in messages or by spans, of which none holds prose: what the answer says of them
// was not learned from such texts.
func (d *Document) OnlyToolRecords() bool {
	d.Work().Spend(len(d.in.Sources) * len(d.in.Calls) / tokenBytes)
	isOther := func(s schemas.Source) bool {
		return !slices.ContainsFunc(d.in.Calls, func(c schemas.ToolCall) bool { return c.Result == s.Text })
	}
	ofTools := d.in.SourcesFrom == schemas.SourcesFromToolMessages || len(d.in.Sources) > 0 && !slices.ContainsFunc(d.in.Sources, isOther)
	return ofTools && len(d.in.Calls) > 0 && !slices.ContainsFunc(d.sources, func(s string) bool { return !d.Work().Spend(len(s)/tokenBytes) || prose.MatchString(s) })
}

// holdsProse reports sources that are not only data: the words of records do not show a language.
func (d *Document) holdsProse() bool {
	return slices.ContainsFunc(d.sources, func(s string) bool { return strings.IndexAny(s, "{[") != 0 || prose.MatchString(s) })
}

// Records is what the records and tables of the sources say of the answer.
func (d *Document) Records() *records.Reading {
	r, fresh := Scratch[records.Reading](d)
	if fresh {
		x, t := d.Index(), d.Texts()
		r.Read(x, t.Answer, t.Sources, d.Work())
	}
	return r
}
