package detectors

import (
	"slices"
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
	return e.suite.combinations.name(mask, e.suite.rules)
}

// FusionVector is what fusion reads, by FusionFeatures: NaN stands for what could not be measured, which is a state of
// its own and no zero. The vector is borrowed from the evaluation. It is made when first asked for, so that an
// interaction on which nothing fired never pays for it, and it allocates nothing in the steady state.
func (e *Evaluation) FusionVector() []float32 {
	if len(e.vector) > 0 {
		return e.vector
	}
	e.vector = slices.Grow(e.vector, e.suite.features)[:e.suite.features]
	for i := range e.vector {
		e.vector[i] = notMeasured
	}
	for i := range e.readings {
		e.suite.rules[i].columns.fill(e.vector, &e.readings[i])
	}
	first := len(e.vector) - len(shapes)
	for i := range shapes {
		e.vector[first+i] = float32(shapes[i].of(&e.doc))
	}
	return e.vector
}

// Fused is the log-odds, by the learned fusion of all outcomes, that the answer is hallucinated. There are none without a
// fusion model, and none when no detector could measure: silence is no evidence for either side.
func (e *Evaluation) Fused() (logOdds float64, ok bool) {
	m := e.suite.opts.Deps.Model
	if m == nil || m.Fusion == nil || e.Measurable() == "" {
		return 0, false
	}
	return m.Fusion.LogOdds(e.FusionVector()), true
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

func (c *combinations) name(mask uint64, rules []rule) string {
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
