// Package fusion combines the scores of an evaluation into the log-odds that the answer is wrong.
package fusion

import (
	"math/bits"

	"confab/detectors"
	"confab/internal/model"
)

// Sum adds the log-odds of the detectors' scores, as if they were independent. The scores of grounding and confidence are
// probabilities at an even prior and count both ways. The others prove faults: that they find none says nothing.
type Sum struct{}

// most is the largest log-odds that one detector adds: 20 to 1.
const most = 3

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
	odds := min(max(model.Logit(score), -most), most)
	if detector != "grounding" && detector != "confidence" {
		odds = max(0, odds)
	}
	return odds
}
