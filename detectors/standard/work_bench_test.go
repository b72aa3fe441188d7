package standard

import (
	"slices"
	"testing"
	"time"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/hostile"
	"confab/internal/redact"
	"confab/schemas"
)

// textKinds returns the hostile kinds of text.
func textKinds() []hostile.Kind {
	return slices.DeleteFunc(hostile.Kinds(), func(k hostile.Kind) bool { return k.Full != hostile.TextCap })
}

// BenchmarkWork reports the nanoseconds per unit of counted work for each hostile kind.
func BenchmarkWork(b *testing.B) {
	for _, k := range textKinds() {
		b.Run(k.Name, func(b *testing.B) {
			r := k.Record(k.Full, 0)
			in := &r.Interaction
			s := standardSuite(b)
			units := int64(0)
			for b.Loop() {
				e := s.Evaluate(b.Context(), in)
				units += e.Work()
				e.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(units), "ns/unit")
			b.ReportMetric(float64(units)/float64(b.N)/detectors.MaxWork, "budgets/op")
		})
	}
}

// BenchmarkWorkFlag measures making the flag of each hostile kind.
func BenchmarkWorkFlag(b *testing.B) {
	for _, k := range textKinds() {
		b.Run(k.Name, func(b *testing.B) {
			s := standardSuite(b, func(o *detectors.Options) { o.Thresholds, o.Redact = detectortest.Thresholds{}, redact.Redact })
			r := k.Record(k.Full, 0)
			e := s.Evaluate(b.Context(), &r.Interaction)
			for b.Loop() {
				_ = e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			}
		})
	}
}
