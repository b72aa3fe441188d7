package detectors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
)

func TestDocumentAllocatesNothing(t *testing.T) {
	events := detectortest.Events(8)
	var d detectors.Document
	run := func() {
		for _, in := range events {
			d.Reset(in)
			_, _, _ = d.Claims(), d.AllSourceSentences(), d.Comparable()
			d.Measures(detectors.Measure{Name: "a", Value: 1}, detectors.Measure{Name: "b"})
			d.Evidence(detectors.Evidence{Note: "x"})
			d.Supports(detectors.Support{Start: 1})
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(20, run))
}

func BenchmarkDocument(b *testing.B) {
	events := detectortest.Events(64)
	var d detectors.Document
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		d.Reset(events[i%len(events)])
		_, _, _ = d.Claims(), d.AllSourceSentences(), d.Comparable()
		i++
	}
}
