package standard

import "confab/detectors/confidence"

// typicalBaselines returns a baseline under which the tokens of a typical event are clear.
type typicalBaselines struct{}

func (typicalBaselines) Baseline(string, string) *confidence.Baseline {
	return &typicalBaseline
}

var typicalBaseline = confidence.Baseline{Mean: 0.3, Stdev: 1, PeakMean: 0.4, PeakStdev: 1, N: 100}
