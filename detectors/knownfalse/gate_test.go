package knownfalse

import (
	"slices"
	"testing"
	"time"

	"confab/detectors"
	"confab/internal/datatest"
	"confab/schemas"
	schemasjson "confab/schemas/json"

	"github.com/stretchr/testify/require"
)

// TestNoGoodRowIsHit fills a store from the bad spans of all labelled rows and the sentences that hold them.
func TestNoGoodRowIsHit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	var rows []schemas.Labelled
	for _, set := range datatest.Sets(t) {
		for _, line := range slices.Concat(datatest.Rows(t, set), datatest.MoreRows(t, set)) {
			var row schemas.Labelled
			require.NoError(t, schemasjson.DecodeLabelled(line, &row))
			row.Interaction.Tenant = "" // one store for all rows
			rows = append(rows, row)
		}
	}
	store := NewStore(Limits{Entries: 1 << 20, PerTenant: 1 << 20}, time.Now)
	var n Normalizer
	var doc detectors.Document
	kept := map[int]bool{}
	for i := range rows {
		row := &rows[i]
		if row.Label == 0 {
			continue // spans of good rows are other faults, such as omissions
		}
		doc.Reset(&row.Interaction)
		var sources []SourceHash
		for _, s := range row.Interaction.Sources {
			sources = append(sources, HashSource(s.Text))
		}
		for _, bad := range row.Spans {
			texts := []string{row.Interaction.Answer[bad.Start:bad.End]}
			for _, s := range doc.Sentences() {
				if int(s.Start) < bad.End && bad.Start < int(s.End) {
					texts = append(texts, s.In(doc.Text()))
				}
			}
			for k, text := range texts {
				if key, ok := n.Key(text); ok {
					require.NoError(t, store.Put("", key, Observation{Source: "label", Sources: sources}))
					kept[i] = kept[i] || k > 0
				}
			}
		}
	}
	detector, good, hits, bad, found := NewDetector(store), 0, 0, 0, 0
	for i := range rows {
		row := &rows[i]
		doc.Reset(&row.Interaction)
		f, err := detector.Detect(t.Context(), &doc)
		require.NoError(t, err)
		hit := f.Score == 1
		switch {
		case row.Label == 0:
			good++
			if hit {
				hits++
				t.Errorf("good row %s of %s is hit %d times", row.Interaction.ID, row.Dataset, len(f.Evidence))
			}
		case len(row.Spans) > 0:
			bad++
			if hit {
				found++
			}
		}
		require.True(t, !kept[i] || hit, "the kept sentence of %s is not found again", row.Interaction.ID)
	}
	t.Logf("%d good rows, %d hit; %d of %d bad rows with spans found; %d with a kept sentence", good, hits, found, bad, len(kept))
	require.Positive(t, found)
}
