package mapping

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json/scan"
)

// Instructions that are read as such are not offered as passages.
func TestUncheckedHint(t *testing.T) {
	const call = `"request":{"systemInstruction":{"parts":[{"text":"Answer only from the passages that you are given, and say so where there are none."}]},` +
		`"contents":[{"role":"user","parts":[{"text":"How long can I return goods?"}]}]},` +
		`"response":{"candidates":[{"content":{"role":"model","parts":[{"text":"Goods can be returned within 90 days of delivery."}]},"finishReason":"STOP"}]}`
	require.Empty(t, UncheckedHint([]byte(`{`+call+`}`), "f"))
	require.Contains(t, UncheckedHint([]byte(`{`+call+`,"retrieved":[{"body":"Goods can be returned within 30 days of delivery to any shop."}]}`), "f"), "/retrieved")
}

// A record of ours with a name in another case is offered a map, which reads it.
func TestCaseVariantHint(t *testing.T) {
	for line, want := range map[string]string{
		`{"question":"How long does it take?","answer":"It takes ten days.","Model":"gpt-4o"}`: "confab map f proposes a map for such records",
		`{"answer":"It takes ten days.","Answer":"It takes two days."}`:                        "confab map f looks for the answer in all records; if none has it, write it as answer, a text (docs/interaction.md)",
	} {
		require.Equal(t, want, Hint([]byte(line), &scan.Error{Reason: scan.ReasonCaseVariant, Field: "model"}, "f"))
	}
}
