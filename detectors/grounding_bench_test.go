package detectors

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func benchmarkDetector(b *testing.B, d Detector, err error) {
	b.Helper()
	require.NoError(b, err)
	events := typicalEventSet(64)
	var doc Document
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
	d, err := newGrounding(DefaultGroundingOptions(), nil)
	benchmarkDetector(b, d, err)
}

func BenchmarkCitation(b *testing.B) {
	d, err := newCitation(DefaultCitationOptions())
	benchmarkDetector(b, d, err)
}

// BenchmarkSupport is what grounding adds to the sentences and tokens that are shared.
func BenchmarkSupport(b *testing.B) {
	d, err := newGrounding(DefaultGroundingOptions(), nil)
	require.NoError(b, err)
	events := typicalEventSet(64)
	docs := make([]Document, len(events))
	for i := range docs {
		docs[i].Reset(events[i])
		_, err := d.Detect(b.Context(), &docs[i])
		require.NoError(b, err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		doc := &docs[i%len(docs)]
		doc.Restart()
		if _, err := d.Detect(b.Context(), doc); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func TestTextDetectorsDoNotAllocate(t *testing.T) {
	for _, e := range Standard() {
		if e.Name != "citation" && e.Name != "grounding" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			d, err := e.New(nil)
			require.NoError(t, err)
			events := typicalEventSet(8)
			var doc Document
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

// learnedGrounding is the detector with the weights that the binary embeds.
func learnedGrounding(tb testing.TB) Detector {
	tb.Helper()
	m, err := DefaultModel()
	require.NoError(tb, err)
	if m.Grounding == nil {
		tb.Skip("no weights are embedded")
	}
	d, err := newGrounding(DefaultGroundingOptions(), m.Grounding)
	require.NoError(tb, err)
	return d
}

// BenchmarkLearnedGrounding is BenchmarkGrounding with learned weights.
func BenchmarkLearnedGrounding(b *testing.B) {
	d := learnedGrounding(b)
	benchmarkDetector(b, d, nil)
}
