package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/finding"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/kafkatest"
	"confab/schemas"
)

// healthyTopic is a topic without problems.
func healthyTopic(name string) *kafka.TopicState {
	return &kafka.TopicState{
		Name: name, Exists: true, Partitions: 3, Replicas: 3,
		Configs: map[string]string{"cleanup.policy": "delete", "retention.ms": "604800000", "min.insync.replicas": "2", "max.message.bytes": "2000"},
	}
}

func TestExamineTopic(t *testing.T) {
	need := kafka.TopicRequirement{Name: "t", MinRetention: 24 * time.Hour, MinMessageBytes: 1000, TooSmall: "it is lost"}
	labels := kafka.TopicRequirement{Name: "t", MayCompact: true}
	compacted := kafka.TopicRequirement{Name: "t", Compacted: true, SamePartitions: "other"}
	set := func(key, value string) func(*kafka.TopicState) {
		return func(s *kafka.TopicState) { s.Configs[key] = value }
	}
	for _, tc := range []struct {
		name   string
		need   kafka.TopicRequirement
		change func(*kafka.TopicState)
		want   finding.State
		says   string
	}{
		{"good", need, func(*kafka.TopicState) {}, finding.OK, "3 partitions, 3 copies, delete"},
		{"absent", need, func(s *kafka.TopicState) { *s = kafka.TopicState{} }, finding.Problem, "does not exist"},
		{"denied", need, func(s *kafka.TopicState) { s.Err = fmt.Errorf("%w: x", kafka.ErrDenied) }, finding.Problem, "may not be described"},
		{"broken", need, func(s *kafka.TopicState) { s.Err = errors.New("odd") }, finding.Problem, "odd"},
		{"leaderless", need, func(s *kafka.TopicState) { s.Leaderless = []int{1} }, finding.Problem, "partitions [1] have no leader"},
		{"short", need, func(s *kafka.TopicState) { s.UnderReplicated = []int{2} }, finding.Warning, "partitions [2] have replicas that are out of sync"},
		{"settings not readable", need, func(s *kafka.TopicState) { s.ConfigsErr = kafka.ErrDenied }, finding.NotChecked, "settings cannot be read"},
		{"compacted", need, set("cleanup.policy", "compact"), finding.Problem, "may be deleted unread"},
		{"compacts, too", need, set("cleanup.policy", "compact,delete"), finding.Problem, "may be deleted unread"},
		{"labels", labels, set("cleanup.policy", "compact,delete"), finding.OK, "3 copies, compact,delete"},
		{"labels that are not compacted", labels, set("cleanup.policy", "delete"), finding.OK, "3 copies, delete"},
		{"not compacted", compacted, set("cleanup.policy", "delete"), finding.Problem, "sent again"},
		{"compacted and deleted", compacted, set("cleanup.policy", "compact,delete"), finding.Warning, "alert state expires"},
		{"state", compacted, set("cleanup.policy", "compact"), finding.OK, "3 copies, compact"},
		{"short retention", need, set("retention.ms", "3600000"), finding.Warning, "keeps records for 1h0m0s"},
		{"just enough retention", need, set("retention.ms", "86400000"), finding.OK, ""},
		{"kept for ever", need, set("retention.ms", "-1"), finding.OK, ""},
		{"one copy", need, func(s *kafka.TopicState) { s.Replicas = 1 }, finding.Warning, "1 copy of each partition"},
		{"two copies, two in sync", need, func(s *kafka.TopicState) { s.Replicas = 2 }, finding.Warning, "one broker down stops writing"},
		{"in sync alone", need, set("min.insync.replicas", "1"), finding.Warning, "on one disk only"},
		{"cannot be written", need, set("min.insync.replicas", "4"), finding.Problem, "no write can succeed"},
		{"unclean", need, set("unclean.leader.election.enable", "true"), finding.Warning, "may be lost when a leader dies"},
		{"small", need, set("max.message.bytes", "999"), finding.Warning, "max.message.bytes is 999: it is lost"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := healthyTopic("t")
			tc.change(s)
			r := finding.Report{Check: checkTopic, Subject: "t"}
			examineTopic(&r, &tc.need, map[string]*kafka.TopicState{"t": s, "other": healthyTopic("other")})
			require.Len(t, r.Findings, 1)
			require.Equal(t, tc.want, r.Findings[0].State, r.Findings[0])
			require.Contains(t, r.Findings[0].Detail, tc.says)
			require.Equal(t, tc.want != finding.OK, r.Findings[0].Remedy != "", "whoever reads a finding learns what to do")
		})
	}
	other := healthyTopic("other")
	other.Partitions = 6
	r := finding.Report{}
	state := healthyTopic("t")
	state.Configs["cleanup.policy"] = "compact"
	examineTopic(&r, &compacted, map[string]*kafka.TopicState{"t": state, "other": other})
	require.Contains(t, r.Findings[0].Detail, "3 partitions, but other has 6")
}

func TestExamineMessageSizeNamesTheRemedy(t *testing.T) {
	for lower, want := range map[string]string{
		"":                       "set max.message.bytes to 3000 or more",
		"kafka.max_record_bytes": "set max.message.bytes to 3000 or more, or lower kafka.max_record_bytes",
	} {
		r := finding.Report{}
		examineMessageSize(&r, &kafka.TopicRequirement{MinMessageBytes: 3000, TooSmall: "it is lost", OrLower: lower}, healthyTopic("t"))
		require.Len(t, r.Findings, 1)
		require.Equal(t, want, r.Findings[0].Remedy)
	}
}

func TestExamineGroup(t *testing.T) {
	for _, tc := range []struct {
		name  string
		group kafka.GroupState
		want  []finding.State
	}{
		{"new", kafka.GroupState{State: "Dead"}, []finding.State{finding.OK}},
		{"at work", kafka.GroupState{Exists: true, State: "Stable", Members: 2, Lag: 7}, []finding.State{finding.OK}},
		{"stopped and done", kafka.GroupState{Exists: true, State: "Empty"}, []finding.State{finding.OK}},
		{"stopped and behind", kafka.GroupState{Exists: true, State: "Empty", Lag: 7}, []finding.State{finding.Warning}},
		{"rebalancing", kafka.GroupState{Exists: true, State: "PreparingRebalance", Members: 2}, []finding.State{finding.Warning}},
		{"denied", kafka.GroupState{Err: kafka.ErrDenied}, []finding.State{finding.Problem}},
		{"topic denied", kafka.GroupState{Exists: true, State: "Empty", Err: kafka.ErrDenied}, []finding.State{finding.NotChecked}},
		{"unknown", kafka.GroupState{Err: errors.New("odd")}, []finding.State{finding.NotChecked}},
		{"lost", kafka.GroupState{Exists: true, State: "Empty", Lag: 7, Lost: []string{"t/0"}}, []finding.State{finding.Problem, finding.Warning}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := finding.Report{}
			examineGroup(&r, &tc.group)
			var got []finding.State
			for _, f := range r.Findings {
				got = append(got, f.State)
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// On a cluster with access rules the doctor names missing permissions and runs all checks.
func TestDoctorChecksAccessRules(t *testing.T) {
	allow := func(kind kmsg.ACLResourceType, name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kind, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	c, err := embedded.Start(embedded.Options{
		Brokers: 3, Topics: map[string]int32{"in": 1, "out": 1, "hidden": 1},
		Extra: []kfake.Opt{
			kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"),
			kfake.User("PLAIN", "confab", "pw",
				allow(kmsg.ACLResourceTypeTopic, "in", kmsg.ACLOperationRead),
				allow(kmsg.ACLResourceTypeTopic, "out", kmsg.ACLOperationDescribe),
				allow(kmsg.ACLResourceTypeGroup, "g", kmsg.ACLOperationRead)),
		},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	all := Cluster(t.Context(), Options{
		Kafka:  kafka.Config{SeedBrokers: c.Seeds(), SASL: kafka.SASL{Mechanism: "PLAIN", User: "confab", Password: "pw"}},
		Topics: []kafka.TopicRequirement{{Name: "in"}, {Name: "out"}, {Name: "hidden"}},
		Grants: []kafka.ACL{
			{Role: "a", Resource: kafka.ResourceTopic, Name: "in", Operations: []string{"DESCRIBE", "READ"}},
			{Role: "a", Resource: kafka.ResourceTopic, Name: "out", Operations: []string{"DESCRIBE", "WRITE"}},
			{Role: "b", Resource: kafka.ResourceTopic, Name: "out", Operations: []string{"DESCRIBE", "READ"}},
			{Role: "a", Resource: kafka.ResourceTopic, Name: "hidden", Operations: []string{"READ"}},
			{Role: "a", Resource: kafka.ResourceGroup, Name: "g", Operations: []string{"DESCRIBE", "READ"}},
			{Role: "b", Resource: kafka.ResourceGroup, Name: "h", Operations: []string{"READ"}},
		},
	})
	require.Equal(t, []string{
		"ok topic in: DESCRIBE, READ",
		"problem topic out: READ, WRITE is not allowed, and a, b needs it",
		"problem topic hidden: refused: a needs READ",
		"ok group g: DESCRIBE, READ",
		"problem group h: refused: b needs READ",
	}, findingLines(all, checkAccess))
	require.Contains(t, findingLines(all, checkGroup), "problem h: may not be described")
	require.Equal(t, []string{"ok " + strings.Join(c.Seeds(), ", ") + ": 3 brokers, cluster " + clusterID(t, c)}, findingLines(all, checkBrokers))
}

func clusterID(t *testing.T, c *embedded.Cluster) string {
	t.Helper()
	admin, err := kafka.NewAdmin(kafka.Config{SeedBrokers: c.Seeds(), SASL: kafka.SASL{Mechanism: "PLAIN", User: "admin", Password: "pw"}})
	require.NoError(t, err)
	defer admin.Close()
	id, err := admin.ClusterID(t.Context())
	require.NoError(t, err)
	return id
}

// findingLines are the findings of a check, one line each.
func findingLines(all []finding.Finding, check string) (said []string) {
	for _, f := range all {
		if f.Check == check {
			said = append(said, strings.TrimPrefix(string(f.State)+" "+f.Subject+": "+f.Detail, ": "))
		}
	}
	return said
}

func TestDoctorReadsSamples(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"fine": 1, "mixed": 1, "bad": 1, "empty": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	for topic, values := range map[string][]string{"fine": {"good", "good"}, "mixed": {"good", "odd"}, "bad": {"odd"}} {
		for _, v := range values {
			require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: topic, Value: []byte(v)}))
		}
	}
	require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "fine", Key: []byte("k")}))
	o := Options{
		Kafka: cfg, Inputs: []string{"fine", "mixed", "bad", "empty", "absent"},
		Topics: []kafka.TopicRequirement{{Name: "fine"}, {Name: "mixed"}, {Name: "bad"}, {Name: "empty"}},
		Sample: func(_ context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, error) {
			if string(r.Value) == "good" {
				return []*schemas.Interaction{{Answer: "It is so."}}, nil
			}
			return nil, errors.New("unknown_format")
		},
	}
	all := Cluster(t.Context(), o)
	require.Equal(t, []string{
		"ok fine: the last 2 records can be read",
		"warning mixed: 1 of the last 2 records cannot be read: unknown_format (1)",
		"problem bad: 1 of the last 1 records cannot be read: unknown_format (1)",
		"not checked empty: no records yet",
		"not checked absent: the topic could not be read",
	}, findingLines(all, checkSample))
	require.Equal(t, []string{
		"not checked fine: the detectors cannot be built",
		"not checked mixed: the detectors cannot be built",
		"not checked bad: the detectors cannot be built",
		"not checked empty: the detectors cannot be built",
		"not checked absent: the topic could not be read",
	}, findingLines(all, checkContent))
}
