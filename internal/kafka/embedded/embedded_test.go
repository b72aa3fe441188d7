package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestStart: topics and brokers are as asked for.
func TestStart(t *testing.T) {
	c, err := embedded.Start(embedded.Options{Brokers: 2, Topics: map[string]int32{"t": 3, "u": 1}})
	require.NoError(t, err)
	defer c.Close()
	require.Len(t, c.Seeds(), 2)
	cfg := kafka.Config{SeedBrokers: c.Seeds()}
	produceRecord(t, cfg)
	admin, err := kafka.NewAdmin(cfg)
	require.NoError(t, err)
	defer admin.Close()
	counts, err := admin.PartitionCounts(t.Context(), "t", "u")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"t": 3, "u": 1}, counts)
	require.EqualValues(t, 1, c.PartitionInfo("t", 2).HighWatermark)
}

func produceRecord(t *testing.T, cfg kafka.Config) {
	t.Helper()
	p, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.ProduceSync(t.Context(), kafka.Message{Topic: "t", Partition: 2, Value: []byte("v")}))
}
