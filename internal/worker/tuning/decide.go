package tuning

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"time"

	"confab/calibration"
	"confab/calibration/tune"
	"confab/internal/worker/config"
)

// Outcome is what a refit did.
type Outcome string

// The outcomes of a refit.
const (
	Applied  Outcome = "applied"
	Proposed Outcome = "proposed"
	Kept     Outcome = "kept"    // nothing changes
	TooFew   Outcome = "too_few" // judged answers
	Failed   Outcome = "failed"
)

const (
	windows   = 4                  // that a refit reads, of which the last must have enough judged answers
	minJudged = 200                // answers that the judge read, in a week
	week      = 7 * 24 * time.Hour // of minJudged
	heldOut   = 0.3                // share of the conversations that test
	minTested = 20                 // answers of them
	leastMore = 0.5                // of today's alerts: below, and above mostMore of them, nothing is applied
	mostMore  = 2.0
	tolerance = 1e-9
)

// refitInput is what a refit knows.
type refitInput struct {
	store  *answerStore
	rows   []judgedRow // of the store
	notes  Notes       // of the rows
	window time.Duration
	auto   string // config.TuningPropose or config.TuningApply
	held   bool   // a person went back
	// inForce is the file; fit.Current has the thresholds that the configuration sets, too.
	inForce *calibration.Calibration
	set     map[string]float64 // by detector: they do not move
	fit     tune.Options       // with Current, Policy and Now
}

// decision is what a refit makes of it.
type decision struct {
	outcome Outcome
	file    calibration.File // of Applied and Proposed
	words   []string
}

// decide fits a calibration to a part of the rows and tests it on the rest.
func decide(ctx context.Context, in *refitInput) (decision, error) {
	judged, from := 0, in.fit.Now.Add(-in.window)
	for i := range in.rows {
		if in.rows[i].sampled && !in.rows[i].at.Before(from) {
			judged++
		}
	}
	if need := int(math.Ceil(minJudged * float64(in.window) / float64(week))); judged < need {
		return decision{TooFew, calibration.File{}, []string{fmt.Sprintf(
			"%d answers were judged since %s, %d are needed: raise sampling.rate or llm.budget", judged, from.Format(time.DateOnly), need)}}, nil
	}
	f, err := in.fitSteadily(ctx)
	if err != nil {
		return decision{}, err
	}
	changes := changesOf(in.inForce, &f)
	if len(changes) == 0 {
		return decision{Kept, f, []string{"no number would move, whoever is left out"}}, nil
	}
	next, err := calibration.New(f)
	if err == nil {
		next, err = next.WithThresholds(in.set)
	}
	if err != nil {
		return decision{}, err
	}
	if where := in.worse(next); where != "" {
		return decision{Kept, f, []string{"it is not known to be as good as what is in force on " + where}}, nil
	}
	return in.describe(&f, next, changes), nil
}

// worse names the answers on which the calibration would cost more than the one in force: those held out, or all that people
// labelled, each of which counts once; "" for none.
func (in *refitInput) worse(next *calibration.Calibration) string {
	_, test := split(in.rows)
	policy, held := in.fit.Policy, rowsOf(test)
	if len(held) < minTested {
		return fmt.Sprintf("enough answers: only %d could be held out", len(held))
	}
	cost, flooded := tune.Cost(held, policy, in.fit.Current)
	nextCost, nextFlooded := tune.Cost(held, policy, next)
	if nextCost+nextFlooded > cost+flooded+tolerance {
		return fmt.Sprintf("%d answers that were held out", len(held))
	}
	people := slices.DeleteFunc(rowsOf(in.rows), func(r tune.Row) bool { return r.By != tune.Person })
	for i := range people {
		people[i].Weight = 1
	}
	cost, _ = tune.Cost(people, policy, in.fit.Current)
	if nextCost, _ = tune.Cost(people, policy, next); nextCost > cost+tolerance {
		return fmt.Sprintf("%d answers that people labelled", len(people))
	}
	return ""
}

// describe says what the file changes, and whether it may be applied.
func (in *refitInput) describe(f *calibration.File, next *calibration.Calibration, changes []string) decision {
	before, after := in.alerts(in.fit.Current), in.alerts(next)
	d := decision{Applied, *f, changes}
	d.words = append(d.words, fmt.Sprintf("Alerts a day: about %.3g before, %.3g after; from %d judged answers and labels of %d people.",
		before, after, in.notes.Judged, in.notes.People))
	propose := func(why string) {
		d.outcome = Proposed
		d.words = append(d.words, why)
	}
	switch {
	case after < leastMore*before-tolerance || after > mostMore*before+tolerance:
		propose("Proposed only: the number of alerts would leave the range from half to twice today's.")
	case in.held:
		propose("Proposed only: someone went back to an earlier version.")
	case in.auto != config.TuningApply:
		propose("Proposed only: tuning.auto is propose.")
	}
	d.words = append(d.words, in.notes.Limits...)
	return d
}

// split holds out whole conversations.
func split(rows []judgedRow) (train, test []judgedRow) {
	for i := range rows {
		sum := sha256.Sum256([]byte("held out\x00" + rows[i].Group))
		if float64(sum[0]) < heldOut*256 {
			test = append(test, rows[i])
		} else {
			train = append(train, rows[i])
		}
	}
	return train, test
}

// alerts is the expected number of alerts a day.
func (in *refitInput) alerts(c *calibration.Calibration) float64 {
	sum, total := 0.0, 0.0
	for i := range in.notes.Answers {
		r := &in.notes.Answers[i]
		total += r.Weight
		if tune.Alerts(r, in.fit.Policy, c) {
			sum += r.Weight
		}
	}
	return sum / max(total, 1) * cmp.Or(in.notes.PerDay, total) // else all came within an hour
}
