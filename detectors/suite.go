package detectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"confab/schemas"
)

// Reasons shared by detectors.
const (
	ReasonNoSources = "no sources"
	ReasonNoClaims  = "no claims"
	ReasonAbstains  = "abstention" // the answer only says that it or the sources do not know
	ReasonLanguage  = "language"
	ReasonTruncated = "truncated" // the support may lie in text of a source that was not read
)

// Reasons set by the suite.
const (
	ReasonEmptyAnswer = "empty answer"
	ReasonMalformed   = "malformed_field" // the record has a malformed field that the detector reads
	ReasonNotArmed    = "not_armed"
	ReasonOperation   = "operation" // the configuration leaves the operation out
	ReasonBudget      = "budget"    // counted work above MaxWork
	ReasonDeadline    = "deadline"  // time limit reached, or the worker shuts down
	ReasonPanic       = "panic"
	ReasonBadScore    = "score out of range"
)

// Options configures a suite.
type Options struct {
	Detectors  []Entry        // in the order in which they run
	Settings   map[string]any // by detector name: the filled value of NewOptions; a missing one means the defaults
	Fusion     Fusion         // nil: flags have no risk
	Thresholds Thresholds
	Risks      Risks               // nil: flags have no risk
	Metrics    *Metrics            // may be nil
	Now        func() time.Time    // the clock
	Learn      func(e *Evaluation) // called after the last rule of each evaluation; may be nil
	Redact     func(string) string // applied to excerpts, notes and errors before they enter a flag
	Logger     *slog.Logger        // receives panics of detectors; may be nil
	Explain    bool                // flags carry the evidence of clear signals, too

	// HideExcerpts leaves every text of the answer, the sources and the question out of flags. Places, scores and reasons remain.
	HideExcerpts bool

	// Attributes are those of the application that flags copy, redacted and cut to MaxExcerpt characters. A flag's own of the same
	// name win.
	Attributes []string

	// Limits on what is measured of an interaction, and those of tenants with their own.
	Limits       Limits
	TenantLimits map[string]Limits

	// SkipOperations are operations whose answers are not measured. A name ending in * stands for all that begin so.
	SkipOperations []string

	// Off are detectors that are not applied.
	Off OffByTenant

	// MaxWork ends an evaluation after that many units of work; 0 means [MaxWork]. Deadline ends it after that time; 0 means
	// never, so that comparisons and training do not depend on the load of the machine.
	MaxWork  int64
	Deadline time.Duration

	Version     string // of the worker
	Calibration string // id of the calibration file
}

// OffByTenant are names of detectors by tenant; "" stands for tenants that it does not name.
type OffByTenant map[string][]string

// Of are those of a tenant.
func (o OffByTenant) Of(tenant string) []string {
	if names, ok := o[tenant]; ok {
		return names
	}
	return o[""]
}

// Suite applies one rule per detector to interactions and compares scores with thresholds. It is safe for concurrent use.
type Suite struct {
	opts  Options
	rules []rule
	pool  sync.Pool // of *Evaluation
}

// rule is a detector with its entry and metrics.
type rule struct {
	entry    Entry
	detector Detector
	metrics  ruleMetrics
	logged   *atomic.Int64 // time of the last line about a panic, in nanoseconds; 0: none
}

// logPanicsEvery is the minimum time between two lines about panics of one detector. Metrics count all of them.
const logPanicsEvery = time.Minute

// NewSuite builds the detectors. Its error joins all errors of their settings.
func NewSuite(o Options) (*Suite, error) {
	if o.Thresholds == nil || o.Now == nil || o.Redact == nil {
		return nil, errors.New("make detector suite: set Thresholds, Now and Redact")
	}
	o.MaxWork = cmp.Or(o.MaxWork, MaxWork)
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil, nil)
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if len(o.Detectors) == 0 {
		return nil, errors.New("make detector suite: no detectors: take them from standard.Fast, or add your own")
	}
	s := &Suite{opts: o}
	s.pool.New = func() any { return &Evaluation{} }
	if err := s.build(); err != nil {
		return nil, fmt.Errorf("make detector suite: %w", err)
	}
	return s, nil
}

func (s *Suite) build() error {
	o := &s.opts
	known := map[string]bool{}
	var errs []error
	for _, e := range o.Detectors {
		if known[e.Name] {
			errs = append(errs, fmt.Errorf("detector %s is listed twice", e.Name))
		}
		known[e.Name] = true
		if e.Name == "" || e.New == nil {
			errs = append(errs, fmt.Errorf("detector %q: its entry needs Name and New", e.Name))
			continue
		}
		d, err := e.New(o.Settings[e.Name])
		if err != nil {
			errs = append(errs, fmt.Errorf("detectors.%s: %w", e.Name, err))
			continue
		}
		s.rules = append(s.rules, rule{entry: e, detector: withFaults(d), metrics: o.Metrics.seriesOf(e.Name), logged: &atomic.Int64{}})
	}
	for name := range o.Settings {
		if !known[name] {
			errs = append(errs, fmt.Errorf("detectors.%s: no such detector; there are %s", name, strings.Join(Names(o.Detectors), ", ")))
		}
	}
	return errors.Join(errs...)
}

// Evaluate applies every rule to the interaction, which must not change until the evaluation is released. A detector that
// fails or panics loses only its own signal. Rules not reached before ctx ends are skipped; the caller decides whether to
// use such an evaluation. In the steady state nothing is allocated.
func (s *Suite) Evaluate(ctx context.Context, in *schemas.Interaction) *Evaluation {
	return s.EvaluateWith(ctx, in, nil)
}

// EvaluateWith is Evaluate with what only this evaluation needs, which its detectors get from [Document.Attached].
func (s *Suite) EvaluateWith(ctx context.Context, in *schemas.Interaction, attached any) *Evaluation {
	e := s.pool.Get().(*Evaluation)
	e.reset(s, in)
	e.doc.attached, e.doc.explain = attached, s.opts.Explain
	began := s.opts.Now()
	e.doc.work = Work{spent: e.doc.work.spent, limit: s.opts.MaxWork, now: s.opts.Now, done: ctx.Done()} // units spent before count
	if s.opts.Deadline > 0 {
		e.doc.work.deadline = began.Add(s.opts.Deadline)
	}
	empty, skipped := strings.TrimSpace(in.Answer) == "", s.skips(in.Operation)
	off := s.opts.Off.Of(in.Tenant)
	for i := range s.rules {
		r := &s.rules[i]
		if slices.Contains(off, r.entry.Name) {
			continue
		}
		reading := e.add(r)
		switch why := e.leftOut(ctx, skipped); {
		case why != "":
			reading.set(schemas.Skipped, why)
		case empty && r.entry.Prose:
			reading.set(schemas.NotCheckable, ReasonEmptyAnswer)
		case r.entry.readsAny(in.Malformed):
			reading.set(schemas.NotCheckable, ReasonMalformed)
		default:
			began = s.apply(ctx, r, reading, &e.doc, began)
		}
		e.complete(ctx, reading, &r.metrics)
	}
	s.opts.Metrics.countCut(e.doc.cut)
	if s.opts.Learn != nil {
		s.opts.Learn(e)
	}
	return e
}

// leftOut is the reason why the next rule is not applied, "" if it is. skipped says that the operation is left out.
func (e *Evaluation) leftOut(ctx context.Context, skipped bool) string {
	switch {
	case skipped:
		return ReasonOperation
	case ctx.Err() != nil:
		return ReasonDeadline
	default:
		return e.doc.work.Ended()
	}
}

// skips reports whether answers of the operation are not measured.
func (s *Suite) skips(operation string) bool {
	return slices.ContainsFunc(s.opts.SkipOperations, func(name string) bool {
		prefix, open := strings.CutSuffix(name, "*")
		return name == operation || open && strings.HasPrefix(operation, prefix)
	})
}

// Skipped reports whether the answer was not measured because of its operation.
func (e *Evaluation) Skipped() bool { return e.suite.skips(e.doc.in.Operation) }

// limitsOf returns the limits of the tenant's interactions.
func (s *Suite) limitsOf(tenant string) Limits {
	if l, ok := s.opts.TenantLimits[tenant]; ok {
		return l
	}
	return s.opts.Limits
}

// apply runs a detector, compares its score with the threshold and completes the empty reading. The detector's time is that
// since began, the end of the one before; apply returns its end.
func (s *Suite) apply(ctx context.Context, r *rule, reading *Reading, doc *Document, began time.Time) (end time.Time) {
	f := &reading.Finding
	err := s.detect(ctx, r, doc, f)
	end = s.opts.Now()
	r.metrics.duration.Observe(end.Sub(began).Seconds())
	switch {
	case doc.work.Ended() != "":
		reading.set(schemas.Skipped, doc.work.Ended())
		if !r.entry.Deep {
			f.Measures = nil
		}
		*f = Finding{Measures: f.Measures} // they count paid calls
	case err != nil:
		*f = Finding{Measures: f.Measures} // they count paid calls
		reading.fail(err)
	case f.NotCheckable != "":
		reading.set(schemas.NotCheckable, f.NotCheckable)
	case math.IsNaN(f.Score) || f.Score < 0 || f.Score > 1:
		*f = Finding{}
		reading.set(schemas.Failed, ReasonBadScore)
	default:
		r.metrics.score.Observe(f.Score)
		reading.Score = f.Score
		s.judge(reading, doc.in)
	}
	return end
}

// judge compares the score of a measured reading with the threshold.
func (s *Suite) judge(r *Reading, in *schemas.Interaction) {
	limit, armed := s.opts.Thresholds.Threshold(thresholdName(r.Detector, r.Finding.Basis), in.Tenant, in.Operation, in.Model)
	r.Threshold = limit
	switch {
	case !armed || math.IsNaN(limit):
		r.Threshold = 0
		r.set(schemas.Skipped, ReasonNotArmed)
	case r.Score >= limit:
		r.set(schemas.Fired, r.Finding.Reason)
	default:
		r.set(schemas.Clear, "")
	}
}

var errPanic = errors.New(ReasonPanic)

// detect runs a detector and returns errPanic if it panics, so that a hostile text does not stop its partition.
func (s *Suite) detect(ctx context.Context, r *rule, doc *Document, f *Finding) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(r)
			doc.discard()
			err = errPanic
		}
	}()
	*f, err = r.detector.Detect(ctx, doc)
	return err
}

// logPanic logs the stack, without the value of the panic, which may quote the text.
func (s *Suite) logPanic(r *rule) {
	now, last := s.opts.Now().UnixNano(), r.logged.Load()
	if last != 0 && now-last < int64(logPanicsEvery) || !r.logged.CompareAndSwap(last, now) {
		return
	}
	s.opts.Logger.Error("detector panicked", "detector", r.entry.Name, "stack", string(debug.Stack()))
}
