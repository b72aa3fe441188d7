package coverage

import (
	"context"
	"sync"

	"confab/detectors"
)

// failures counts detectors that failed or were skipped, by detector and reason. It is safe for concurrent use.
type failures struct {
	mu     sync.Mutex
	counts map[failure]uint64
}

type failure struct{ detector, reason string }

// add counts the readings that could not measure.
func (f *failures) add(readings []detectors.Reading) {
	for i := range readings {
		reason := readings[i].Failure()
		if reason == "" {
			continue
		}
		f.mu.Lock()
		if f.counts == nil {
			f.counts = map[failure]uint64{}
		}
		f.counts[failure{readings[i].Detector, reason}]++
		f.mu.Unlock()
	}
}

// take returns the counts since the last call, most frequent first: "grounding panic".
func (f *failures) take() []FieldCount {
	f.mu.Lock()
	counts := f.counts
	f.counts = nil
	f.mu.Unlock()
	return failureCounts(counts)
}

func failureCounts(counts map[failure]uint64) []FieldCount {
	list := make([]FieldCount, 0, len(counts))
	for f, n := range counts {
		list = append(list, FieldCount{f.detector + " " + f.reason, n})
	}
	sortFields(list)
	return list
}

// FailureRemedy says what to do about detectors that failed or were skipped.
func FailureRemedy() string {
	return "read the log for panics and errors; docs/operations.md, Cost limits, explains what is skipped"
}

// warnFailures logs the detectors that failed or were skipped since its last line. Such answers are never allowed.
func (r *Recorder) warnFailures(ctx context.Context) {
	if list := r.failures.take(); len(list) > 0 {
		r.options.Logger.WarnContext(ctx, "detectors could not measure answers", "detectors", countText(list), "remedy", FailureRemedy())
	}
}
