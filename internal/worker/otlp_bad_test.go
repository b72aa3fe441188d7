package worker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// Bad records and spans have an outcome of their own, and the partition goes on behind them.
func TestBadSpans(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Emit = config.EmitAll
	newOTLPInput(t, b)
	stop := b.start()
	right := "Standard parcels leave the Rotterdam warehouse within two working days [1]."
	whole := otlpRecord(otlpAnswer("00000000000000a3", "", 20, right))
	cut := whole[:len(whole)-40]
	b.produce(otlpTopic,
		cut,
		`[]`,
		otlpRecord( // content capture is off
			otlpSpan("00000000000000b1", "", 1, "gen_ai.operation.name", "chat", "gen_ai.response.id", "silent", "gen_ai.response.model", "m")),
		otlpRecord( // the call again, as an export that was repeated
			otlpAnswer("00000000000000c1", "", 1, right), otlpAnswer("00000000000000c1", "", 1, right)),
		otlpRecord( // times of a clock that is wrong: the end is in 1970, and the retriever comes after the answer
			otlpSpan("00000000000000d2", "00000000000000d1", 50, "gen_ai.operation.name", "retrieval", "gen_ai.retrieval.documents", otlpDocuments),
			otlpAnswer("00000000000000d3", "00000000000000d1", 20, right), otlpSpan("00000000000000d1", "", 1)),
	)
	flags := map[string]schemas.Flag{}
	for _, r := range b.read("llm.incidents", 3) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		flags[f.InteractionID] = f
	}
	letters := map[string]string{}
	for _, r := range b.read("llm.interactions.dlq", 2) {
		letters[string(r.Value)] = headerOf(r.Headers, "confab-reason")
		require.Empty(t, headerOf(r.Headers, "confab-index"), "the record is one dead letter")
	}
	require.NoError(t, stop())
	require.Equal(t, map[string]string{cut: "syntax", `[]`: "wrong_type"}, letters)

	silent := flags["silent"]
	require.NotEmpty(t, silent.Signals)
	for _, s := range silent.Signals {
		require.Equal(t, schemas.NotCheckable, s.Outcome, s.Detector)
	}
	require.Contains(t, flags, "resp-1")
	require.Equal(t, "retriever_after_answer", flags["resp-3"].Attributes["no_sources"])
	for outcome, n := range map[string]float64{"answer": 2, "no_text": 1, "duplicate": 1, "context": 1, "rejected": 0} {
		require.InDelta(t, n, b.metric(t, "confab_otlp_spans_total", "topic", otlpTopic, "outcome", outcome), 0, outcome)
	}
	require.Zero(t, b.metric(t, "confab_watermark_stuck_seconds"), "the partition goes on")
}
