package worker

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// newChunkHarness is a harness whose input holds chunks.
func newChunkHarness(t *testing.T, wait time.Duration) *workerHarness {
	t.Helper()
	b := newWorkerHarness(t)
	b.config.Roles, b.config.Emit = []config.Role{config.RoleDetect}, config.EmitAll
	in := config.DefaultInput("llm.interactions")
	in.Map = config.PresetMap("openai")
	in.Map["tags"] = "/tags"
	in.JoinWait = wait
	b.config.Kafka.Inputs = []config.Input{in}
	require.NoError(t, b.config.Validate())
	return b
}

// chunk writes a chunk of a completion, keyed by its id.
func (b *workerHarness) chunk(id, content, finish, more string) {
	b.t.Helper()
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	value := fmt.Sprintf(`{"id":%q,"object":"chat.completion.chunk","created":1795255201,"model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]%s}`, id, content, end, more)
	require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
		Topic: "llm.interactions", Partition: kafka.AnyPartition, Key: []byte(id), Value: []byte(value),
	}))
}

const chunkSources = `,"request":{"stream":true,"messages":[{"role":"user","content":"When do parcels leave?"}]},"sources":["Parcels leave within two working days."],"tags":["medical"]`

// The chunks of two answers, interleaved, are measured as two answers, also after a restart in the middle.
func TestChunks(t *testing.T) {
	b := newChunkHarness(t, 30*time.Second)
	stop := b.start()
	b.chunk("a", "Parcels leave ", "", chunkSources)
	b.chunk("b", "Parcels leave within ", "", chunkSources)
	b.chunk("a", "within two ", "", "")
	b.awaitHeld(2)
	require.NoError(t, stop())
	b.registry = prometheus.NewRegistry()
	b.start()
	b.chunk("b", "nine weeks.", "stop", "")
	b.chunk("b", "", "", `,"usage":{"total_tokens":9}`)
	b.chunk("a", "working days.", "length", "")
	flags := b.readFlags(2)
	for id, fired := range map[string]bool{"a": false, "b": true} {
		f := flags[id]
		require.Equal(t, fired, len(f.Fired) > 0, id)
		require.NotNil(t, f.Grounding)
		require.Equal(t, "streaming_response", f.Grounding.Source)
	}
	require.Equal(t, "length", flags["a"].Attributes["finish_reason"])
	b.awaitHeld(0)
	for _, r := range b.read("llm.incidents", 2) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		if f.InteractionID == "b" {
			require.Equal(t, "HALLUCINATION_DETECTED_STREAMING", headerOf(r.Headers, "confab-event-type"))
		}
	}
	for _, r := range b.read("llm.interactions.sampled", 2) {
		require.Contains(t, string(r.Value), `"chat.completion"`, "the copy is the whole answer")
	}
}

// An answer whose end does not come is measured after the wait as far as it goes.
func TestUnfinishedChunks(t *testing.T) {
	b := newChunkHarness(t, 300*time.Millisecond)
	b.start()
	b.chunk("a", "Parcels leave ", "", chunkSources)
	b.chunk("a", "within nine weeks.", "", "")
	f := b.readFlags(1)["a"]
	require.NotEmpty(t, f.Fired)
	require.Equal(t, "unfinished", f.Attributes["finish_reason"])
}

// Whole streams, whole answers and broken records need no others.
func TestWholeStreams(t *testing.T) {
	b := newChunkHarness(t, 30*time.Second)
	b.start()
	part := func(id, text, finish string) string {
		return fmt.Sprintf(`{"id":%q,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`, id, text, finish)
	}
	b.produce("llm.interactions",
		"data: "+part("sse", "Paris.", "null")+"\n\ndata: "+part("sse", "", `"stop"`)+"\n\ndata: [DONE]\n\n",
		"["+part("list", "Paris.", `"stop"`)+"]",
		`{"response":{"id":"whole","choices":[{"message":{"content":"The chat.completion.chunk."}}]}}`,
		part("one", "Paris.", `"stop"`),
		`{"id":"late","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":9}}`,
		"data: nonsense\n\n",
		`{"id":"x","object":"chat.completion.chunk","choices":"none"}`)
	require.Len(t, b.readFlags(4), 4)
	require.InDelta(t, 0, b.metric(t, "confab_held_records"), 0, "the usage of an unknown stream waits for nothing")
	require.Len(t, b.read("llm.interactions.dlq", 2), 2)
}
