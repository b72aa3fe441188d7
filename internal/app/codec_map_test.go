package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

const mappedRecord = `{"call":{"id":7,"org":"acme"},"choices":[{"message":{"content":"yes"}}],"created":1795255200}`

func mappedInput() Input {
	return Input{
		Topic: "in", Format: FormatAuto, TenantFrom: TenantPayload, Tenant: "default",
		Map: FieldMap{
			"answer": "/choices/0/message/content", "interaction_id": "/call/id", "tenant": "required /call/org",
			"occurred_at": "seconds /created", "attributes.id": "/call/id",
		},
	}
}

func TestCodecReadsByTheMap(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*Input)
		headers []kafka.Header
		want    func(*schemas.Interaction)
	}{
		{"tenant of the payload", func(*Input) {}, nil, func(*schemas.Interaction) {}},
		{"tenant of the input", func(in *Input) { in.TenantFrom = TenantFixed }, nil, func(in *schemas.Interaction) {
			in.Tenant, in.Attributes[payloadTenant] = "default", "acme"
		}},
		{
			"tenant of the header", func(in *Input) { in.TenantFrom, in.TenantHeader = TenantHeader, "t" },
			[]kafka.Header{{Key: "t", Value: []byte("umbrella")}},
			func(in *schemas.Interaction) { in.Tenant, in.Attributes[payloadTenant] = "umbrella", "acme" },
		},
		{"no tenant mapped", func(in *Input) { delete(in.Map, "tenant") }, nil, func(in *schemas.Interaction) { in.Tenant = "default" }},
		{"no id mapped", func(in *Input) { delete(in.Map, "interaction_id") }, nil, func(in *schemas.Interaction) {
			in.ID, in.IDSource = "c-1/in/3/42/0", schemas.IDSourceOffset
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			input := mappedInput()
			tt.change(&input)
			c := newInteractionCodec([]Input{input}, "c-1", 1<<20)
			raw := consumer.Raw{Topic: "in", Partition: 3, Offset: 42, Value: []byte(mappedRecord), Headers: tt.headers}
			got, err := c.Decode(t.Context(), &raw, nil)
			require.NoError(t, err)
			require.Len(t, got, 1)
			want := schemas.Interaction{
				ID: "7", Tenant: "acme", Answer: "yes", OccurredAt: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
				Attributes: map[string]string{"id": "7"}, Temperature: schemas.UnknownTemperature,
			}
			tt.want(&want)
			got[0].Scratch, got[0].Tags, got[0].Messages, got[0].Sources = nil, nil, nil, nil
			require.Equal(t, want, *got[0])
		})
	}
}

func TestCodecRefusesWhatTheMapMisses(t *testing.T) {
	tests := []struct{ name, value, reason string }{
		{"no answer", `{"call":{"id":"1","org":"a"},"choices":[]}`, json.ReasonUnmapped},
		{"no tenant, which is required", `{"call":{"id":"1"},"choices":[{"message":{"content":"yes"}}]}`, json.ReasonUnmapped},
		{"our own shape", plainInteraction, json.ReasonUnmapped},
		{"an answer of another type", `{"call":{"org":"a"},"choices":[{"message":{"content":7}}]}`, json.ReasonWrongType},
		{"over the input's limit", `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, json.ReasonTooLarge},
	}
	c := newInteractionCodec([]Input{mappedInput()}, "c-1", 1<<20)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(tt.value)}, nil)
			require.Empty(t, got)
			var bad *consumer.PoisonError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, stageDecode, bad.Stage)
			require.Equal(t, tt.reason, bad.Reason)
		})
	}
}

// A map that nobody checked is no fault of the records: they wait.
func TestCodecWaitsForAMapThatWorks(t *testing.T) {
	c := newInteractionCodec([]Input{{Topic: "in", Format: FormatAuto, Map: FieldMap{"answer": "a"}}}, "c-1", 1<<20)
	_, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(mappedRecord)}, nil)
	require.ErrorContains(t, err, "answer: expected a JSON Pointer")
	var bad *consumer.PoisonError
	require.NotErrorAs(t, err, &bad)
}

// Three topics of three shapes and three ways to name the tenant in one worker, each with a record that cannot be read.
func TestRunSeveralInputs(t *testing.T) {
	b := newBench(t)
	chat := Input{
		Topic: "chat.log", Format: FormatAuto, TenantFrom: TenantPayload, Tenant: "default",
		Map: FieldMap{
			"answer": "/choices/0/message/content", "interaction_id": "/call/id", "tenant": "required /call/org",
			"occurred_at": "seconds /created", "attributes.id": "/call/id", "sources": "/context",
		},
	}
	events := Input{
		Topic: "events", Format: FormatJSON, TenantFrom: TenantHeader, TenantHeader: "x-tenant",
		Map: FieldMap{"answer": "/out", "sources": "/in/docs", "interaction_id": "required /key"},
	}
	b.config.Kafka.Inputs = append(b.config.Kafka.Inputs, chat, events)
	require.NoError(t, b.config.Validate())
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	_, _, err = admin.ApplyTopics(t.Context(), TopicSpecs(b.config, Sizing{Partitions: 2}))
	require.NoError(t, err)

	stop := b.start()
	const claim = "The lifetime warranty covers theft everywhere [1]. Claims are approved by our Geneva insurance partner [1]."
	const source = "Standard parcels leave the Rotterdam warehouse within two working days."
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "plain"), `{"interaction_id":"poison"}`)
	b.produce("chat.log",
		fmt.Sprintf(`{"call":{"id":"chat","org":"acme"},"choices":[{"message":{"content":%q}}],"context":[%q]}`, claim, source),
		`{"call":{"id":"2","org":"acme"},"choices":[{"message":{"content":null,"tool_calls":[{}]}}]}`)
	for _, value := range []string{fmt.Sprintf(`{"key":"event","in":{"docs":{"1":%q}},"out":%q}`, source, claim), `{"out":"a"}`} {
		require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{
			Topic: "events", Partition: kafka.AnyPartition, Value: []byte(value), Headers: []kafka.Header{{Key: "x-tenant", Value: []byte("umbrella")}},
		}))
	}

	tenants := map[string]string{}
	for _, r := range b.read("llm.incidents", 3) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		require.Equal(t, []string{"citation", "grounding"}, f.Fired, f.InteractionID)
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
