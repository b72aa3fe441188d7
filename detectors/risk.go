package detectors

import (
	"strings"
	"sync"

	"confab/schemas"
)

// Measured is the score that the rule's detector gave, and whether it gave one: it may have fired, stayed clear, or had
// no usable threshold.
func (r *Reading) Measured() (score float64, ok bool) {
	switch {
	case r.Outcome == schemas.Fired, r.Outcome == schemas.Clear:
	case r.Outcome == schemas.Skipped && r.Reason == ReasonNotArmed:
	default:
		return 0, false
	}
	return r.Score, true
}

// Measurable names the detectors that gave a score, in the suite's order, joined by "+"; "" when none could. Those that
// ask language models are left out: fusion does not read them, and its risk is the same with and without them.
func (e *Evaluation) Measurable() string {
	var mask uint64
	for i := range e.readings {
		if _, ok := e.readings[i].Measured(); ok && i < 64 && !e.readings[i].entry.Deep {
			mask |= 1 << i
		}
	}
	return e.suite.combinations.nameOf(mask, e.suite.rules)
}

// Fusion joins the outcomes of an evaluation into one.
type Fusion interface {
	// LogOdds are those that the answer is hallucinated. The evaluation has at least one score.
	LogOdds(e *Evaluation) float64
}

// Risks turn what fusion says of an interaction into a probability.
type Risks interface {
	// Risk is the calibrated probability that the answer is hallucinated. measurable names the detectors that could
	// measure it, in the suite's order, joined by "+"; ok is false when no map is known.
	Risk(measurable string, logOdds float64) (p float64, ok bool)
}

// Fused is the log-odds, by the learned fusion of all outcomes, that the answer is hallucinated. There are none without a
// fusion, and none when no detector could measure: silence is no evidence for either side.
func (e *Evaluation) Fused() (logOdds float64, ok bool) {
	if e.suite.opts.Fusion == nil || e.Measurable() == "" {
		return 0, false
	}
	return e.suite.opts.Fusion.LogOdds(e), true
}

// Risk is the calibrated probability that the answer is hallucinated; ok is false where no detector could measure, or
// where no calibration says what the log-odds mean.
func (e *Evaluation) Risk() (p float64, ok bool) {
	if e.suite.opts.Risks == nil {
		return 0, false
	}
	logOdds, ok := e.Fused()
	if !ok {
		return 0, false
	}
	return e.suite.opts.Risks.Risk(e.Measurable(), logOdds)
}

// combinations keep the name of each set of rules that has occurred, so that naming one again allocates nothing.
type combinations struct {
	mu    sync.RWMutex
	names map[uint64]string
}

func (c *combinations) nameOf(mask uint64, rules []rule) string {
	c.mu.RLock()
	name, known := c.names[mask]
	c.mu.RUnlock()
	if known {
		return name
	}
	var parts []string
	for i := range rules {
		if mask&(1<<i) != 0 {
			parts = append(parts, rules[i].entry.Name)
		}
	}
	name = strings.Join(parts, "+")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.names == nil {
		c.names = map[uint64]string{}
	}
	c.names[mask] = name
	return name
}
