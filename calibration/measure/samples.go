package measure

import (
	"slices"

	"confab/detectors/consistency"
	"confab/schemas"
)

// readSamples adds the signal of recorded resamples, unless the suite has resampled itself.
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
		signal.Outcome, signal.Score, signal.HasScore = schemas.Skipped, c.Score(), true
	}
	r.Signals = append(r.Signals, signal)
}
