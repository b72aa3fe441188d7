package measure

import (
	"math"
	"math/bits"

	"confab/detectors"
	"confab/detectors/fusion"
)

// FuseScores sets the fusion of a row that has scores alone, such as of a flag: fused names the detectors that fusion reads.
func (r *Row) FuseScores(fused func(detector string) bool) {
	for i := range r.Signals {
		r.Signals[i].Fused = fused(r.Signals[i].Detector)
	}
	r.fuse(func(used detectors.DetectorSet) (sum float64) {
		for ; used != 0; used &= used - 1 {
			s := &r.Signals[bits.TrailingZeros64(uint64(used))]
			sum += fusion.Odds(s.Detector, s.Score)
		}
		return sum
	})
	r.Measurable = (&judgedRow{Row: r}).NameOf(r.fusedSet())
}

// fuse computes the fusion of each set of the row's detectors.
func (r *Row) fuse(logOdds func(used detectors.DetectorSet) float64) {
	r.Fused, r.Parts = math.NaN(), []Part{}
	for all, used := r.fusedSet(), r.fusedSet(); used != 0; used = (used - 1) & all {
		r.Parts = append(r.Parts, Part{used, logOdds(used)})
		if used == all {
			r.Fused = r.Parts[0].LogOdds
		}
	}
}

// fusedSet returns the signals with a score that fusion reads.
func (r *Row) fusedSet() (set detectors.DetectorSet) {
	for i := range r.Signals {
		if r.Signals[i].HasScore && r.Signals[i].Fused {
			set |= 1 << i
		}
	}
	return set
}
