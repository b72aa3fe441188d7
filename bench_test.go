package confab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/datatest"
	"confab/schemas"
	"confab/schemas/json"
)

// BenchmarkEvent measures what the worker does with a decoded event: all detectors with the shipped calibration, and the
// redacted and encoded flag of those that fire. "typical" are the events of invented words that design figures are stated
// for, "real" are answers of RAGTruth.
//
//	go test . -run '^$' -bench Event -cpu 1 -count 5
func BenchmarkEvent(b *testing.B) {
	b.Run("typical", func(b *testing.B) { benchmarkEvents(b, detectortest.Events(64)) })
	b.Run("real", func(b *testing.B) { benchmarkEvents(b, realEvents(b)) })
}

func benchmarkEvents(b *testing.B, events []*schemas.Interaction) {
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(b, err)
	b.ReportAllocs()
	flagged, i, size := 0, 0, 0
	var encoded []byte
	for b.Loop() {
		measured := e.Suite.Evaluate(b.Context(), events[i%len(events)])
		if measured.AnyFired() {
			f := e.Flag(measured, schemas.Origin{}, time.Time{})
			if encoded, err = json.AppendFlag(encoded[:0], &f); err != nil {
				b.Fatal(err)
			}
			size += len(encoded)
			flagged++
		}
		measured.Release()
		i++
	}
	b.ReportMetric(100*float64(flagged)/float64(b.N), "flagged-%")
}

// realEvents are the first 1,024 answers of RAGTruth, in the order of the file, with their sources.
func realEvents(b *testing.B) []*schemas.Interaction {
	var events []*schemas.Interaction
	for _, line := range append(datatest.MoreRows(b, "ragtruth"), datatest.Rows(b, "ragtruth")...)[:1024] {
		var row schemas.Labelled
		require.NoError(b, json.DecodeLabelled(line, &row))
		events = append(events, &row.Interaction)
	}
	return events
}

// BenchmarkFlagged measures the flags of the real events that fire, without their evaluation: the redacted flag, and its
// encoded form.
//
//	go test . -run '^$' -bench Flagged -cpu 1 -count 5
func BenchmarkFlagged(b *testing.B) {
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(b, err)
	var fired []*detectors.Evaluation
	for _, in := range realEvents(b) {
		if measured := e.Suite.Evaluate(b.Context(), in); measured.AnyFired() {
			fired = append(fired, measured)
		}
	}
	b.ReportAllocs()
	i := 0
	var encoded []byte
	for b.Loop() {
		f := e.Flag(fired[i%len(fired)], schemas.Origin{}, time.Time{})
		if encoded, err = json.AppendFlag(encoded[:0], &f); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(len(fired)), "flags")
}
