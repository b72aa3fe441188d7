package topics

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/cluster"
)

func TestTopicsPlanThenApplyThenNothing(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"there": 1})
	specs := []kafka.TopicSpec{
		{Name: "there", Partitions: 6},
		{Name: "new", Partitions: 2, ReplicationFactor: 1, Configs: map[string]string{"cleanup.policy": "compact"}},
	}
	var plan bytes.Buffer
	require.NoError(t, Plan(t.Context(), cfg, specs, &plan))
	require.Contains(t, plan.String(), "new")
	require.Contains(t, plan.String(), "create")
	require.Contains(t, plan.String(), "partitions")

	var applied bytes.Buffer
	require.NoError(t, Apply(t.Context(), cfg, specs, &applied))
	require.Contains(t, applied.String(), "created new")
	require.Contains(t, applied.String(), "change them by hand")

	var again bytes.Buffer
	require.NoError(t, Plan(t.Context(), cfg, specs[1:], &again))
	require.Equal(t, "all 1 topics match the configuration\n", again.String())
	again.Reset()
	require.NoError(t, Apply(t.Context(), cfg, specs[1:], &again))
	require.Equal(t, "all 1 topics match the configuration\n", again.String())
	require.NoError(t, cluster.RequireTopic(t.Context(), cfg, "new"))
	require.ErrorContains(t, cluster.RequireTopic(t.Context(), cfg, "nowhere"), "confab topics apply")
}
