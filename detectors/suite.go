package detectors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"confab/schemas"
)

// Reasons of outcomes that detectors share.
const (
	ReasonNoSources = "no sources"
	ReasonNoClaims  = "no claims"
	ReasonLanguage  = "language"
)

// Reasons of outcomes that the suite itself decides.
const (
	ReasonEmptyAnswer = "empty answer"
	ReasonNotArmed    = "not_armed"
	ReasonBudget      = "budget"   // the counted work was too much
	ReasonDeadline    = "deadline" // the time was over, or the worker shuts down
	ReasonPanic       = "panic"
	ReasonBadScore    = "score out of range"
)

// Options make a suite.
type Options struct {
	Detectors  []Entry        // in the order in which they run
	Settings   map[string]any // by detector name, what its NewOptions returned, filled; a missing one means the defaults
	Fusion     Fusion         // nil: flags have no risk
	Thresholds Thresholds
	Risks      Risks               // nil: flags have no risk
	Metrics    *Metrics            // nil counts nowhere
	Now        func() time.Time    // the clock that durations are read from
	Redact     func(string) string // applied to excerpts, notes and errors before they enter a flag
	Logger     *slog.Logger        // told of panics; nil tells nobody

	// MaxWork ends an evaluation after that many units of counted work; 0: [MaxWork]. Deadline ends it after that time; 0:
	// never, so that what is compared or learned from does not depend on the load of the machine.
	MaxWork  int64
	Deadline time.Duration

	Version     string // of the worker
	Calibration string // id of the calibration file
}

// Suite applies one rule per detector to interactions: it alone compares scores with thresholds. It is safe for
// concurrent use.
type Suite struct {
	opts  Options
	rules []rule
	pool  sync.Pool // of *Evaluation

	combinations combinations
}

// rule is a detector with what its outcome is judged and counted by.
type rule struct {
	entry    Entry
	detector Detector
	metrics  ruleMetrics
}

// NewSuite builds the detectors. Its error joins all that is wrong with their settings.
func NewSuite(o Options) (*Suite, error) {
	if o.Thresholds == nil || o.Now == nil || o.Redact == nil {
		return nil, errors.New("make a suite: Thresholds, Now and Redact are required")
	}
	if o.MaxWork == 0 {
		o.MaxWork = MaxWork
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil, nil)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Suite{opts: o}
	s.pool.New = func() any { return &Evaluation{} }
	if err := s.build(); err != nil {
		return nil, fmt.Errorf("make a suite: %w", err)
	}
	return s, nil
}

// build makes the rules. Its error joins all that is wrong.
func (s *Suite) build() error {
	o := &s.opts
	known := map[string]bool{}
	var errs []error
	for _, e := range o.Detectors {
		if known[e.Name] {
			errs = append(errs, fmt.Errorf("detector %s is listed twice", e.Name))
		}
		known[e.Name] = true
		d, err := e.New(o.Settings[e.Name])
		if err != nil {
			errs = append(errs, fmt.Errorf("detectors.%s: %w", e.Name, err))
			continue
		}
		s.rules = append(s.rules, rule{entry: e, detector: withFaults(d), metrics: o.Metrics.seriesOf(e.Name)})
	}
	for name := range o.Settings {
		if !known[name] {
			errs = append(errs, fmt.Errorf("detectors.%s: no such detector; there are %s", name, strings.Join(Names(o.Detectors), ", ")))
		}
	}
	return errors.Join(errs...)
}

// Evaluate applies every rule to the interaction, which must stay unchanged until the evaluation is released. A detector
// that fails or panics costs its own signal only. Rules that are not reached before ctx ends are skipped; whether the
// evaluation then counts is the caller's to decide. In the steady state nothing is allocated.
func (s *Suite) Evaluate(ctx context.Context, in *schemas.Interaction) *Evaluation {
	return s.EvaluateWith(ctx, in, nil)
}

// EvaluateWith is Evaluate of a document that prepare may furnish with what this evaluation alone needs; nil leaves it as
// it is.
func (s *Suite) EvaluateWith(ctx context.Context, in *schemas.Interaction, prepare func(*Document)) *Evaluation {
	e := s.pool.Get().(*Evaluation)
	e.reset(s, in)
	if prepare != nil {
		prepare(&e.doc)
	}
	e.doc.work.start(workLimits{units: s.opts.MaxWork, duration: s.opts.Deadline, now: s.opts.Now, done: ctx.Done()})
	empty := strings.TrimSpace(in.Answer) == ""
	for i := range s.rules {
		r := &s.rules[i]
		var reading Reading
		switch {
		case ctx.Err() != nil:
			reading = Reading{Outcome: schemas.Skipped, Reason: ReasonDeadline}
		case e.doc.work.Ended() != "":
			reading = Reading{Outcome: schemas.Skipped, Reason: e.doc.work.Ended()}
		case empty && r.entry.Prose:
			reading = Reading{Outcome: schemas.NotCheckable, Reason: ReasonEmptyAnswer}
		default:
			reading = s.apply(ctx, r, &e.doc)
		}
		r.metrics.runs[reading.Outcome].Inc()
		if why := e.doc.work.Ended(); why != "" && reading.Outcome == schemas.Skipped && ctx.Err() == nil {
			r.metrics.skipped[why].Inc()
			e.ended, reading.ended = why, true
		}
		e.add(r, reading)
	}
	s.opts.Metrics.countCut(e.doc.cut)
	return e
}

// apply runs a detector and judges its finding.
func (s *Suite) apply(ctx context.Context, r *rule, doc *Document) Reading {
	began := s.opts.Now()
	f, err := s.detect(ctx, r, doc)
	r.metrics.duration.Observe(s.opts.Now().Sub(began).Seconds())
	switch {
	case doc.work.Ended() != "":
		reading := Reading{Outcome: schemas.Skipped, Reason: doc.work.Ended()}
		if r.entry.Deep {
			reading.Finding.Measures = f.Measures // calls were paid
		}
		return reading
	case err != nil:
		return failedReading(err, f)
	case f.NotCheckable != "":
		return Reading{Outcome: schemas.NotCheckable, Reason: f.NotCheckable, Finding: f}
	case math.IsNaN(f.Score) || f.Score < 0 || f.Score > 1:
		return Reading{Outcome: schemas.Failed, Reason: ReasonBadScore}
	}
	r.metrics.score.Observe(f.Score)
	key := r.entry.Name
	if f.Basis != "" {
		key += "." + f.Basis
	}
	limit, armed := s.opts.Thresholds.Threshold(key, doc.in.Tenant, doc.in.Operation)
	reading := Reading{Outcome: schemas.Clear, Score: f.Score, Threshold: limit, Reason: f.Reason, Finding: f}
	switch {
	case !armed || math.IsNaN(limit):
		reading.Outcome, reading.Reason, reading.Threshold = schemas.Skipped, ReasonNotArmed, 0
	case f.Score >= limit:
		reading.Outcome = schemas.Fired
	}
	return reading
}

// failedReading is the reading of a detector that could not measure. What it counted on the way stays: calls were paid.
func failedReading(err error, f Finding) Reading {
	kept := Finding{Measures: f.Measures}
	if why, is := errors.AsType[schemas.NotJudged](err); is && why.Skips() {
		return Reading{Outcome: schemas.Skipped, Reason: why.Error(), Finding: kept}
	}
	return Reading{Outcome: schemas.Failed, err: err, Finding: kept}
}

var errPanic = errors.New(ReasonPanic)

// detect runs a detector and turns its panic into errPanic, so that a hostile text does not stop the partition it came
// on. The schema meter recovers from panics of the validator before.
func (s *Suite) detect(ctx context.Context, r *rule, doc *Document) (f Finding, err error) {
	defer func() {
		if v := recover(); v != nil {
			// The value may quote the text; the stack holds none.
			s.opts.Logger.Error("detector panicked", "detector", r.entry.Name, "stack", string(debug.Stack()))
			f, err = Finding{}, errPanic
		}
	}()
	return r.detector.Detect(ctx, doc)
}
