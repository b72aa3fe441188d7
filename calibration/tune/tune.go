package tune

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/shares"
)

// Source says who judged an answer.
type Source int

// The sources.
const (
	Person Source = iota
	Judge         // a language model
)

func (s Source) String() string {
	return [...]string{Person: "people", Judge: "the judge"}[s]
}

// MarshalText implements encoding.TextMarshaler.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Row is a measured and judged answer. Its weight is 1 / the probability with which it was drawn to be judged.
type Row struct {
	measure.Row

	Wrong float64 // probability that the answer is wrong: 1 or 0 by a person, between by a judge
	By    Source
}

// Options configure Fit.
type Options struct {
	Current *calibration.Calibration // in force: the prior
	Policy  AlertPolicy              // the configured alert rule
	Answers []measure.Row            // of the same traffic, labelled ones too, for forecasts; may be nil
	PerDay  float64                  // answers a day; 0: unknown, forecasts are per 1,000 answers
	Alerts  float64                  // alerts a day (without PerDay: per 1,000 answers) to spend; 0: by cost

	Fingerprint      string // of the labels
	CreatedBy, Model string // program and version; id of the learned model that measured the rows
	Now              time.Time
}

// Interval is an estimate with its 95 % credible interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Counts are the labels that were used.
type Counts struct {
	Rows  int            `json:"rows"`
	Wrong int            `json:"wrong"` // those with a probability above one half
	By    map[Source]int `json:"by"`
}

// Forecast is what the configured rule does on this traffic.
type Forecast struct {
	Flags  Interval `json:"flags"` // a day if PerDay is known, else per 1,000 answers
	Alerts Interval `json:"alerts"`
	Right  Interval `json:"right"` // share of wrong answers among alerts: of alerts that are right
	Found  Interval `json:"found"` // share of the wrong answers with a flag
	Log    Counted  `json:"log"`
}

// Counted are the answers at hand. Alerts may yet wait for the judge.
type Counted struct {
	Answers int `json:"answers"`
	Flags   int `json:"flags"`
	Alerts  int `json:"alerts"`
}

// Change is one number that the file changes.
type Change struct {
	Name string  `json:"name"` // of a detector, with its key if it has one; "risk"; "alert.min_risk"
	From float64 `json:"from"`
	To   float64 `json:"to"`
	Why  string  `json:"why"`
}

// Report says what a fit changes and why.
type Report struct {
	Labels   Counts   `json:"labels"`
	BaseRate Interval `json:"base_rate"` // share of wrong answers
	Before   Forecast `json:"now"`
	After    Forecast `json:"tuned"`
	Changes  []Change `json:"changes"`
	Kept     []string `json:"unchanged"` // what did not change, and why, one sentence each
}

// Fit makes the calibration file that the labelled rows suggest. Rows in any order give the same file. Few rows change little
// and are never refused; the report says in words why a number stays.
func Fit(rows []Row, o Options) (calibration.File, Report, error) {
	if o.Current == nil || o.Policy == nil {
		return calibration.File{}, Report{}, errors.New("tune: no calibration in force, or no alert rule")
	}
	known, err := embeddedPrior()
	if err != nil {
		return calibration.File{}, Report{}, err
	}
	f := &fitRun{o: o, rows: sortRows(rows), file: o.Current.File()}
	f.report.Labels = count(rows)
	if len(rows) == 0 {
		f.keep("nothing changes: no answer is labelled")
		return f.file, f.report, nil
	}
	next, err := f.learn(known)
	if err != nil {
		return calibration.File{}, Report{}, err
	}
	f.report.Before, f.report.After = f.forecast(o.Current), f.forecast(next)
	return f.file, f.report, nil
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

// fitRun is one fit.
type fitRun struct {
	o      Options
	rows   []Row
	file   calibration.File
	start  *calibration.Calibration // thresholds before any label moved them
	root   *sample
	most   []float64 // by detector: a key has no higher threshold
	report Report
}

// learn makes the file.
func (f *fitRun) learn(known *prior) (*calibration.Calibration, error) {
	var err error
	if f.start, err = startOf(f.o.Current); err != nil {
		return nil, err
	}
	f.o.Answers = sortAnswers(f.o.Answers)
	covered := f.o.Answers
	if len(covered) == 0 {
		for i := range f.rows {
			covered = append(covered, f.rows[i].Row)
		}
	}
	f.root = newSample(f.rows, known.compose(covered, true, f.start), known.compose(covered, false, f.start))
	f.report.BaseRate = f.root.base.interval()
	f.setRisk()
	mapped, err := calibration.New(f.file)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	f.setThresholds(mapped)
	f.setHead()
	f.file.Rule = nil // of other thresholds
	next, err := calibration.New(f.file)
	if err != nil {
		return nil, fmt.Errorf("tune: the file would not load: %w", err)
	}
	return next, nil
}

// startOf is the calibration in force with the thresholds that labels started from.
func startOf(inForce *calibration.Calibration) (*calibration.Calibration, error) {
	f := inForce.File()
	f.Thresholds = nil
	for _, t := range inForce.File().Thresholds {
		if t.Prior > 0 && !coversAll(t.Key()) {
			continue // labels made the key: a coarser one applied before
		}
		t.Threshold = cmp.Or(t.Prior, t.Threshold)
		f.Thresholds = append(f.Thresholds, t)
	}
	c, err := calibration.New(f)
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	return c, nil
}

// setRisk fits the risk map, and keeps the one in force if it says the same, or if alerts would be lost by another.
func (f *fitRun) setRisk() {
	before := f.file
	change := setRiskMap(&f.file, f.rows, f.root.base.mean())
	if change == nil {
		f.file = before
		f.keep("the risk stays: the scores of these answers say what they said before")
		return
	}
	mapped, err := calibration.New(f.file)
	if err != nil || f.losesPages(mapped) {
		f.file = before
		f.keep("the risk stays: with the one that fits these labels, alerts on wrong answers would miss the minimum risk of an alert")
		return
	}
	f.report.Changes = append(f.report.Changes, *change)
	if was, now := before.Alert, f.file.Alert; was != nil && was.MinRisk != now.MinRisk && f.o.Alerts == 0 {
		f.report.Changes = append(f.report.Changes, Change{"alert.min_risk", was.MinRisk, now.MinRisk, "so that it is the same minimum under the new risk"})
	}
}

// losesPages reports whether more alerts on wrong answers would be lost than may be.
func (f *fitRun) losesPages(c *calibration.Calibration) bool {
	var before, left, labelled, labelledLeft float64
	for i := range f.root.answers {
		a := &f.root.answers[i]
		if !Alerts(a.row, f.o.Policy, f.o.Current) {
			continue
		}
		is, sure := shares.Indicator(Alerts(a.row, f.o.Policy, c)), shares.Indicator(a.surelyWrong)
		before, left = before+a.wrong, left+a.wrong*is
		labelled, labelledLeft = labelled+sure, labelledLeft+sure*is
	}
	return left < leastPages*before || labelledLeft < math.Ceil(leastLabelled*labelled)
}

const (
	maxModels = 100               // in a file
	byLab     = "calibration/lab" // made the embedded file
)

// setHead names the labels.
func (f *fitRun) setHead() {
	f.file.ID = fmt.Sprintf("%s-%.8s", f.o.Now.UTC().Format(time.DateOnly), f.o.Fingerprint)
	var models []string
	if f.file.CreatedBy != byLab { // whose public answers are no traffic
		models = slices.Clone(f.file.Data.Models)
	}
	f.file.CreatedBy, f.file.Model = f.o.CreatedBy, cmp.Or(f.o.Model, f.file.Model)
	for i := range f.rows {
		if name := f.rows[i].Model; name != "" {
			models = append(models, name)
		}
	}
	slices.Sort(models)
	models = slices.Compact(models)
	f.file.Data = calibration.Data{
		Fingerprint: f.o.Fingerprint, Rows: len(f.rows), Positives: f.report.Labels.Wrong, Models: models[:min(len(models), maxModels)],
	}
}
