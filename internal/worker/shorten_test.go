package worker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/cli/doctor"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

// createSmallTopic creates a topic, which the harness has skipped, with a size limit.
func (b *workerHarness) createSmallTopic(topic string, limit string) {
	b.t.Helper()
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(b.t, err)
	defer admin.Close()
	specs := slices.DeleteFunc(resources.TopicSpecs(b.config, resources.Sizing{Partitions: 2}), func(s kafka.TopicSpec) bool { return s.Name != topic })
	specs[0].Configs["max.message.bytes"] = limit
	_, _, err = admin.ApplyTopics(b.t.Context(), specs)
	require.NoError(b.t, err)
}

// Flags that do not fit llm.incidents are shortened and written, in either encoding, and on-call is notified.
func TestRunFlagsLargerThanTheirTopic(t *testing.T) {
	for _, output := range []string{config.OutputJSON, config.OutputAvro} {
		t.Run(output, func(t *testing.T) {
			b := newWorkerHarness(t, "llm.incidents")
			b.createSmallTopic("llm.incidents", "1000")
			_, client := newAvroRegistry(t, b)
			b.config.SchemaRegistry.Output = output
			b.config.Alerting.By = []string{"service"}
			stop := b.start()
			for i := range 3 {
				b.produce("llm.interactions", strings.Replace(fmt.Sprintf(ungrounded, fmt.Sprint("bad-", i)), `"bot"`, fmt.Sprintf(`"bot-%d"`, i), 1))
			}
			read := records.NewFlagReader(client)
			for _, r := range b.read("llm.incidents", 3) {
				var f schemas.Flag
				require.NoError(t, read(t.Context(), r.Value, &f))
				require.True(t, f.Alert)
				require.Equal(t, []string{"citation", "facts"}, f.Fired)
				require.NotEmpty(t, f.Attributes["confab_slimmed"])
			}
			eventually(t, func() bool { return b.sumMetric("confab_notifications_total") == 3 }, 20*time.Second, 10*time.Millisecond)
			require.NoError(t, stop())
			require.InDelta(t, 3, b.metric(t, "confab_flags_slimmed_total", "topic", "llm.incidents"), 0)
			require.Zero(t, b.sumMetric("confab_dead_letters_total"))
		})
	}
}

// A copy that does not fit its topic is left out and counted; the flag of the same record is written.
func TestRunCopyLargerThanItsTopic(t *testing.T) {
	b := newWorkerHarness(t, "llm.interactions.sampled")
	b.createSmallTopic("llm.interactions.sampled", "300")
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	var f schemas.Flag
	require.NoError(t, json.DecodeFlag(b.read("llm.incidents", 1)[0].Value, &f))
	require.False(t, f.Sampled)
	require.Empty(t, f.SampleReason)
	require.NoError(t, stop())
	require.InDelta(t, 1, b.metric(t, "confab_not_sampled_total", "reason", "too_large"), 0)
	require.Zero(t, b.sumMetric("confab_sampled_total"))
	require.Zero(t, b.sumMetric("confab_dead_letters_total"))
}

// A flag whose ids alone are larger than its topic is a dead letter.
func TestRunFlagThatCannotBeShortened(t *testing.T) {
	b := newWorkerHarness(t, "llm.incidents")
	b.createSmallTopic("llm.incidents", "1000")
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, strings.Repeat("id", 4000)))
	require.Equal(t, "too_large", headerOf(b.read("llm.interactions.dlq", 1)[0].Headers, "confab-reason"))
	require.NoError(t, stop())
}

// The doctor reports a topic with too small a limit, with the remedy.
func TestDoctorReportsSmallTopics(t *testing.T) {
	b := newWorkerHarness(t, "llm.incidents", "llm.alerts")
	b.createSmallTopic("llm.incidents", "1000")
	b.createSmallTopic("llm.alerts", "2000")
	all := doctor.Cluster(t.Context(), doctor.Options{Kafka: b.kafka, Topics: resources.TopicNeeds(b.config)})
	for topic, limit := range map[string]string{"llm.incidents": "1000", "llm.alerts": "2000"} {
		i := slices.IndexFunc(all, func(f console.Finding) bool {
			return f.Subject == topic && strings.Contains(f.Detail, "max.message.bytes is "+limit)
		})
		require.GreaterOrEqual(t, i, 0, "%s: %v", topic, all)
		require.Equal(t, console.Warning, all[i].State)
		require.Contains(t, all[i].Remedy, "set max.message.bytes to ")
		require.NotContains(t, all[i].Remedy, "lower")
	}
}
