package figureindex

// Kind says what is wrong with a fact of the answer.
type Kind uint8

// What can be wrong with a fact.
const (
	Number       Kind = iota // a number, amount or measure that neither sources nor prompt hold
	Date                     // a date, weekday or time of day that they do not hold
	Name                     // a name that they do not hold
	Weak                     // a figure that they hold, but among other words
	Contradicted             // a field of a record says otherwise
	Missing                  // a field of a record is null or not there, and the answer tells what it is
	Kinds        = iota
)

// Finding is a doubtful fact of the answer.
type Finding struct {
	Claim      int32 // index among Claims
	Kind       Kind
	Start, End int32   // bytes of the answer
	Weight     float32 // 0 to 1: how surely it is a fault

	Source                 int32 // index of the source that bears on it, -1 where none is known
	SourceStart, SourceEnd int32
}

// Findings gathers the doubtful facts of one document, claim by claim.
type Findings struct {
	List      []Finding
	Checked   int // facts that were looked for
	Truncated bool
	Claim     int32 // index of the claim that is looked at
}

// Reset empties the list.
func (l *Findings) Reset() { *l = Findings{List: l.List[:0], Claim: -1} }

// Add notes a doubtful fact of the claim that is looked at.
func (l *Findings) Add(f Finding) {
	f.Claim = l.Claim
	l.List = append(l.List, f)
}
