package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

// BenchmarkFacts excludes the tokens and sentences that the text detectors share.
func BenchmarkFacts(b *testing.B) {
	record := &schemas.Interaction{Answer: detectortest.CafeAnswer, Sources: []schemas.Source{{ID: "1", Text: detectortest.CafeRecord}}}
	for name, events := range map[string][]*schemas.Interaction{"typical": detectortest.Events(64), "record": {record}} {
		b.Run(name, func(b *testing.B) {
			d, err := New(DefaultOptions(), Dependencies{})
			require.NoError(b, err)
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
		})
	}
}

// The events include answers with findings and notes.
func TestFactsAllocateNothing(t *testing.T) {
	events := append(detectortest.Events(4),
		&schemas.Interaction{Answer: detectortest.CafeAnswer, Sources: []schemas.Source{{ID: "1", Text: detectortest.CafeRecord}}},
		&schemas.Interaction{
			Answer:  "The bridge is 12 km long and was opened in May 2004 by Anna Bell.",
			Sources: []schemas.Source{{ID: "1", Text: "The bridge, 15 km long, was opened in June 2003 by the mayor."}},
		})
	d, err := New(DefaultOptions(), Dependencies{})
	require.NoError(t, err)
	var doc detectors.Document
	run := func() {
		for _, in := range events {
			doc.Reset(in)
			if _, err := d.Detect(t.Context(), &doc); err != nil {
				t.Error(err)
			}
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(20, run))
}
