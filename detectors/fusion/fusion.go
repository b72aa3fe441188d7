// Package fusion combines the scores of an evaluation into the log-odds that the answer is wrong.
package fusion

import (
	"math/bits"

	"confab/detectors"
	"confab/internal/model"
)

// Sum adds the log-odds of the detectors' scores, as if they were independent. The score of grounding is a
// probability at an even prior and counts both ways. That of confidence is a rank among usual answers and counts both ways, too.
// The others prove faults: that they find none says nothing.
type Sum struct{}

// most is the largest log-odds that one detector adds: 20 to 1.
const most = 3

// A rank of 98 % adds the log-odds of a risk of .4, which a quiet answer stays below; further ones half of their logit.
const unusual, flagged = 3.9, -0.4

// LogOdds implements [detectors.Fusion].
func (Sum) LogOdds(e *detectors.Evaluation, used detectors.DetectorSet) (sum float64) {
	readings := e.Readings()
	for ; used != 0; used &= used - 1 {
		r := &readings[bits.TrailingZeros64(uint64(used))]
		score, _ := r.Measured()
		sum += Odds(r.Detector, score)
	}
	return sum
}

// Odds is what the score of one detector adds.
func Odds(detector string, score float64) float64 {
	odds := model.Logit(score)
	switch detector {
	case "grounding":
	case "confidence":
		odds = (odds-unusual)/2 + flagged
	default:
		odds = max(0, odds)
	}
	return min(max(odds, -most), most)
}
