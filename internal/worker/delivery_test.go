package worker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/worker/config"
)

// Flags, copies and dead letters of the role detect are in transactions.
func TestExactlyOnce(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Roles = []config.Role{config.RoleDetect}
	b.config.Kafka.Delivery, b.config.Kafka.InstanceID = config.DeliveryExactlyOnce, "detect-0"
	stop := b.start()
	topics := b.config.Kafka.Topics
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "one"), fmt.Sprintf(grounded, "two"), "not JSON")
	for _, topic := range []string{topics.Incidents, topics.Sampled, topics.DLQ} {
		require.Len(t, b.read(topic, 1), 1, topic)
		require.True(t, b.transactional(topic), topic)
	}
	require.NoError(t, stop())
}

// transactional reports whether the first record of the topic was written in a transaction.
func (b *workerHarness) transactional(topic string) bool {
	cl, err := b.kafka.NewClient(kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(b.t, err)
	defer cl.Close()
	for {
		fetches := cl.PollFetches(b.t.Context())
		require.NoError(b.t, fetches.Err())
		for it := fetches.RecordIter(); !it.Done(); {
			return it.Next().Attrs.IsTransactional()
		}
	}
}

// A broker without stable offset fetches (KIP-447) refuses the mode at the start.
func TestExactlyOnceNeedsKafka(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Roles = []config.Role{config.RoleDetect}
	b.config.Kafka.Delivery, b.config.Kafka.InstanceID = config.DeliveryExactlyOnce, "detect-0"
	b.cluster.ControlKey(int16(kmsg.ApiVersions), func(q kmsg.Request) (kmsg.Response, error, bool) {
		b.cluster.KeepControl()
		r := q.ResponseKind().(*kmsg.ApiVersionsResponse)
		for key := range int16(70) {
			k := kmsg.NewApiVersionsResponseApiKey()
			k.ApiKey, k.MaxVersion = key, kmsg.RequestForKey(key).MaxVersion()
			if key == int16(kmsg.OffsetFetch) {
				k.MaxVersion = 6
			}
			r.ApiKeys = append(r.ApiKeys, k)
		}
		return r, nil, true
	})
	w := &worker{Options: Options{Config: b.config, Logger: testLogger(t)}}
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(t, err)
	defer admin.Close()
	require.ErrorContains(t, w.checkDelivery(t.Context(), admin), "exactly_once needs Kafka 2.5 or later")
}
