// Package kafkatest starts embedded clusters for tests, and reads and writes their topics.
package kafkatest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

// Start starts a cluster with the topics, by their partition counts, and returns how to reach it. It ends with the test.
func Start(t testing.TB, topics map[string]int32) kafka.Config {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: topics})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return kafka.Config{SeedBrokers: c.Seeds()}
}

// ReadAll reads the records that a topic holds now.
func ReadAll(t *testing.T, cfg kafka.Config, topic string) (all []kafka.FetchedRecord) {
	t.Helper()
	require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{Config: cfg, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

// Write writes records and waits for their acknowledgement.
func Write(t testing.TB, cfg kafka.Config, messages ...kafka.Message) {
	t.Helper()
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	require.NoError(t, producer.ProduceSync(t.Context(), messages...))
}
