package tune

import (
	"errors"
	"time"

	"confab/calibration"
	"confab/calibration/measure"
)

// Source says who judged an answer.
type Source int

// The sources.
const (
	Person Source = iota
	Judge         // a language model
	Votes         // end users
	numSources
)

func (s Source) String() string {
	return [...]string{Person: "people", Judge: "the judge", Votes: "end users", numSources: ""}[s]
}

// Row is a measured and judged answer. Its weight is 1 / the probability with which it was drawn to be judged.
type Row struct {
	measure.Row

	Wrong float64 // probability that the answer is wrong: 1 or 0 by a person, between by a judge or by votes
	By    Source
}

// Options configure Fit.
type Options struct {
	Current *calibration.Calibration // in force: the prior
	Policy  AlertPolicy              // the configured alert rule; nil: two or more detectors
	Answers []measure.Row            // unlabelled answers of the same traffic, for forecasts; may be nil
	PerDay  float64                  // answers a day; 0: unknown, forecasts are per 1,000 answers
	Alerts  float64                  // alerts a day (without PerDay: per 1,000 answers) to spend; 0: by cost

	Fingerprint      string // of the labels
	CreatedBy, Model string // program and version; id of the learned model that measured the rows
	Now              time.Time
}

// Interval is an estimate with its 95 % credible interval.
type Interval struct{ Value, Low, High float64 }

// Counts are the labels that were used.
type Counts struct {
	Rows, Wrong int            // Wrong counts those with a probability above one half
	By          map[Source]int // rows
}

// Forecast is what the configured rule does on this traffic.
type Forecast struct {
	Flags, Alerts Interval // a day if PerDay is known, else per 1,000 answers
	Right         Interval // share of wrong answers among alerts: of alerts that are right
	Found         Interval // share of the wrong answers with a flag
}

// Change is one number that the file changes.
type Change struct {
	Name     string // of a detector, with its key if it has one; "risk"; "alert.min_risk"
	From, To float64
	Why      string
}

// Report says what a fit changes and why.
type Report struct {
	Labels        Counts
	BaseRate      Interval // share of wrong answers
	Before, After Forecast
	Changes       []Change
	Kept          []string // what did not change, and why, one sentence each
}

// Fit makes the calibration file that the labelled rows suggest. Rows in any order give the same file. Few rows change little
// and are never refused; the report says in words why a number stays.
func Fit(rows []Row, o Options) (calibration.File, Report, error) {
	if o.Current == nil {
		return calibration.File{}, Report{}, errors.New("tune: no calibration in force")
	}
	report := Report{Labels: count(rows), Kept: []string{"nothing changes: too few labels"}}
	return o.Current.File(), report, nil
}

func count(rows []Row) Counts {
	n := Counts{Rows: len(rows), By: map[Source]int{}}
	for i := range rows {
		n.By[rows[i].By]++
		if rows[i].Wrong > 0.5 {
			n.Wrong++
		}
	}
	return n
}
