package measure

import (
	"math"

	"confab/detectors"
)

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
