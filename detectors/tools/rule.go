// Package tools holds rules that find faults in the calls of tools and in what the answer says of them.
package tools

import "confab/schemas"

// Rule is one kind of fault and how it is found.
type Rule struct {
	ID       string
	Doc      string  // what it accuses, one sentence
	Weight   float64 // probability that a finding is a fault
	Check    func(t *turn)
	Examples []Example
}

// Example is a turn on which the rule fires, or stays quiet.
type Example struct {
	User   string
	Tools  []schemas.Tool
	Calls  []schemas.ToolCall
	Answer string
	Fires  string // what the evidence notes, "" if the rule is quiet
}

// verdict is one proven fault.
type verdict struct {
	rule       *Rule
	start, end int // bytes of the answer, schemas.NoPlace for none
	note       string
	says       string // what a result has instead
	call       string // its id
}

// Rules lists every rule.
func Rules() []Rule {
	return []Rule{notOffered(), brokenSchema(), inventedArgument(), hiddenError(), actionWithoutCall(), otherIdentifier(), unknownValue(), tooMany()}
}

// accuse notes a fault of a call.
func (t *turn) accuse(c *call, note string) {
	t.found = append(t.found, verdict{rule: t.rule, start: schemas.NoPlace, end: schemas.NoPlace, note: note, call: c.ID})
}

// accuseWords notes a fault of these bytes of the answer.
func (t *turn) accuseWords(start, end int, says string) {
	t.found = append(t.found, verdict{rule: t.rule, start: start, end: end, note: t.answer[start:end], says: says})
}
