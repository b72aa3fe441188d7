package thresholds

import (
	"fmt"
	"math"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/roc"
)

// keyRows are the rows of one detector and key that the detector could measure.
type keyRows struct {
	calibration.ThresholdKey
	index      []int // of the rows
	scored     []roc.Scored
	candidates []roc.Candidate
	positives  int // of those scored
}

func (p *keyRows) coversAll() bool { return coversAll(p.ThresholdKey) }

// poolRows returns the rows of every detector by key, the coarsest key first. Keys without a measured row, or with the
// same rows as a coarser key, are left out.
func (c *calibrationRun) poolRows(index []int) []keyRows {
	var all []keyRows
	for d, detector := range c.detectors {
		able := map[calibration.ThresholdKey][]int{{Detector: detector}: nil}
		for _, i := range index {
			if !c.measured(d, i) {
				continue
			}
			for _, key := range c.keysOf(detector, &c.rows[i]) {
				able[key] = append(able[key], i)
			}
		}
		all = append(all, c.buildPools(d, able)...)
	}
	return all
}

// keysOf are the keys that the row counts for, each once.
func (c *calibrationRun) keysOf(detector string, r *measure.Row) []calibration.ThresholdKey {
	key := calibration.ThresholdKey{Detector: detector, Tenant: r.Tenant, Operation: r.Operation}
	if c.o.ByModel {
		key.Model = r.Model
	}
	return keysFrom(key)
}

func (c *calibrationRun) buildPools(d int, able map[calibration.ThresholdKey][]int) []keyRows {
	keys := make([]calibration.ThresholdKey, 0, len(able))
	for key := range able {
		if !repeatsCoarser(able, key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, compareKeys)
	pools := make([]keyRows, len(keys))
	for n, key := range keys {
		scored := c.weightedRows(able[key], func(i int) float64 { return c.scores[d][i] })
		pools[n] = keyRows{ThresholdKey: key, index: able[key], scored: scored, candidates: roc.Sweep(scored)}
		for _, s := range scored {
			pools[n].positives += boolInt(s.Positive)
		}
	}
	return pools
}

// repeatsCoarser reports whether a coarser key holds the same rows.
func repeatsCoarser(able map[calibration.ThresholdKey][]int, key calibration.ThresholdKey) bool {
	for _, coarser := range keysFrom(key) {
		if coarser != key && len(able[coarser]) == len(able[key]) {
			return true
		}
	}
	return false
}

// chooseThresholds chooses a threshold for every key with enough rows. Requirements are multiplied by scale, below 1
// where a fold is held out.
func (c *calibrationRun) chooseThresholds(pools []keyRows, target roc.Target, scale float64) ([]Choice, []UncoveredKey) {
	var choices []Choice
	var fallen []UncoveredKey
	target.MinFired = int(math.Ceil(float64(target.MinFired) * scale))
	for i := range pools {
		p := &pools[i]
		ch := p.choice()
		open := c.allowedCandidates(p)
		found, ok := c.choose(p, open, target)
		reason := p.shortage(c.o, scale)
		if reason == "" && !p.coversAll() {
			reason = p.tooManyPositives(target)
		}
		enough := reason == ""
		if enough && !ok {
			reason, enough = c.unmetReason(p, open, target)
		}
		switch {
		case enough && ok:
			ch.Armed, ch.Candidate = true, roc.At(p.scored, max(c.minThreshold(p), roundDown(found.Threshold)))
		case enough:
			ch.Reason = reason
		case p.coversAll():
			ch.Reason = reason
			if len(c.keptThresholds(p.Detector)) > 0 {
				ch.KeptFrom = c.o.Keep.ID()
			}
		default:
			fallen = append(fallen, UncoveredKey{ThresholdKey: p.ThresholdKey, Rows: len(p.scored), Reason: reason})
			continue
		}
		choices = append(choices, ch)
	}
	return choices, fallen
}

func (p *keyRows) choice() Choice {
	return Choice{
		ThresholdKey: p.ThresholdKey, Rows: len(p.scored), Sweep: p.sweep(),
	}
}

// sweep are the figures of nine thresholds.
func (p *keyRows) sweep() []roc.Candidate {
	all := make([]roc.Candidate, 9)
	for i := range all {
		all[i] = roc.At(p.scored, float64(i+1)/10)
	}
	return all
}

// aboveZero are the candidates above 0. A score of 0 means that nothing was found; a threshold of 0 would always fire.
func aboveZero(candidates []roc.Candidate) []roc.Candidate {
	for i, c := range candidates {
		if c.Threshold > 0 {
			return candidates[i:]
		}
	}
	return nil
}

// shortage says why a key has too few rows, "" when it has enough.
func (p *keyRows) shortage(o Options, scale float64) string {
	need, each := int(math.Ceil(float64(o.MinRows)*scale)), int(math.Ceil(float64(o.MinClass)*scale))
	n, bad, good := len(p.scored), p.positives, len(p.scored)-p.positives
	switch {
	case n == 0:
		return "no row that it could check"
	case n < need:
		return fmt.Sprintf("too few rows: it could check %d, %d are needed", n, need)
	case bad < each:
		return fmt.Sprintf("too few bad answers: %d of %d rows, %d are needed", bad, n, each)
	case good < each:
		return fmt.Sprintf("too few good answers: %d of %d rows, %d are needed", good, n, each)
	}
	return ""
}

// tooManyPositives says why the target means nothing for a key: nearly all rows are bad; "" otherwise.
func (p *keyRows) tooManyPositives(target roc.Target) string {
	all := roc.At(p.scored, math.Inf(-1)) // a threshold that always fires
	if all.Precision < target.Precision {
		return ""
	}
	return fmt.Sprintf("too few good answers: %.0f %% of its rows are bad, so that any threshold meets the target", 100*all.Precision)
}

// unmetReason says why no threshold reaches the target, and whether that is final: with more labels a target that too
// few rows reach may be reached.
func (c *calibrationRun) unmetReason(p *keyRows, candidates []roc.Candidate, target roc.Target) (reason string, final bool) {
	if len(aboveZero(p.candidates)) == 0 {
		return "it finds nothing: every score is 0", false
	}
	if fired := aboveZero(p.candidates)[0].Fired; fired < target.MinFired {
		return fmt.Sprintf("too few rows score above 0: %d, %d are needed", fired, target.MinFired), false
	}
	if len(candidates) == 0 {
		return "no row fires at the current threshold, or there is none, and these labels cannot lower or arm it", false
	}
	best, most := 0.0, 0
	for _, c := range candidates {
		if c.Fired >= target.MinFired {
			best = max(best, c.Precision)
		}
		if c.Precision >= target.Precision {
			most = max(most, c.Fired)
		}
	}
	if most > 0 {
		return fmt.Sprintf("too few rows fire: the target is met on %d, %d are needed", most, target.MinFired), false
	}
	return fmt.Sprintf("the target is never met: precision is at most %.2f", best), true
}

// roundDown keeps six digits. Scores that differ by less count as equal.
func roundDown(at float64) float64 {
	const digits = 1e6
	if short := math.Floor(at*digits) / digits; short > 0 {
		return short
	}
	return at
}

// thresholds are those of the choices, and those of Keep for detectors with too few rows.
func (c *calibrationRun) thresholds(choices []Choice) []calibration.Threshold {
	var rows []calibration.Threshold
	for i := range choices {
		if choices[i].KeptFrom == "" {
			rows = append(rows, choices[i].threshold())
			continue
		}
		rows = append(rows, c.keptThresholds(choices[i].Detector)...)
	}
	return append(rows, c.unmeasuredThresholds()...)
}

// unmeasuredThresholds are the thresholds of Keep for detectors that measured no row at all, such as those of the deep
// evaluation.
func (c *calibrationRun) unmeasuredThresholds() []calibration.Threshold {
	if c.o.Keep == nil {
		return nil
	}
	var rows []calibration.Threshold
	for _, t := range c.o.Keep.File().Thresholds {
		if c.position(t.Detector) < 0 {
			rows = append(rows, t)
		}
	}
	return rows
}

// keptThresholds are the thresholds of Keep for the detector.
func (c *calibrationRun) keptThresholds(detector string) []calibration.Threshold {
	if c.o.Keep == nil {
		return nil
	}
	var rows []calibration.Threshold
	for _, t := range c.o.Keep.File().Thresholds {
		if t.Detector == detector {
			rows = append(rows, t)
		}
	}
	return rows
}
