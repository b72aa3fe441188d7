package measure

import (
	"math"
	"math/bits"
	"slices"

	"confab/detectors"
	"confab/detectors/fusion"
)

// FuseWith sets the row's log-odds by a fusion of the row's inputs.
func (r *Row) FuseWith(logOdds func(inputs []float32) float64) {
	all := r.fusedSet()
	r.fuse(func(used detectors.DetectorSet) float64 {
		x := r.Inputs
		if used != all {
			x = slices.Clone(x)
		}
		for out := uint64(all &^ used); out != 0; out &= out - 1 {
			fusion.Without(x, r.Signals[bits.TrailingZeros64(out)].Detector)
		}
		return logOdds(x)
	})
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
