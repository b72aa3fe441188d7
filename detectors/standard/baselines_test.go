package standard

import "confab/detectors/confidence"

// typicalBaselines say that the tokens of a typical event are the usual ones.
type typicalBaselines struct{}

func (typicalBaselines) Baseline(string, string, float64) (*confidence.Baseline, string) {
	return &typicalBaseline, ""
}

var typicalBaseline = confidence.Baseline{Mean: 0.3, Stdev: 1, Median: 0.3, MAD: 1, PeakMean: 0.4, PeakStdev: 1, N: 100}
