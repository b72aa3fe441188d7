package measure

import "slices"

// FeedbackSet is the data set that rows of feedback belong to.
const FeedbackSet = "feedback"

// MinStratum is how many labels of a stratum say something of it.
const MinStratum = 10

// Stratum is the part of the recorded answers that an incident belongs to: people label each part as they please, so each
// is weighed by itself.
type Stratum int

// The strata.
const (
	Alerted   Stratum = iota // on-call was told
	Unalerted                // something fired, nobody was told
	Quiet                    // nothing fired; recorded since it was sampled, or under emit: all
	NumStrata
)

func (s Stratum) String() string {
	return [...]string{Alerted: "alerted", Unalerted: "flagged but not alerted", Quiet: "quiet", NumStrata: ""}[s]
}

// CoversUnalerted reports whether the feedback among the rows at index labels enough incidents that were not alerted:
// of quiet answers and, where any row has one, of flagged ones.
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
