package mapping

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Spans need no map: what is read of them is shown, or the attributes where no answer is known.
func TestSpansAreShown(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "examples", "presets", "langfuse.otlp.jsonl"))
	require.NoError(t, err)
	defer f.Close()
	var out, said strings.Builder
	require.NoError(t, Run(f, &out, &said, Options{Name: "spans.jsonl"}))
	require.Empty(t, out.String())
	require.Contains(t, said.String(), "read without a map. Answers in its first lines: 6\n   1 answer:   Standard parcels")
	require.Equal(t, maxShown, strings.Count(said.String(), " answer:   "))
	require.Contains(t, said.String(), "Next: confab check spans.jsonl")

	said.Reset()
	span := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"llm",` +
		`"startTimeUnixNano":"1","attributes":[{"key":"llm.reply","value":{"stringValue":"Within 90 days of the delivery of the goods."}},{"key":"llm.vendor","value":{"stringValue":"m"}}]}]}]}]}`
	require.NoError(t, Run(strings.NewReader(span), &out, &said, Options{Name: "spans.jsonl"}))
	require.Contains(t, said.String(), "whose answer is not known: llm.reply")
}

// Long texts are looked at in part.
func TestLongLines(t *testing.T) {
	line := `{"frage":"Wie lange ist die Frist?","antwort":"Die Frist ist 90 Tage.","treffer":[{"inhalt":"Die Frist ist 30 Tage. ` +
		strings.Repeat("Das ist ein langer Text. ", 80_000) + `"}]}` + "\n"
	var out, said strings.Builder
	began := time.Now()
	require.NoError(t, Run(strings.NewReader(strings.Repeat(line, 4)), &out, &said, Options{Name: "f"}))
	require.Contains(t, out.String(), "answer: /antwort")
	require.Less(t, time.Since(began), 20*time.Second)
}
