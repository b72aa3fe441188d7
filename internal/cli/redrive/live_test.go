package redrive_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"confab/internal/cli/redrive"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/config"
	"confab/internal/worker/livetest"
	"confab/schemas"
	"confab/schemas/avro"
	"confab/schemas/json"
)

// TestMissingSchema: records of a schema that the registry did not have become flags once it has it.
func TestMissingSchema(t *testing.T) {
	registry := srfake.New()
	defer registry.Close()
	s := livetest.New(t, func(c *config.Config) {
		c.SchemaRegistry.URL, c.SchemaRegistry.UnknownIDRetry = registry.URL(), 0
	})
	const schema = `{"type":"record","name":"Answer","fields":[{"name":"interaction_id","type":"string"},{"name":"answer","type":"string"},{"name":"sources","type":{"type":"array","items":{"type":"record","name":"Source","fields":[{"name":"id","type":"string"},{"name":"text","type":"string"}]}}}]}`
	const id = 1
	s.Produce(t, 1, string(avro.Frame(nil, id, avroRecord("a-1"))), string(avro.Frame(nil, id, avroRecord("a-2"))))
	s.Run(t)
	require.Empty(t, s.Read(t, "llm.incidents"))
	require.Len(t, s.Read(t, "llm.interactions.dlq"), 2)

	_, _, err := registry.RegisterSchema("llm.interactions-value", sr.Schema{Schema: schema})
	require.NoError(t, err)
	o := &redrive.Options{
		Kafka: s.Kafka, DeadLetters: "llm.interactions.dlq", Topics: redrive.Topics(s.Config), MaxAttempts: 3, Burst: 10,
		Write: true, Timeout: 10 * time.Second, Permit: func(context.Context, int) error { return nil },
	}
	r, err := redrive.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 2, r.Sent)
	s.Run(t)
	require.Len(t, s.Read(t, "llm.interactions.dlq"), 2, "no further ones")
	var found []string
	for _, rec := range s.Read(t, "llm.incidents") {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(rec.Value, &f))
		found = append(found, fmt.Sprint(f.InteractionID, " ", f.Origin.Partition))
	}
	require.ElementsMatch(t, []string{"a-1 1", "a-2 1"}, found, "without keys, dead letters have no order")
	back := s.Read(t, "llm.interactions")
	require.Equal(t, 1, deadletter.Describe(back[len(back)-1].Headers).Attempt)
}

// avroRecord is an answer whose source does not support it.
func avroRecord(id string) (b []byte) {
	appendText := func(s string) { b = append(binary.AppendVarint(b, int64(len(s))), s...) }
	appendText(id)
	appendText("The lifetime warranty covers theft and accidental damage everywhere [9]. Express parcels cost 30 euros [1].")
	b = append(b, 2)
	appendText("1")
	appendText("Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros.")
	return append(b, 0)
}
