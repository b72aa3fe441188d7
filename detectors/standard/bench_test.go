package standard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

func BenchmarkDetectors(b *testing.B) {
	events := detectortest.Events(64)
	for _, e := range Fast(Dependencies{}) {
		b.Run(e.Name, func(b *testing.B) {
			d := buildDetector(b, e)
			var doc detectors.Document
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				doc.Reset(events[i%len(events)])
				if _, err := d.Detect(b.Context(), &doc); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// BenchmarkEvaluate measures the cost of an event: all detectors on 64 typical events in turn.
func BenchmarkEvaluate(b *testing.B) {
	events := detectortest.Events(64)
	s := standardSuite(b)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s.Evaluate(b.Context(), events[i%len(events)]).Release()
		i++
	}
}

// BenchmarkFlag measures the additional cost of a flagged event.
func BenchmarkFlag(b *testing.B) {
	s := detectortest.NewSuite(b, func(o *detectors.Options) { o.Thresholds = detectortest.Thresholds{} }, Fast(Dependencies{Baselines: typicalBaselines{}})...)
	e := s.Evaluate(b.Context(), detectortest.Event(1))
	b.ReportAllocs()
	for b.Loop() {
		_ = e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	}
}

// BenchmarkScaling runs every detector on expensive texts of two sizes: double the text should take about double the time.
func BenchmarkScaling(b *testing.B) {
	for _, e := range Fast(Dependencies{}) {
		d := buildDetector(b, e)
		for name, build := range map[string]func(n int) *schemas.Interaction{"prose": scaledProse, "markers": scaledMarkers, "words": scaledWords} {
			for _, n := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/%dx", e.Name, name, n), func(b *testing.B) {
					in := build(n)
					var doc detectors.Document
					for b.Loop() {
						doc.Reset(in)
						if _, err := d.Detect(b.Context(), &doc); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func scaledProse(n int) *schemas.Interaction {
	in := detectortest.Event(1)
	in.Answer = strings.Repeat(in.Answer+" ", 8*n)
	for i := range in.Sources {
		in.Sources[i].Text = strings.Repeat(in.Sources[i].Text+" ", 4)
	}
	in.Sources = slices.Repeat(in.Sources, 2*n)
	return in
}

func scaledMarkers(n int) *schemas.Interaction {
	in := detectortest.Event(2)
	in.Answer = "The bridge opened in May. " + strings.Repeat("[1][2, 3][2-4][[^1]【1†a】(source: doc-1)", 1000*n)
	return in
}

func scaledWords(n int) *schemas.Interaction {
	var b strings.Builder
	for i := range 6000 * n {
		fmt.Fprintf(&b, "word%d ", i)
	}
	return &schemas.Interaction{Answer: b.String(), Sources: []schemas.Source{{ID: "1", Text: b.String()}, {ID: "2", Text: b.String()}}}
}
