package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"confab/detectors/confidence"
	"confab/internal/rowview"
	"confab/schemas"
)

// Result counts what became of the lines.
type Result struct {
	Lines, Bad, Flagged, Alerts, Blocked int

	Skipped   int // by the filter of the input
	Hinted    int // quiet, with weak hints
	Unchecked int // no detector had anything to check
	Detectors []DetectorCount
	Reasons   Counts // why detectors could not check: unchecked lines
	AnyReason Counts // the same, all lines
	Unknown   Counts // names of unknown fields
	Malformed Counts // names of fields that could not be read
	Usual     Counts // models and operations whose baseline is learned, with the answers that it has been learned from

	Rewritten Counts // what became of answers that were rewritten

	Prompts   int // lines whose messages were searched for sources
	Sourced   int // of Prompts, those with sources
	unsourced int // the line of the first of Prompts without sources

	spanKeys Counts // attributes with text of spans that have no known answer

	UnreadSpans int // of OTLP records with several spans

	uncheckedHint string // where the texts of the first of those lines may lie
	hinted        bool   // that was looked for

	Elapsed time.Duration

	timeAt, zonelessTime, unreadTime string // the place of times in the map, and the first ones
	timed                            bool   // an answer has a time

	set    map[string]float64 // thresholds of the configuration
	preset string             // that the lines are read with
	began  map[string]string  // how the first reply began that could not be read, redacted, by the reason of the signals
}

// DetectorCount counts the outcomes of one detector.
type DetectorCount struct {
	Detector string
	Outcomes map[schemas.Outcome]int
	Reasons  Counts // of not_checkable and skipped
	Failures Counts // of error
}

// Measured is the number of lines that have a flag.
func (r *Result) Measured() int { return r.Lines - r.Bad - r.Skipped }

// countPrompt counts an answer whose passages were looked for in its prompt.
func (r *Result) countPrompt(job *checkJob) {
	switch {
	case !job.searched:
		return
	case job.sourced:
		r.Sourced++
	case r.unsourced == 0 && !job.calls: // whose results are sources
		r.unsourced = job.number
	}
	r.Prompts++
}

func (r *Result) count(job *checkJob) {
	f := &job.flag
	if len(f.Fired) > 0 {
		r.Flagged++
	}
	if f.Alert {
		r.Alerts++
	}
	if job.hinted {
		r.Hinted++
	}
	r.timed = r.timed || job.timed
	if f.Recommendation == schemas.Block {
		r.Blocked++
	}
	r.countPrompt(job)
	r.Rewritten.add(job.rewritten)
	r.Unknown.add(job.unknown...)
	r.Malformed.add(job.malformed...)
	if slices.Contains(job.malformed, timeField) {
		r.unreadTime = cmp.Or(r.unreadTime, job.time)
	} else {
		r.zonelessTime = cmp.Or(r.zonelessTime, job.time)
	}
	r.countBaseline(f)
	reasons := r.countSignals(f.Signals)
	r.AnyReason.add(reasons...)
	if job.in != nil && job.in.NoAnswer == schemas.NotFound {
		r.spanKeys.add(job.unknown...)
	}
	if job.class == rowview.Unchecked {
		r.Unchecked++
		r.Reasons.add(reasons...)
	}
}

// countSignals returns the distinct reasons for which detectors could not check.
func (r *Result) countSignals(signals []schemas.Signal) (reasons []string) {
	for i := range signals {
		s := &signals[i]
		d := r.detector(s.Detector)
		d.Outcomes[s.Outcome]++
		if s.Outcome == schemas.NotCheckable || s.Outcome == schemas.Skipped {
			d.Reasons.add(s.Reason)
			if !slices.Contains(reasons, s.Reason) {
				reasons = append(reasons, s.Reason)
			}
		}
		if s.Outcome == schemas.Failed {
			d.Failures.add(s.Reason)
		}
	}
	return reasons
}

// countBaseline keeps what the confidence of the answer was compared with.
func (r *Result) countBaseline(f *schemas.Flag) {
	for i := range f.Signals {
		if n := int(f.Signals[i].Measures[confidence.MeasureAnswers]); n > 0 && f.Signals[i].Detector == confidence.Name {
			name := strings.Trim(f.Model+" "+f.Operation, " ")
			if r.Usual.add(name); r.Usual.n[name] > 0 { // not one of the others
				r.Usual.n[name] = max(n, r.Usual.n[name]-1)
			}
		}
	}
}

// explain orders the reasons of unchecked lines, those first that explain them best: frequent there and rare elsewhere. The
// lack of token probabilities in a whole file explains nothing.
func (r *Result) explain() []string {
	names := slices.Clone(r.Reasons.names)
	weight := func(name string) float64 {
		n := float64(r.Reasons.n[name])
		return n * n / float64(max(1, r.AnyReason.n[name]))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(weight(b), weight(a)) })
	return names
}

func (r *Result) detector(name string) *DetectorCount {
	i := slices.IndexFunc(r.Detectors, func(d DetectorCount) bool { return d.Detector == name })
	if i < 0 {
		i, r.Detectors = len(r.Detectors), append(r.Detectors, DetectorCount{Detector: name, Outcomes: map[schemas.Outcome]int{}})
	}
	return &r.Detectors[i]
}

// Err returns an error unless every line was measured.
func (r *Result) Err() error {
	if r.Bad == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d", ErrBadLines, r.Bad, r.Lines)
}

// NotJudged returns an error if one of the detectors failed on any answer. The summary has the causes.
func (r *Result) NotJudged(detectors []string) error {
	for i := range r.Detectors {
		d := &r.Detectors[i]
		if n := d.Outcomes[schemas.Failed]; n > 0 && slices.Contains(detectors, d.Detector) {
			return fmt.Errorf("some answers were not judged: %s failed on %d of %d", d.Detector, n, r.Measured())
		}
	}
	return nil
}

// ErrBadLines says that some lines could not be read; each was reported with its number.
var ErrBadLines = errors.New("some lines could not be read")

// maxCounted bounds the distinct names of Counts; further ones are counted as otherName.
const maxCounted = 100

const otherName = "other"

// Counts counts names, in the order of their first appearance.
type Counts struct {
	names []string
	n     map[string]int
}

func (c *Counts) add(names ...string) {
	for _, name := range names {
		if name == "" {
			continue
		}
		if c.n == nil {
			c.n = map[string]int{}
		}
		if _, known := c.n[name]; !known {
			if len(c.names) >= maxCounted {
				name = otherName
			}
			if _, known := c.n[name]; !known {
				c.names = append(c.names, name)
			}
		}
		c.n[name]++
	}
}
