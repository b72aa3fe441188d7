package measure

import (
	"slices"

	"confab/detectors/consistency"
	"confab/schemas"
)

// readSamples adds what recorded resamples say of the answer, as the detector would measure fresh ones: a suite that asks
// for them itself has said it already.
func (r *Row) readSamples(answer string, samples []schemas.Sample) {
	if len(samples) == 0 || slices.ContainsFunc(r.Signals, func(s Signal) bool { return s.Detector == consistency.Name }) {
		return
	}
	texts := make([]string, len(samples))
	for i := range samples {
		texts[i] = samples[i].Answer
	}
	signal := Signal{Detector: consistency.Name, Outcome: schemas.NotCheckable}
	if c := consistency.Measure(answer, texts); c.Measured() {
		// No threshold was held against it; whoever judges the row holds the calibration's.
		signal.Outcome, signal.Score, signal.HasScore = schemas.Skipped, c.Score(), true
	}
	r.Signals = append(r.Signals, signal)
}
