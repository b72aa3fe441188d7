package measure

import "slices"

// FeedbackSet is the data set of feedback rows.
const FeedbackSet = "feedback"

// MinStratum is the least number of labels of a stratum for an estimate.
const MinStratum = 10

// Stratum is a part of the recorded answers. People label the strata at different rates, so each is weighted
// separately.
type Stratum int

// The strata.
const (
	Alerted   Stratum = iota // on-call was notified
	Unalerted                // something fired, without an alert
	Quiet                    // nothing fired; recorded because it was sampled, or under emit: all
	NumStrata
)

func (s Stratum) String() string {
	return [...]string{Alerted: "alerted", Unalerted: "flagged but not alerted", Quiet: "quiet", NumStrata: ""}[s]
}

// CoversUnalerted reports whether the feedback among the rows at index has enough labels without an alert: of quiet
// answers and, where any row has one, of flagged ones.
func CoversUnalerted(rows []Row, index []int) bool {
	flagged := slices.ContainsFunc(rows, func(r Row) bool { return r.Dataset == FeedbackSet && r.Task == Unalerted.String() })
	var n [NumStrata]int
	for _, i := range index {
		for h := range n {
			if rows[i].Dataset == FeedbackSet && rows[i].Task == Stratum(h).String() {
				n[h]++
			}
		}
	}
	return n[Quiet] >= MinStratum && (n[Unalerted] >= MinStratum || !flagged)
}
