package detectors

// factKind says what is wrong with a fact of the answer.
type factKind uint8

// What can be wrong with a fact.
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

// factList gathers the doubtful facts of one document, claim by claim.
type factList struct {
	findings  []factFinding
	checked   int // facts that were looked for
	truncated bool
	claim     int32 // index of the claim that is looked at
}

// reset empties the list.
func (l *factList) reset() { *l = factList{findings: l.findings[:0], claim: -1} }

// add notes a doubtful fact of the claim that is looked at.
func (l *factList) add(f factFinding) {
	f.claim = l.claim
	l.findings = append(l.findings, f)
}
