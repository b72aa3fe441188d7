package measure

import (
	"math"
	"math/bits"
	"strings"

	"confab/detectors"
	"confab/schemas"
)

// FlagRow is the row of a recorded flag: its names and the scores of the named detectors. fused says which of them fusion reads;
// odds are the log-odds that a score adds to it.
func FlagRow(f *schemas.Flag, fused map[string]bool, odds func(detector string, score float64) float64) Row {
	r := Row{
		Tenant: SharedName(f.Tenant), Operation: SharedName(f.Operation), Model: SharedName(f.Model), Temperature: math.NaN(),
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		reads, known := fused[s.Detector]
		if !known || len(r.Signals) == 64 {
			continue
		}
		m := Signal{Detector: SharedName(s.Detector), Outcome: s.Outcome, Fused: reads}
		m.HasScore = s.Outcome == schemas.Fired || s.Outcome == schemas.Clear || s.Outcome == schemas.Skipped && s.Reason == detectors.ReasonNotArmed
		if m.HasScore = m.HasScore && s.Score >= 0 && s.Score <= 1; m.HasScore { // also not a number
			m.Score = s.Score
		}
		r.Signals = append(r.Signals, m)
	}
	r.fuse(func(used detectors.DetectorSet) (sum float64) {
		for ; used != 0; used &= used - 1 {
			s := &r.Signals[bits.TrailingZeros64(uint64(used))]
			sum += odds(s.Detector, s.Score)
		}
		return sum
	})
	r.Measurable = SharedName(strings.Join(r.measurable(), "+"))
	return r
}

// measurable names the detectors that gave a score to fusion.
func (r *Row) measurable() (names []string) {
	for i := range r.Signals {
		if r.Signals[i].HasScore && r.Signals[i].Fused {
			names = append(names, r.Signals[i].Detector)
		}
	}
	return names
}
