package records

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/labels"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json/scan"
)

const mappedRecord = `{"call":{"id":7,"org":"acme"},"choices":[{"message":{"content":"yes"}}],"created":1795255200}`

func mappedInput() config.Input {
	return config.Input{
		Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantPayload, Tenant: "default",
		Map: config.FieldMap{
			"answer": "/choices/0/message/content", "interaction_id": "/call/id", "tenant": "required /call/org",
			"occurred_at": "/created", "attributes.id": "/call/id",
		},
	}
}

func TestCodecDecodesByTheMap(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*config.Input)
		headers []kafka.Header
		want    func(*schemas.Interaction)
	}{
		{"tenant of the payload", func(*config.Input) {}, nil, func(*schemas.Interaction) {}},
		{"tenant of the input", func(in *config.Input) { in.TenantFrom = config.TenantFixed }, nil, func(in *schemas.Interaction) {
			in.Tenant, in.Attributes[payloadTenant] = "default", "acme"
		}},
		{
			"tenant of the header", func(in *config.Input) { in.TenantFrom, in.TenantHeader = config.TenantHeader, "t" },
			[]kafka.Header{{Key: "t", Value: []byte("umbrella")}},
			func(in *schemas.Interaction) { in.Tenant, in.Attributes[payloadTenant] = "umbrella", "acme" },
		},
		{"no tenant mapped", func(in *config.Input) { delete(in.Map, "tenant") }, nil, func(in *schemas.Interaction) { in.Tenant = "default" }},
		{"no id mapped", func(in *config.Input) { delete(in.Map, "interaction_id") }, nil, func(in *schemas.Interaction) {
			in.ID, in.IDSource = "c-1/in/3/42/0", schemas.IDSourceOffset
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			input := mappedInput()
			tt.change(&input)
			c := NewInteractionCodec([]config.Input{input}, "c-1", 1<<20)
			raw := consumer.Raw{Topic: "in", Partition: 3, Offset: 42, Value: []byte(mappedRecord), Headers: tt.headers}
			got, err := c.Decode(t.Context(), &raw, nil)
			require.NoError(t, err)
			require.Len(t, got, 1)
			want := schemas.Interaction{
				ID: "7", Tenant: "acme", Answer: "yes", OccurredAt: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
				Attributes: map[string]string{"id": "7"}, Temperature: schemas.UnknownTemperature, SourcesFrom: schemas.SourcesFromNone,
			}
			tt.want(&want)
			got[0].Scratch, got[0].Tags, got[0].Messages, got[0].Sources = nil, nil, nil, nil
			require.Equal(t, want, *got[0])
		})
	}
}

func TestCodecRejectsRecordsThatTheMapDoesNotFit(t *testing.T) {
	tests := []struct{ name, value, reason string }{
		{"no answer", `{"call":{"id":"1","org":"a"},"choices":[]}`, scan.ReasonUnmapped},
		{"no tenant, which is required", `{"call":{"id":"1"},"choices":[{"message":{"content":"yes"}}]}`, scan.ReasonUnmapped},
		{"our own shape", plainInteraction, scan.ReasonUnmapped},
		{"an answer of another type", `{"call":{"org":"a"},"choices":[{"message":{"content":7}}]}`, scan.ReasonWrongType},
		{"over the input's limit", `{"x":"` + strings.Repeat("x", 1<<20) + `"}`, scan.ReasonTooLarge},
	}
	c := NewInteractionCodec([]config.Input{mappedInput()}, "c-1", 1<<20)
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

// With an invalid map records are not poison: they wait.
func TestCodecRetriesWithAnInvalidMap(t *testing.T) {
	c := NewInteractionCodec([]config.Input{{Topic: "in", Format: config.FormatAuto, Map: config.FieldMap{"answer": "a"}}}, "c-1", 1<<20)
	_, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(mappedRecord)}, nil)
	require.ErrorContains(t, err, "answer: unknown word \"a\": expected a JSON Pointer")
	var bad *consumer.PoisonError
	require.NotErrorAs(t, err, &bad)
}

// Records that where leaves out are neither interactions nor dead letters, and are counted.
func TestFilteredInputs(t *testing.T) {
	input := config.Input{
		Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantPayload, Where: map[string][]string{"/type": {"answer"}},
		Map: config.FieldMap{"answer": "/text", "tenant": "/t"}, TimeZone: "Europe/Rome",
	}
	plain := input
	plain.Topic, plain.Map = "plain", nil
	c := NewInteractionCodec([]config.Input{input, plain}, "c-1", 1<<20)
	reg := prometheus.NewRegistry()
	names := labels.Options{}
	c.Count(NewMetrics(reg, labels.NewTraffic(names, names), nil))
	decode := func(topic, value string) ([]*schemas.Interaction, error) {
		return c.Decode(t.Context(), &consumer.Raw{Topic: topic, Value: []byte(value)}, nil)
	}
	for _, value := range []string{`{"type":"span"}`, `{"type":"span","answer":5}`, `{}`, `{"type":{}}`} {
		for _, topic := range []string{"in", "plain"} {
			list, err := decode(topic, value)
			require.NoError(t, err)
			require.Empty(t, list)
		}
	}
	for _, topic := range []string{"in", "plain"} {
		require.InDelta(t, 4, testutil.ToFloat64(c.metrics.skipped.WithLabelValues(topic)), 0)
	}
	list, err := decode("in", `{"type":"answer","text":"x"}`)
	require.NoError(t, err)
	require.Equal(t, "x", list[0].Answer)
	list, err = decode("plain", `{"type":"answer","answer":"x","occurred_at":"2026-07-01T12:00:00"}`)
	require.NoError(t, err)
	require.Equal(t, "2026-07-01T10:00:00Z", list[0].OccurredAt.Format(time.RFC3339))
	var bad *consumer.PoisonError
	_, err = decode("in", `{"type":"answer"}`)
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "unmapped", bad.Reason)
	_, err = decode("in", `{"type":`)
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "syntax", bad.Reason)
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`# HELP confab_records_skipped_total Records of an input topic that its where leaves out.
# TYPE confab_records_skipped_total counter
confab_records_skipped_total{topic="in"} 4
confab_records_skipped_total{topic="plain"} 4
`), "confab_records_skipped_total"))
}
