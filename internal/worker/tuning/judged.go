package tuning

import (
	"fmt"
	"time"

	"confab/calibration/measure"
	"confab/calibration/rate"
	"confab/calibration/tune"
	"confab/schemas"
)

// maxShare is the most weight of one service, tenant, conversation or person: texts are hostile, and so may their authors be.
const maxShare = 0.25

// owner is a kind of those whom rows come from.
type owner int

const (
	service owner = iota
	tenant
	conversation
	person
	numOwners
)

// judgedRow is a judged answer with those whom it comes from.
type judgedRow struct {
	tune.Row

	owners  [numOwners]string // person: who alone labelled it; "" for none
	at      time.Time         // when the answer was detected
	stratum stratum
	sampled bool  // with a known probability, and with a verdict of the judge
	judge   *bool // whether it says that the answer is wrong; nil: it has not said
}

// joined are judged answers, and what is known of the others.
type joined struct {
	rows    []judgedRow
	answers []measure.Row
	totals  [numStrata]float64 // answers that were recorded, with those that they stand for
	people  map[string]bool
	share   float64       // of the answers that were kept, of all in the time
	span    time.Duration // from the first to the last

	unknown, expired, unreadable int
}

// add adds an answer if it is judged. sampled says that unlabelled answers like it are known, too.
func (j *joined) add(a *answer, owners [numOwners]string, said labels, sampled bool) {
	r := judgedRow{
		Row: tune.Row{Row: a.row, By: tune.Judge}, owners: owners, at: a.at, stratum: a.stratum(), sampled: sampled,
	}
	if a.verdict != "" {
		r.judge = new(a.verdict == schemas.Fired)
	}
	if r.sampled {
		r.Weight = 1 / a.probability
	}
	if len(said) > 0 {
		r.By, r.Wrong = tune.Person, said.wrong()
	} else if !r.sampled {
		return
	}
	for user := range said {
		if j.people[user] = true; len(said) == 1 {
			r.owners[person] = user
		}
	}
	j.rows = append(j.rows, r)
}

// soften turns verdicts of the judge into probabilities, by its error where people labelled the same answers.
func (j *joined) soften() {
	sample := make([]rate.Answer, len(j.rows))
	for i := range j.rows {
		r := &j.rows[i]
		sample[i] = rate.Answer{Judge: r.judge, Cell: int(r.stratum)}
		if r.sampled {
			sample[i].Probability = min(1, 1/r.Weight)
		}
		if r.By == tune.Person {
			sample[i].Person = new(r.Wrong >= 0.5)
		}
	}
	for i, p := range rate.Soften(sample) {
		if r := &j.rows[i]; r.By == tune.Judge {
			r.Wrong = p
		}
	}
}

// weigh makes the rows of each stratum weigh as much as its answers: those with a known probability and the others, which people
// chose, each in proportion to their number. It assumes that people choose within a stratum without regard to the verdict.
// Source: Horvitz and Thompson, "A Generalization of Sampling Without Replacement from a Finite Universe", 1952; Holt and Smith,
// "Post Stratification", 1979.
func (j *joined) weigh() {
	type cell struct {
		stratum stratum
		sampled bool
	}
	sums, counts, all := map[cell]float64{}, map[cell]float64{}, [numStrata]float64{}
	for i := range j.rows {
		r := &j.rows[i]
		sums[cell{r.stratum, r.sampled}] += r.Weight
		counts[cell{r.stratum, r.sampled}]++
		all[r.stratum]++
	}
	for i := range j.rows {
		r := &j.rows[i]
		at := cell{r.stratum, r.sampled}
		total := max(j.totals[r.stratum], sums[cell{r.stratum, false}]) // labelled answers are kept where others are not
		if total == 0 {
			total = sums[at] // so are judged ones
		}
		r.Weight *= total * counts[at] / all[r.stratum] / sums[at]
	}
}

// ownerWeights are the weights of all rows, and by owner. The only service or tenant is left out: there is no other.
func ownerWeights(rows []judgedRow, o owner) (total float64, by map[string]float64) {
	by = map[string]float64{}
	for i := range rows {
		total += rows[i].Weight
		by[rows[i].owners[o]] += rows[i].Weight
	}
	if o == person {
		delete(by, "")
	} else if len(by) == 1 {
		clear(by)
	}
	return total, by
}

// capOwners bounds the weight of each owner by maxShare of all.
func capOwners(rows []judgedRow) {
	for o := range numOwners {
		total, by := ownerWeights(rows, o)
		for i := range rows {
			if w := by[rows[i].owners[o]]; w > maxShare*total {
				rows[i].Weight *= maxShare * total / w
			}
		}
	}
}

// notes describes the rows.
func (j *joined) notes() Notes {
	n := Notes{Answers: j.answers, People: len(j.people)}
	n.Fingerprint = j.fingerprint()
	judged := [numStrata]int{}
	for i := range j.rows {
		r := &j.rows[i]
		judged[r.stratum]++
		if r.sampled {
			n.Judged++
		}
	}
	total := 0.0
	for h, answers := range j.totals {
		if total += answers; answers > 0 && judged[h] == 0 {
			n.say("no %s answer is judged, of %.0f: what changes for them is a guess", stratum(h), answers)
		}
	}
	if j.totals[quiet] == 0 && len(j.rows) > 0 {
		n.say("no quiet answer is recorded, so missed answers are unknown: sample a share of all answers (sampling.rate, role sample)")
	}
	if j.span > time.Hour {
		n.PerDay = total / (j.span.Hours() / 24)
	}
	for _, left := range []struct {
		n    int
		what string
	}{
		{j.expired, "labelled answers have no flag within this time: label sooner, or ask for a longer time"},
		{j.unknown, "sampled answers carry no probability of being sampled: they are left out"},
		{j.unreadable, "records of flags and labels could not be read: they are left out"},
	} {
		if left.n > 0 {
			n.say("%d %s", left.n, left.what)
		}
	}
	if j.share < 1 {
		n.say("of many answers a random share of %.3g was read", j.share)
	}
	return n
}

func (j *joined) fingerprint() string {
	var prints measure.RowHashes
	for i := range j.rows {
		r := &j.rows[i]
		prints.Add(fmt.Appendf(nil, "feedback %s %v %.3f", r.ID, r.By, r.Wrong))
	}
	return prints.Fingerprint()
}

func (n *Notes) say(format string, args ...any) {
	n.Limits = append(n.Limits, fmt.Sprintf(format, args...))
}
