// Package units splits answers and sources into the units that are compared: sentences, list items, table rows, records and
// values of JSON. The functions are pure, linear in the length of the text, and append to slices of the caller.
package units

import (
	"slices"

	"confab/internal/text"
	"confab/internal/text/markup"
)

// Form is how a unit is written.
type Form uint8

// The forms.
const (
	Sentence Form = iota
	Item          // of a list
	Row           // of a table: Markdown, CSV, tab-separated
	Record        // an object of JSON with its plain fields
	Value         // one value of a JSON answer
)

// Kind is what a unit does. Only statements are judged.
type Kind uint8

// The kinds.
const (
	Statement Kind = iota
	Heading
	Courtesy
	Question
	About      // it speaks of the answer: "here is a summary"
	LeadIn     // it announces what follows and states nothing
	Abstention // it says that the sources do not say
	Short      // fewer than two content words and no figure
	Code
	Citations // a list or block of citations
)

// Run is a sequence of tokens. A Head run gives context, such as the header of a cell or the path of a field: it is not
// part of what is said.
type Run struct {
	First, Last int32 // tokens, half open
	Head        bool
}

// Unit is one unit of a text. Its runs are in the order of reading: a table row is header, cell, header, cell.
type Unit struct {
	Start, End int32      // bytes of the text
	Runs       text.Range // into List.Runs
	Context    text.Range // tokens of the lead-in, heading or caption above, for the items and rows under it; may be empty
	Form       Form
	Kind       Kind
}

// List holds the units of one text. The zero value is empty; its slices are reused.
type List struct {
	Units []Unit
	Runs  []Run

	cells, head []text.Range // of the row and the header of a table
	stack       []Run        // of the JSON objects that are open
}

// Reset empties the list and keeps its storage.
func (l *List) Reset() { l.Units, l.Runs = l.Units[:0], l.Runs[:0] }

// RunsOf returns the runs of the i-th unit.
func (l *List) RunsOf(i int) []Run { r := l.Units[i].Runs; return l.Runs[r.First:r.Last] }

// Has reports a unit of the kind.
func (l *List) Has(k Kind) bool {
	return slices.ContainsFunc(l.Units, func(u Unit) bool { return u.Kind == k })
}

// OnlyAbstains reports a text that states nothing and says in a sentence that the sources or the speaker do not know.
func OnlyAbstains(s string) bool {
	var l List
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	l.Answer(s, sentences, text.AppendTokenRanges(nil, sentences, tokens), tokens)
	return l.Has(Abstention) && !l.Has(Statement)
}

// Answer appends the units of an answer: s without markup (package markup), its sentences, its tokens, and the tokens of each
// sentence.
func (l *List) Answer(s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) {
	p := reader{List: l, s: s, prose: markup.OpenFences(s), sentences: sentences, ranges: ranges, tokens: tokens, answer: true}
	if start := jsonStart(s); start >= 0 {
		p.at = p.readJSON(start)
	}
	p.read()
}

// Source appends the units of a source or of a turn of the conversation. Every unit is a statement.
func (l *List) Source(s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) {
	p := reader{List: l, s: s, sentences: sentences, ranges: ranges, tokens: tokens}
	p.read()
}

func (l *List) add(u Unit, r text.Range) {
	if r.Len() == 0 {
		return
	}
	first := len(l.Runs)
	l.Runs = append(l.Runs, Run{First: r.First, Last: r.Last})
	l.close(u, first)
}

// close adds the unit with the runs from first on; without runs there is none.
func (l *List) close(u Unit, first int) {
	if first == len(l.Runs) {
		return
	}
	u.Runs = text.Range{First: int32(first), Last: int32(len(l.Runs))}
	l.Units = append(l.Units, u)
}
