// Package units splits answers and sources into the units that are compared: sentences, list items, table rows, records and
// values of JSON. The functions are pure, linear in the length of the text, and append to slices of the caller.
package units

import "confab/internal/text"

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
	Context    text.Range // tokens of the lead-in or heading above, for the items and rows under it; may be empty
	Form       Form
	Kind       Kind
}

// List holds the units of one text. The zero value is empty; its slices are reused.
type List struct {
	Units []Unit
	Runs  []Run
}

// Reset empties the list and keeps its storage.
func (l *List) Reset() { l.Units, l.Runs = l.Units[:0], l.Runs[:0] }

// RunsOf returns the runs of the i-th unit.
func (l *List) RunsOf(i int) []Run { r := l.Units[i].Runs; return l.Runs[r.First:r.Last] }

// Answer appends the units of an answer: s without markup (package markup), its sentences, its tokens, and the tokens of each
// sentence.
func (l *List) Answer(s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) {
	for i, r := range ranges {
		l.add(Unit{Start: sentences[i].Start, End: sentences[i].End}, Run{First: r.First, Last: r.Last})
	}
}

// Source appends the units of a source or of a turn of the conversation. Every unit is a statement.
func (l *List) Source(s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) {
	l.Answer(s, sentences, ranges, tokens)
}

func (l *List) add(u Unit, runs ...Run) {
	first := int32(len(l.Runs))
	l.Runs = append(l.Runs, runs...)
	u.Runs = text.Range{First: first, Last: int32(len(l.Runs))}
	l.Units = append(l.Units, u)
}
