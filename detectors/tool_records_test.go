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
