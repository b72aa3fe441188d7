package worker

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/conversations"
	"confab/schemas"
	"confab/schemas/json"
)

// spoken is a record of a conversation that holds its own turn only.
const spoken = `{"interaction_id":"%[1]s-%[2]d","conversation_id":%[1]q,"messages":[{"role":"user","content":%[3]q}],"answer":%[4]q}`

func talk(conversation string) []string {
	return []string{
		fmt.Sprintf(spoken, conversation, 1, "What time does the coach to Inverness leave on Friday?", "The coach to Inverness leaves at 09:40 on Friday from bay 7."),
		fmt.Sprintf(spoken, conversation, 2, "Can I bring a bike?", "Yes, bikes travel in the hold for a fee of £8."),
		fmt.Sprintf(spoken, conversation, 3, "Perfect. So when do I leave on Friday again?", "Your coach to Inverness leaves on Friday at 10:40 from bay 7."),
	}
}

// Three records of a conversation: the flag of the third names the first answer, in both modes of delivery, also when the records are
// read again.
func TestConversationEndToEnd(t *testing.T) {
	for _, delivery := range []string{config.DeliveryAtLeastOnce, config.DeliveryExactlyOnce} {
		t.Run(delivery, func(t *testing.T) {
			b := newWorkerHarness(t)
			b.config.Kafka.Delivery, b.config.Kafka.InstanceID = delivery, "worker-0"
			stop := b.start()
			for _, again := range []string{"", "", "other"} {
				for _, value := range talk("c-1" + again) {
					require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.interactions", Partition: 1, Value: []byte(value)}))
				}
			}
			for _, r := range b.read("llm.incidents", 3) {
				var f schemas.Flag
				require.NoError(t, json.DecodeFlag(r.Value, &f))
				require.Contains(t, []string{"c-1-3", "c-1other-3"}, f.InteractionID)
				require.Equal(t, []string{"conversation"}, f.Fired)
				require.Equal(t, schemas.Evidence{
					Start: 44, End: 49, Excerpt: "10:40", Similarity: .1, Note: "10:40", Rule: "earlier_figure", Turn: 1,
					SourceExcerpt: "The coach to Inverness leaves at 09:40 on Friday from bay 7.", SourceSays: "09:40",
				}, rounded(signalOf(t, &f, "conversation").Evidence[0]))
			}
			require.InDelta(t, 2, b.metric(t, "confab_conversations_open"), 0)
			require.NoError(t, stop())
		})
	}
}

func rounded(e schemas.Evidence) schemas.Evidence {
	e.Similarity = float64(int(e.Similarity*100+.5)) / 100
	return e
}

// Turns of one batch are compared in the order of the partition, and a batch that is offered again after an error gives the same.
func TestConversationWithinABatch(t *testing.T) {
	b := newLimitHarness(t, 0)
	b.role.emitAll = false
	b.role.earlier = conversations.New(conversations.Options{
		Max: 10, TTL: 1 << 40, Now: b.role.now, Redact: b.options.Suite.Redact, Off: func(string) bool { return false },
	}, b.reg)
	var batch []consumer.Record[*schemas.Interaction]
	for i, value := range append(talk("a"), talk("b")[2], talk("")[0]) {
		var in schemas.Interaction
		require.NoError(t, json.NewDecoder(json.Options{}).Decode([]byte(value), &in))
		in.Tenant = schemas.DefaultTenant
		batch = append(batch, consumer.Record[*schemas.Interaction]{Topic: "in", Offset: int64(i), Value: &in})
	}
	for range 2 {
		out := &flagsOf{}
		require.NoError(t, b.role.Handle(context.Background(), batch, out))
		require.Len(t, out.list, 1)
		require.Equal(t, "a-3", out.list[0].InteractionID)
		require.Equal(t, 1, signalOf(t, &out.list[0], "conversation").Evidence[0].Turn)
	}
	require.Equal(t, 2, b.role.earlier.Len())
}
