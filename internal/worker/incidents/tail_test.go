package incidents

import (
	"bytes"
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
	require.ErrorContains(t, Tail(t.Context(), TailOptions{Detector: "nosuch"}), "--detector nosuch: there is no such detector: name one of citation,")
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
			return &schemaregistry.PendingError{ID: schemaregistry.ID{Number: 7}}
		},
	})
	require.ErrorContains(t, err, "does not have schema 7")
	require.ErrorContains(t, err, "run it again once the schema is there")
	require.NotContains(t, err.Error(), "asked again")
	require.Equal(t, 1, asked)
}

// When there is nothing to show, a note says so, and how to see more.
func TestTailNotes(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"empty": 1, "flags": 1})
	kafkatest.Write(t, cfg, kafka.Message{Topic: "flags", Value: []byte(`{"incident_id":"a","fired":["facts"]}`)})
	letters := func(*kafka.FetchedRecord) error { return nil }
	for _, tt := range []struct {
		name string
		of   TailOptions
		want string
	}{
		{"no flags", TailOptions{Topic: "empty", FromStart: true, StopAtEnd: true}, "there are no flags in empty\n"},
		{"no dead letters", TailOptions{Topic: "empty", FromStart: true, StopAtEnd: true, ShowLetter: letters}, "there are no dead letters in empty\n"},
		{"none of a detector", TailOptions{Topic: "flags", FromStart: true, StopAtEnd: true, Detector: "schema"}, "there are no flags of schema in flags\n"},
		{"no new flags", TailOptions{Topic: "flags", StopAtEnd: true}, "there are no new flags in flags; --from-start shows those already there\n"},
		{"some", TailOptions{Topic: "flags", FromStart: true, StopAtEnd: true}, ""},
		{"waiting from the start", TailOptions{Topic: "flags", FromStart: true, Max: 1}, "waiting for flags in flags\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var note bytes.Buffer
			tt.of.Kafka, tt.of.Note = cfg, &note
			tt.of.Show = func(*schemas.Flag, []byte) error { return nil }
			require.NoError(t, Tail(t.Context(), tt.of))
			require.Equal(t, tt.want, note.String())
		})
	}
	var note bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, Tail(ctx, TailOptions{Kafka: cfg, Topic: "flags", Note: &note}))
	require.Equal(t, "waiting for new flags in flags; --from-start shows those already there\n", note.String())
}
