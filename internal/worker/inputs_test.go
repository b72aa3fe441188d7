package worker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

// Three topics of three shapes and three ways to name the tenant in one worker, each with a record that cannot be read.
func TestRunSeveralInputs(t *testing.T) {
	b := newWorkerHarness(t)
	chat := config.Input{
		Topic: "chat.log", Format: config.FormatAuto, TenantFrom: config.TenantPayload, Tenant: "default",
		Map: config.FieldMap{
			"answer": "/choices/0/message/content", "interaction_id": "/call/id", "tenant": "required /call/org",
			"occurred_at": "/created", "attributes.id": "/call/id", "sources": "/context",
		},
	}
	events := config.Input{
		Topic: "events", Format: config.FormatJSON, TenantFrom: config.TenantHeader, TenantHeader: "x-tenant",
		Map: config.FieldMap{"answer": "/out", "sources": "/in/docs", "interaction_id": "required /key"},
	}
	b.config.Kafka.Inputs = append(b.config.Kafka.Inputs, chat, events)
	require.NoError(t, b.config.Validate())
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	_, _, err = admin.ApplyTopics(t.Context(), resources.TopicSpecs(b.config, resources.Sizing{Partitions: 2}))
	require.NoError(t, err)

	stop := b.start()
	const claim = "The lifetime warranty covers theft everywhere [9]. Express parcels cost 30 euros [1]."
	const source = "Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "plain"), `{"interaction_id":"poison"}`)
	b.produce("chat.log",
		fmt.Sprintf(`{"call":{"id":"chat","org":"acme"},"choices":[{"message":{"content":%q}}],"context":[%q]}`, claim, source),
		`{"call":{"id":"2","org":"acme"},"choices":[{"message":{"tool_calls":[{}]}}]}`)
	for _, value := range []string{fmt.Sprintf(`{"key":"event","in":{"docs":{"1":%q}},"out":%q}`, source, claim), `{"out":"a"}`} {
		require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{
			Topic: "events", Partition: kafka.AnyPartition, Value: []byte(value), Headers: []kafka.Header{{Key: "x-tenant", Value: []byte("umbrella")}},
		}))
	}

	tenants := map[string]string{}
	for _, r := range b.read("llm.incidents", 3) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		require.Equal(t, []string{"citation", "facts"}, f.Fired, f.InteractionID)
		tenants[f.InteractionID+" in "+f.Origin.Topic] = f.Tenant
	}
	require.Equal(t, map[string]string{"plain in llm.interactions": "default", "chat in chat.log": "acme", "event in events": "umbrella"}, tenants)
	reasons := map[string]int{}
	for _, r := range b.read("llm.interactions.dlq", 3) {
		reasons[headerOf(r.Headers, "confab-reason")]++
	}
	require.Equal(t, map[string]int{"missing_answer": 1, "unmapped": 2}, reasons)
	require.NoError(t, stop())
	require.InDelta(t, 2, b.metric(t, "confab_dlq_records_total", "reason", "unmapped", "stage", "decode"), 0)
}
