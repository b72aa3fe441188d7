package standard

import "confab/detectors/confidence"

// calmBaselines say that the tokens of a typical event are the usual ones.
type calmBaselines struct{}

func (calmBaselines) Baseline(string, string, float64) (*confidence.Baseline, string) {
	return &calm, ""
}

var calm = confidence.Baseline{Mean: 0.3, Stdev: 1, Median: 0.3, MAD: 1, PeakMean: 0.4, PeakStdev: 1, N: 100}
