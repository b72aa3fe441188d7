package confab_test

import (
	"sync/atomic"
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
	for name, build := range map[string]func(testing.TB) []*schemas.Interaction{
		"typical": func(testing.TB) []*schemas.Interaction { return detectortest.Events(64) },
		"real":    realEvents,
	} {
		b.Run(name, func(b *testing.B) { benchmarkEvents(b, build(b)) })
	}
}

// BenchmarkParallel is BenchmarkEvent in as many goroutines as -cpu says: two cores should take half the time of one.
//
//	go test . -run '^$' -bench Parallel -cpu 1,2 -count 5
func BenchmarkParallel(b *testing.B) {
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(b, err)
	events := realEvents(b)
	var next atomic.Int64
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			e.Suite.Evaluate(b.Context(), events[int(next.Add(1))%len(events)]).Release()
		}
	})
}

func benchmarkEvents(b *testing.B, events []*schemas.Interaction) {
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(b, err)
	evaluate := func(in *schemas.Interaction, encoded []byte) ([]byte, bool) {
		measured := e.Suite.Evaluate(b.Context(), in)
		defer measured.Release()
		if !measured.AnyFired() {
			return encoded, false
		}
		f := e.Flag(measured, schemas.Origin{}, time.Time{})
		encoded, err := json.AppendFlag(encoded[:0], &f)
		require.NoError(b, err)
		return encoded, true
	}
	for _, in := range events {
		evaluate(in, nil)
	}
	b.ReportAllocs()
	flagged, i := 0, 0
	var encoded []byte
	for b.Loop() {
		var fired bool
		if encoded, fired = evaluate(events[i%len(events)], encoded); fired {
			flagged++
		}
		i++
	}
	b.ReportMetric(100*float64(flagged)/float64(b.N), "flagged-%")
}

// realEvents are 1,024 answers of RAGTruth, in the order of the file, with their sources.
func realEvents(tb testing.TB) []*schemas.Interaction {
	var events []*schemas.Interaction
	for _, line := range append(datatest.MoreRows(tb, "ragtruth"), datatest.Rows(tb, "ragtruth")...)[:1024] {
		var row schemas.Labelled
		require.NoError(tb, json.DecodeLabelled(line, &row))
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
