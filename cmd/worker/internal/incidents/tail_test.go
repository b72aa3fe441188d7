package incidents

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/kafka/schemaregistry"
	"confab/schemas"
	"confab/schemas/json"
)

func TestTailFiltersAndEnds(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	for _, detector := range []string{"schema", "citation", "schema", "schema"} {
		value, err := json.AppendFlag(nil, &schemas.Flag{IncidentID: "i", Fired: []string{detector}})
		require.NoError(t, err)
		require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "flags", Value: value}))
	}
	tail := func(o TailOptions) (shown int) {
		o.Kafka, o.Topic, o.FromStart = cfg, "flags", true
		o.Show = func(*schemas.Flag, []byte) error { shown++; return nil }
		require.NoError(t, Tail(t.Context(), o))
		return shown
	}
	require.Equal(t, 4, tail(TailOptions{StopAtEnd: true}))
	require.Equal(t, 3, tail(TailOptions{StopAtEnd: true, Detector: "schema"}))
	require.Equal(t, 2, tail(TailOptions{Max: 2}))
}

func TestTailInterruptedIsNotAnError(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, Tail(ctx, TailOptions{Kafka: cfg, Topic: "flags", Show: func(*schemas.Flag, []byte) error { return nil }}))
}

func TestTailEndsAtAnUnknownSchema(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "flags", Value: []byte("framed")}))
	asked := 0
	err = Tail(t.Context(), TailOptions{
		Kafka: cfg, Topic: "flags", FromStart: true,
		Decode: func(context.Context, []byte, *schemas.Flag) error {
			asked++
			return &schemaregistry.PendingError{ID: 7}
		},
	})
	require.ErrorContains(t, err, "does not have schema 7")
	require.ErrorContains(t, err, "run it again once the schema is there")
	require.NotContains(t, err.Error(), "asked again")
	require.Equal(t, 1, asked)
}
