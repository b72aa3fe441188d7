package detectors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// Results of tools are such in messages and in spans.
func TestOnlyToolRecords(t *testing.T) {
	t.Parallel()
	record, document := `{"room": "CR4", "alarm": true}`, "The alarm of a room rings as long as it is warmer than the limit."
	for _, x := range []struct {
		from, source, result string
		is                   bool
	}{
		{schemas.SourcesFromToolMessages, record, record, true},
		{schemas.SourcesFromRetriever, record, record, true},
		{schemas.SourcesFromField, record, record, true},
		{schemas.SourcesFromRetriever, `{"room": "CR5"}`, record, false},
		{schemas.SourcesFromRetriever, document, document, false},
		{schemas.SourcesFromNone, "", record, false},
	} {
		in := &schemas.Interaction{Answer: "It rings.", SourcesFrom: x.from, Calls: []schemas.ToolCall{{Name: "get", Result: x.result}}}
		if x.source != "" {
			in.Sources = []schemas.Source{{Text: x.source}}
		}
		var doc detectors.Document
		doc.Reset(in)
		require.Equal(t, x.is, doc.OnlyToolRecords(), "%+v", x)
	}
}

// The words of data do not show a language that an English answer differs from; those of prose do.
func TestLanguageOfData(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		`[{"name": "Tagesgeld", "rate_pa": 1.25, "note": "variable"}, {"name": "Festgeld 12", "rate_pa": 2.10, "min_amount": 5000}]`: true,
		"Der Zinssatz für das Tagesgeld ist veränderlich und beträgt zurzeit 1,25 Prozent im Jahr.":                                  false,
	} {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: "At the current variable rate of 1.25%, the money would bring about €100 over a year.", Sources: []schemas.Source{{Text: source}}})
		require.Equal(t, want, doc.Comparable(), source)
	}
}
