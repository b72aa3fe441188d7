package standard

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
)

func benchmarkDetector(b *testing.B, d detectors.Detector, err error) {
	b.Helper()
	require.NoError(b, err)
	events := detectortest.Events(64)
	var doc detectors.Document
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		doc.Reset(events[i%len(events)])
		if f, err := d.Detect(b.Context(), &doc); err != nil || f.NotCheckable != "" {
			b.Fatal(err, f.NotCheckable)
		}
		i++
	}
}

// BenchmarkGrounding includes splitting the texts, which all text detectors share.
func BenchmarkGrounding(b *testing.B) {
	benchmarkDetector(b, detectorNamed(b, "grounding"), nil)
}

func BenchmarkCitation(b *testing.B) {
	benchmarkDetector(b, detectorNamed(b, "citation"), nil)
}

// BenchmarkSupport measures what grounding adds to the shared sentences and tokens.
func BenchmarkSupport(b *testing.B) {
	d := detectorNamed(b, "grounding")
	events := detectortest.Events(64)
	docs := make([]detectors.Document, len(events))
	for i := range docs {
		docs[i].Reset(events[i])
		_, err := d.Detect(b.Context(), &docs[i])
		require.NoError(b, err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		doc := &docs[i%len(docs)]
		doc.Reset(doc.Interaction())
		if _, err := d.Detect(b.Context(), doc); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func TestTextDetectorsDoNotAllocate(t *testing.T) {
	for _, e := range Fast(Dependencies{}) {
		if e.Name != "citation" && e.Name != "grounding" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			d, err := e.New(nil)
			require.NoError(t, err)
			events := detectortest.Events(8)
			var doc detectors.Document
			run := func() {
				for i := range events {
					doc.Reset(events[i])
					f, err := d.Detect(t.Context(), &doc)
					require.NoError(t, err)
					require.Empty(t, f.NotCheckable)
				}
			}
			run()
			require.Zero(t, testing.AllocsPerRun(20, run))
		})
	}
}

// detectorNamed returns the fast detector of that name, built without dependencies.
func detectorNamed(tb testing.TB, name string) detectors.Detector {
	tb.Helper()
	for _, e := range Fast(Dependencies{}) {
		if e.Name == name {
			d, err := e.New(nil)
			require.NoError(tb, err)
			return d
		}
	}
	tb.Fatalf("no detector %q in the standard list", name)
	return nil
}

// BenchmarkLearnedGrounding is BenchmarkGrounding with learned weights.
func BenchmarkLearnedGrounding(b *testing.B) {
	m, err := DefaultModel()
	require.NoError(b, err)
	for _, e := range Fast(Dependencies{Model: m}) {
		if e.Name == "grounding" {
			d, err := e.New(nil)
			benchmarkDetector(b, d, err)
		}
	}
}
