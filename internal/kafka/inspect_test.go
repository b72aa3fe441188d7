package kafka

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"confab/internal/kafka/embedded"
)

func TestClusterSaysWhatItIs(t *testing.T) {
	for _, tc := range []struct {
		name     string
		versions *kversion.Versions
		old      bool
	}{
		{"2.4", kversion.V2_4_0(), true},
		{"2.5", kversion.V2_5_0(), false},
		{"3.9", kversion.V3_9_0(), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := embedded.Start(embedded.Options{
				Brokers: 3, Extra: []kfake.Opt{kfake.ClusterID("it"), kfake.MaxVersions(tc.versions)},
			})
			require.NoError(t, err)
			t.Cleanup(c.Close)
			got, err := newAdmin(t, c).Cluster(t.Context())
			require.NoError(t, err)
			require.Equal(t, "it", got.ID)
			require.Equal(t, 3, got.Brokers)
			require.Equal(t, tc.old, got.Outdated, got.Version)
		})
	}
}

func TestTopicsAreLookedAt(t *testing.T) {
	c := startCluster(t, map[string]int32{"there": 3})
	got, err := newAdmin(t, c).Topics(t.Context(), "there", "absent")
	require.NoError(t, err)
	there := got["there"]
	require.True(t, there.Exists)
	require.Equal(t, 3, there.Partitions)
	require.Equal(t, 1, there.Replicas)
	require.Equal(t, "delete", there.Configs["cleanup.policy"])
	require.Subset(t, there.Operations, []string{"READ", "WRITE", "DESCRIBE_CONFIGS"})
	require.Equal(t, &TopicState{Name: "absent"}, got["absent"])
}

// A topic's state is what its worst partition says.
func TestTopicStateOfPartitions(t *testing.T) {
	name := "t"
	partition := func(id, leader int32, replicas, isr int) kmsg.MetadataResponseTopicPartition {
		return kmsg.MetadataResponseTopicPartition{
			Partition: id, Leader: leader, Replicas: make([]int32, replicas), ISR: make([]int32, isr),
		}
	}
	got := topicState(&kmsg.MetadataResponseTopic{
		Topic: &name, AuthorizedOperations: -1 << 31,
		Partitions: []kmsg.MetadataResponseTopicPartition{partition(2, -1, 3, 0), partition(0, 1, 3, 3), partition(1, 1, 2, 1)},
	})
	require.Equal(t, &TopicState{
		Name: "t", Exists: true, Partitions: 3, Replicas: 2, Leaderless: []int{2}, UnderReplicated: []int{1},
	}, got)
}

func TestDeniedTopicsAndGroups(t *testing.T) {
	topic := func(name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	c, err := embedded.Start(embedded.Options{
		Topics: map[string]int32{"mine": 1, "theirs": 1},
		Extra: []kfake.Opt{
			kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"),
			kfake.User("PLAIN", "confab", "pw", topic("mine", kmsg.ACLOperationRead)),
		},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	a, err := NewAdmin(Config{SeedBrokers: c.Seeds(), SASL: SASL{Mechanism: MechanismPlain, User: "confab", Password: "pw"}})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	got, err := a.Topics(t.Context(), "mine", "theirs")
	require.NoError(t, err)
	require.Equal(t, []string{"DESCRIBE", "READ"}, got["mine"].Operations)
	require.ErrorIs(t, got["mine"].ConfigsErr, ErrDenied)
	require.ErrorIs(t, got["theirs"].Err, ErrDenied)
	require.ErrorIs(t, a.Group(t.Context(), "g").Err, ErrDenied)
}

func TestGroupStates(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	a := newAdmin(t, c)
	g := a.Group(t.Context(), "g")
	require.NoError(t, g.Err)
	require.False(t, g.Exists)
	require.Contains(t, g.Operations, "READ")

	p := newProducer(t, c)
	for range 5 {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "t", Value: []byte("v")}))
	}
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"), kgo.DisableAutoCommit())
	require.NoError(t, err)
	defer cl.Close()
	polled := cl.PollRecords(t.Context(), 2)
	require.NoError(t, cl.CommitRecords(t.Context(), polled.Records()...))
	g = a.Group(t.Context(), "g")
	require.NoError(t, g.Err)
	require.Equal(t, "Stable", g.State)
	require.Equal(t, 1, g.Members)
	require.EqualValues(t, 5-polled.NumRecords(), g.Lag)
	require.Empty(t, g.Lost)

	_, err = kadm.NewClient(a.client).DeleteRecords(t.Context(), kadm.Offsets{"t": {0: {Topic: "t", At: 5}}})
	require.NoError(t, err)
	require.Equal(t, []string{"t/0"}, a.Group(t.Context(), "g").Lost)
}

func TestHasCommits(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 3, "other": 1})
	a := newAdmin(t, c)
	p := newProducer(t, c)
	for _, partition := range []int32{0, 0, 0, 1, 2} {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "t", Partition: partition, Value: []byte("v")}))
	}
	adm := kadm.NewClient(a.client)
	_, err := adm.DeleteRecords(t.Context(), kadm.Offsets{"t": {0: {Topic: "t", At: 1}}})
	require.NoError(t, err)
	require.NoError(t, adm.CommitAllOffsets(t.Context(), "g", kadm.Offsets{
		"t": {1: {Topic: "t", Partition: 1, At: 0}, 2: {Topic: "t", Partition: 2, At: 1}},
	}))
	began, err := a.HasCommits(t.Context(), "g", "other", "t")
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"other": false, "t": true}, began)
}

func TestErrorsOfOthersStayAsTheyAre(t *testing.T) {
	require.NoError(t, wrapDenied(nil))
	require.NotErrorIs(t, wrapDenied(kerr.CoordinatorNotAvailable), ErrDenied)
	require.ErrorIs(t, wrapDenied(kerr.GroupAuthorizationFailed), ErrDenied)
}

func TestGrantMissing(t *testing.T) {
	g := ACL{Operations: []string{"DESCRIBE", "READ", "WRITE"}}
	require.Equal(t, []string{"READ"}, g.Missing([]string{"WRITE", "DESCRIBE"}))
	require.Empty(t, g.Missing([]string{"WRITE", "READ", "DESCRIBE"}))
}
