// Package facts holds rules that can prove that a statement of an answer contradicts its sources.
package facts

import "confab/schemas"

// Rule is one kind of fault and how it is found.
type Rule struct {
	ID       string
	Doc      string // what it accuses, one sentence
	Langs    string // languages whose words it knows; "" if it reads none
	Needs    string // what it compares the answer with
	Whole    bool   // it accuses what no source has: not applied where part of the sources was left out
	Values   bool   // it is applied to results of tools without prose, too
	Type     schemas.SignalType
	Weight   float64 // probability that a finding is a fault
	Check    func(e *evidence, c *piece) []Verdict
	Examples []Example
}

// Example is an answer on which the rule fires, or stays quiet.
type Example struct {
	Source string
	User   string // what the user wrote
	Answer string
	Fires  string // the accused words, "" if the rule is quiet
}

// Verdict is one proven fault.
type Verdict struct {
	Rule                   *Rule
	Start, End             int32 // bytes of the answer
	Source                 int32 // -1 for none
	SourceStart, SourceEnd int32
	Says                   string // what the source has instead
}

// Rules lists every rule, those first whose finding stays when several accuse the same words.
func Rules() []Rule {
	return []Rule{
		changedFigure(), soleFigure(), recordSwap(), recordFlag(), recordField(), nearIdentifier(), madeUpQuote(), negation(), limit(), opposite(), swappedName(), calendar(), loneAnswer(),
	}
}

// one is the verdict that the words of the claim contradict those of the unit.
func (e *evidence) one(c *piece, w *word, p *piece, says *word) []Verdict {
	return []Verdict{{Start: w.Start, End: w.End, Source: p.Source, SourceStart: says.Start, SourceEnd: says.End, Says: e.in(p, says)}}
}
