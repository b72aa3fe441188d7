package check

import (
	"errors"
	"fmt"
	"time"

	"confab/cmd/worker/internal/rowview"
	"confab/schemas"
)

// Result counts what became of the lines.
type Result struct {
	Lines, Bad, Flagged, Alerts, Blocked int

	Unchecked int // no detector had anything to check
	Detectors []DetectorCount
	Reasons   Counts // of detectors that could not check, in unchecked lines
	Unknown   Counts // names of unknown fields
	Malformed Counts // names of fields that could not be read

	BadHint, UncheckedHint Hint // what the first of those lines looks like

	Elapsed time.Duration
}

// Hint says what a line looks like.
type Hint struct {
	Text  string // empty if unknown
	tried bool
}

// DetectorCount counts the outcomes of one detector.
type DetectorCount struct {
	Detector string
	Outcomes map[schemas.Outcome]int
	Reasons  Counts // of not_checkable and skipped
}

// Measured is the number of lines that have a flag.
func (r *Result) Measured() int { return r.Lines - r.Bad }

func (r *Result) count(job *checkJob) {
	f := &job.flag
	if len(f.Fired) > 0 {
		r.Flagged++
	}
	if f.Alert {
		r.Alerts++
	}
	if f.Recommendation == schemas.Block {
		r.Blocked++
	}
	r.Unknown.add(job.unknown...)
	r.Malformed.add(job.malformed...)
	r.countSignals(f.Signals)
	if job.class == rowview.Unchecked {
		r.Unchecked++
		r.describe(job.line, &r.UncheckedHint)
		r.countReasons(f.Signals)
	}
}

func (r *Result) countSignals(signals []schemas.Signal) {
	for i := range signals {
		s := &signals[i]
		d := r.detector(s.Detector)
		d.Outcomes[s.Outcome]++
		if s.Outcome == schemas.NotCheckable || s.Outcome == schemas.Skipped {
			d.Reasons.add(s.Reason)
		}
	}
}

// countReasons counts each reason once per line.
func (r *Result) countReasons(signals []schemas.Signal) {
	seen := map[string]bool{}
	for i := range signals {
		if reason := signals[i].Reason; signals[i].Outcome != schemas.Failed && !seen[reason] {
			seen[reason] = true
			r.Reasons.add(reason)
		}
	}
}

func (r *Result) detector(name string) *DetectorCount {
	for i := range r.Detectors {
		if r.Detectors[i].Detector == name {
			return &r.Detectors[i]
		}
	}
	r.Detectors = append(r.Detectors, DetectorCount{Detector: name, Outcomes: map[schemas.Outcome]int{}})
	return &r.Detectors[len(r.Detectors)-1]
}

// Err returns an error unless every line was measured.
func (r *Result) Err() error {
	if r.Bad == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d", ErrBadLines, r.Bad, r.Lines)
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
