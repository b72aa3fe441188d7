package consumer

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
)

func TestDryRunLeavesNoTrace(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "v1", "poison", "v2")
	var s handledValues
	opts := r.options(func(_ context.Context, batch []Record[string], out Producer) error {
		s.add(batch)
		out.Produce(kafka.Message{Topic: outTopic, Partition: kafka.AnyPartition, Value: []byte("flag")})
		return nil
	})
	opts.DryRun = true
	run := r.start(t, opts)
	eventually(t, func() bool { return counterValue(r.metrics.Interactions, "test") == 3 })
	require.NoError(t, run.stop())
	require.Equal(t, []string{"v1", "v2"}, s.of(0))
	require.Empty(t, r.read(t, outTopic))
	require.Empty(t, r.read(t, dlqTopic))
	require.Empty(t, r.committed(t))
}
