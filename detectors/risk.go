package detectors

import (
	"strings"
	"sync"

	"confab/schemas"
)

// Measured returns the score if the detector produced one: the rule fired, stayed clear, or has no usable threshold.
func (r *Reading) Measured() (score float64, ok bool) {
	switch {
	case r.Outcome == schemas.Fired, r.Outcome == schemas.Clear:
	case r.Outcome == schemas.Skipped && r.Reason == ReasonNotArmed:
	default:
		return 0, false
	}
	return r.Score, true
}

// Measurable names the detectors that gave a score, in the suite's order, joined by "+"; "" if none did. Fusion ignores
// detectors that call language models and detectors of other modules, so they are left out.
func (e *Evaluation) Measurable() string {
	var mask uint64
	for i := range e.readings {
		if _, ok := e.readings[i].Measured(); ok && i < 64 && !e.readings[i].entry.Deep && !e.readings[i].entry.Own {
			mask |= 1 << i
		}
	}
	return e.suite.combinations.nameOf(mask, e.suite.rules)
}

// Fusion combines the outcomes of an evaluation.
type Fusion interface {
	// LogOdds returns the log-odds that the answer is hallucinated. The evaluation has at least one score.
	LogOdds(e *Evaluation) float64
}

// Risks maps log-odds of a fusion to probabilities.
type Risks interface {
	// Risk returns the calibrated probability that the answer is hallucinated. measurable is [Evaluation.Measurable]; ok is
	// false if there is no map for it.
	Risk(measurable string, logOdds float64) (p float64, ok bool)
}

// Fused returns the log-odds, by the learned fusion of all outcomes, that the answer is hallucinated. ok is false without
// a fusion and if no detector could measure.
func (e *Evaluation) Fused() (logOdds float64, ok bool) {
	if e.suite.opts.Fusion == nil || e.Measurable() == "" {
		return 0, false
	}
	return e.suite.opts.Fusion.LogOdds(e), true
}

// Risk returns the calibrated probability that the answer is hallucinated. ok is false if no detector could measure or the
// calibration has no map for the log-odds.
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

// combinations caches the name of each set of rules, so that naming a set again allocates nothing.
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
