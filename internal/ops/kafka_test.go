package ops

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/schemas"
	"confab/schemas/json"
)

func TestProduceWritesInteractionsAndReportsTheRest(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	input := strings.Join([]string{
		`{"interaction_id":"a","conversation_id":"talk","answer":"x"}`,
		`{"interaction":{"interaction_id":"b","answer":"y","sources":["s"]},"label":0,"task":"qa"}`,
		`{"interaction_id":"c"}`,
	}, "\n")
	var messages bytes.Buffer
	counted := 0
	res, err := Produce(t.Context(), strings.NewReader(input), &messages, ProduceOptions{
		Producer: producer, Topic: "in", Rate: 10_000, Progress: func(n int) { counted = n },
	})
	require.NoError(t, err)
	require.Equal(t, ProduceResult{Lines: 3, Written: 2, Bad: 1}, res)
	require.Equal(t, 2, counted)
	require.Contains(t, messages.String(), "line 3: ")
	got := kafkatest.ReadAll(t, cfg, "in")
	require.Equal(t, "talk", string(got[0].Key))
	require.Equal(t, "b", string(got[1].Key))
	var in schemas.Interaction
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(got[1].Value, &in))
	require.Equal(t, "s", in.Sources[0].Text)
}

func TestProduceRawWritesWhatItReads(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	_, err = Produce(t.Context(), strings.NewReader("no json\n"), &bytes.Buffer{}, ProduceOptions{Producer: producer, Topic: "in", Raw: true})
	require.NoError(t, err)
	require.Equal(t, "no json", string(kafkatest.ReadAll(t, cfg, "in")[0].Value))
}

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

func TestTailStoppedByHandIsNoError(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, Tail(ctx, TailOptions{Kafka: cfg, Topic: "flags", Show: func(*schemas.Flag, []byte) error { return nil }}))
}

func TestTailEndsAtASchemaThatIsNotThere(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "flags", Value: []byte("framed")}))
	asked := 0
	err = Tail(t.Context(), TailOptions{
		Kafka: cfg, Topic: "flags", FromStart: true,
		Decode: func(context.Context, []byte, *schemas.Flag) error { asked++; return &kafka.PendingError{ID: 7} },
	})
	require.ErrorContains(t, err, "does not have schema 7")
	require.ErrorContains(t, err, "run it again once the schema is there")
	require.NotContains(t, err.Error(), "asked again")
	require.Equal(t, 1, asked)
}

func TestTopicsPlanThenApplyThenNothing(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"there": 1})
	specs := []kafka.TopicSpec{
		{Name: "there", Partitions: 6},
		{Name: "new", Partitions: 2, ReplicationFactor: 1, Configs: map[string]string{"cleanup.policy": "compact"}},
	}
	var plan bytes.Buffer
	require.NoError(t, PlanTopics(t.Context(), cfg, specs, &plan))
	require.Contains(t, plan.String(), "new")
	require.Contains(t, plan.String(), "create")
	require.Contains(t, plan.String(), "partitions")

	var applied bytes.Buffer
	require.NoError(t, ApplyTopics(t.Context(), cfg, specs, &applied))
	require.Contains(t, applied.String(), "created new")
	require.Contains(t, applied.String(), "change them by hand")

	var again bytes.Buffer
	require.NoError(t, PlanTopics(t.Context(), cfg, specs[1:], &again))
	require.Equal(t, "all 1 topics are as they should be\n", again.String())
	require.NoError(t, Reach(t.Context(), cfg, "new"))
	require.ErrorContains(t, Reach(t.Context(), cfg, "nowhere"), "confab topics apply")
}
