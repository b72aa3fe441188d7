package quality

import (
	"errors"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"confab/calibration"
	"confab/calibration/measure"
)

// Options configure Evaluate.
type Options struct {
	Calibration *calibration.Calibration    // thresholds and risk maps
	FlagAbove   func(tenant string) float64 // risk above which flagging is recommended; nil is 0.4
	By          By
	Resamples   int // of the bootstrap; 0 gives no intervals
	Seed        uint64
	Workers     int
	Progress    func(done, total int) // called after each line; may be nil
}

// Line holds the figures of one scorer on one slice of a data set.
type Line struct {
	Dataset, Slice, Detector string
	OnlySlice                bool // the slice is the whole data set
	Rows                     int  // of the slice
	N, Positives             int  // measured by the detector
	Figures                  [metrics]Figure
}

// NotCheckable is the share of the rows that the detector could not measure.
func (l *Line) NotCheckable() float64 {
	if l.Rows == 0 {
		return 0
	}
	return 1 - float64(l.N)/float64(l.Rows)
}

// Report holds the figures of all rows.
type Report struct {
	Calibration string // its id
	By          By
	Lines       []Line
	Notes       []string // reasons why figures are unreliable
}

// Evaluate computes the figures of measured rows. The same rows and options give the same report, whatever Workers is.
func Evaluate(rows []measure.Row, o Options) (*Report, error) {
	if len(rows) == 0 {
		return nil, errors.New("judge: no row is left to judge: are the labels' rows of the form that docs/tuning.md describes? Of a log of another form confab map and confab tune LOG --map make them")
	}
	report := &Report{Calibration: o.Calibration.ID(), By: o.By}
	var work []func(*Report)
	for _, c := range sliceRows(rows, o.By) {
		scorers := o.judging
		if !c.kind {
			scorers = o.scorers
			if !c.onlySlice {
				report.Notes = append(report.Notes, c.notes()...)
			}
		}
		for _, s := range scorers(c.rows) {
			report.Lines = append(report.Lines, Line{})
			at := len(report.Lines) - 1
			work = append(work, func(r *Report) { r.Lines[at] = o.line(c, s) })
		}
	}
	o.runAll(work, report)
	return report, nil
}

// runAll runs the functions, each of which fills its own part of the report.
func (o *Options) runAll(work []func(*Report), report *Report) {
	var progress sync.Mutex
	done := 0
	var workers errgroup.Group
	workers.SetLimit(max(1, o.Workers))
	for _, fill := range work {
		workers.Go(func() error {
			fill(report)
			progress.Lock()
			defer progress.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, len(work))
			}
			return nil
		})
	}
	_ = workers.Wait() // none fails
}

func (o *Options) line(c *rowSlice, s rowScorer) Line {
	series, measured, faulty := s.series(c)
	l := Line{Dataset: c.dataset, Slice: c.slice, OnlySlice: c.onlySlice, Detector: s.name, Rows: len(c.rows), N: measured, Positives: faulty}
	for m := range l.Figures {
		l.Figures[m] = Figure{math.NaN(), math.NaN(), math.NaN()}
	}
	if l.N == 0 {
		return l
	}
	at := series.figures(nil)
	low, high := series.intervals(o.Resamples, o.Seed)
	for _, m := range s.has {
		if c.kind && m > Places && m != Recall && m != FalseAlarms {
			continue // its share of wrong answers is nobody's
		}
		if l.Figures[m].Value = at[m]; l.Figures[m].Defined() {
			l.Figures[m].Low, l.Figures[m].High = low[m], high[m]
		}
	}
	return l
}
