package detectors

import (
	"testing"

	"confab/internal/redact"
	"confab/schemas"
)

// BenchmarkWork shows, for each hostile kind, how many nanoseconds a unit of counted work took.
func BenchmarkWork(b *testing.B) {
	for _, k := range hostileKinds() {
		b.Run(k.name, func(b *testing.B) {
			in := k.make(k.cap)
			s := standardSuite(b)
			units := int64(0)
			for b.Loop() {
				e := s.Evaluate(b.Context(), in)
				units += e.doc.Work().Spent()
				e.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(units), "ns/unit")
			b.ReportMetric(float64(units)/float64(b.N)/MaxWork, "budgets/op")
		})
	}
}

// BenchmarkWorkFlag is what a flag of each hostile kind costs after its evaluation.
func BenchmarkWorkFlag(b *testing.B) {
	for _, k := range hostileKinds() {
		b.Run(k.name, func(b *testing.B) {
			s := standardSuite(b)
			s.opts.Thresholds, s.opts.Redact = fixedThresholds{limit: 0}, redact.Redact
			e := s.Evaluate(b.Context(), k.make(k.cap))
			for b.Loop() {
				_ = e.Flag(schemas.Origin{}, schemas.PassFast, s.opts.Now())
			}
		})
	}
}
