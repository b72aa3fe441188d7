package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"confab/calibration"
	"confab/internal/cli/topicrange"
	"confab/internal/cli/verify"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/livetest"
	"confab/internal/worker/records"
	"confab/schemas"
	confabjson "confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// live is a cluster on which a worker has processed 6 grounded and 4 ungrounded answers, two faulty records and a tombstone.
func live(t *testing.T, edit func(c *config.Config)) *livetest.Stage {
	t.Helper()
	s := livetest.New(t, edit)
	for i := range int32(2) {
		for n := range 3 {
			s.Produce(t, i, fmt.Sprintf(livetest.Grounded, fmt.Sprintf("good-%d%d", i, n)))
		}
		s.Produce(t, i, fmt.Sprintf(livetest.Ungrounded, fmt.Sprintf("bad-%d1", i)), fmt.Sprintf(livetest.Ungrounded, fmt.Sprintf("bad-%d2", i)), "faulty")
	}
	kafkatest.Write(t, s.Kafka, kafka.Message{Topic: "llm.interactions", Partition: 1, Key: []byte("key")})
	s.Run(t)
	return s
}

// audit verifies all retained records, with the changes of edit.
func audit(t *testing.T, s *livetest.Stage, edit func(o *verify.Options)) (*verify.Result, error) {
	t.Helper()
	selection := topicrange.Selection{Topic: "llm.interactions"}
	ranges, err := selection.Resolve(t.Context(), s.Kafka, time.Now())
	require.NoError(t, err)
	evaluator, err := evaluation.NewFast(s.Config, nil, nil)
	require.NoError(t, err)
	var id string
	require.NoError(t, cluster.WithAdmin(t.Context(), s.Kafka, func(ctx context.Context, a *kafka.Admin) (err error) {
		id, err = a.ClusterID(ctx)
		return err
	}))
	decode, done, err := records.NewRecordDecoder(s.Config, id)
	require.NoError(t, err)
	defer done()
	o := &verify.Options{
		Kafka: s.Kafka, Ranges: ranges, Group: s.Config.Group(config.RoleDetect), Incidents: "llm.incidents", DeadLetters: "llm.interactions.dlq",
		Decode: decode, DecodeFlag: records.NewFlagReader(nil), Evaluator: evaluator, EmitAll: s.Config.Emit == config.EmitAll,
		Lost: 10, Patience: 10 * time.Second,
	}
	if edit != nil {
		edit(o)
	}
	return verify.Run(t.Context(), o)
}

func requireAudit(t *testing.T, s *livetest.Stage, want verify.Result) *verify.Result {
	t.Helper()
	got, err := audit(t, s, nil)
	require.NoError(t, err)
	want.Topic, want.Partitions = "llm.interactions", 2
	clean := *got
	clean.Examples, clean.Notes = want.Examples, want.Notes
	require.Equal(t, want, clean)
	return got
}

// rewrite replaces a topic by its records, of which change may drop or alter some.
func rewrite(t *testing.T, s *livetest.Stage, topic string, change func(r *kafka.FetchedRecord) bool) {
	t.Helper()
	all := s.Read(t, topic)
	admin, err := kafka.NewAdmin(s.Kafka)
	require.NoError(t, err)
	defer admin.Close()
	counts, err := admin.PartitionCounts(t.Context(), topic)
	require.NoError(t, err)
	require.NoError(t, s.DeleteTopic(topic))
	require.NoError(t, s.CreateTopic(topic, int32(counts[topic]), nil))
	for _, r := range all {
		if change(&r) {
			kafkatest.Write(t, s.Kafka, kafka.Message{Topic: topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers})
		}
	}
}

// dropFlag removes the flag of an interaction.
func dropFlag(t *testing.T, s *livetest.Stage, id string) {
	t.Helper()
	dropped := 0
	rewrite(t, s, "llm.incidents", func(r *kafka.FetchedRecord) bool {
		var f schemas.Flag
		require.NoError(t, confabjson.DecodeFlag(r.Value, &f))
		if f.InteractionID == id {
			dropped++
		}
		return f.InteractionID != id
	})
	require.Equal(t, 1, dropped)
}

// Every record has one outcome; the losses that are planted one by one are found, each with its coordinates.
func TestPlantedLosses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	s := live(t, nil)
	counts := verify.Result{Offsets: 13, Flagged: 4, Quiet: 6, DeadLetters: 2, Tombstones: 1}
	r := requireAudit(t, s, counts)
	require.Empty(t, r.Examples)
	require.Empty(t, r.Notes)
	var out bytes.Buffer
	require.NoError(t, verify.Print(&out, r))
	require.Equal(t, "llm.interactions: 13 offsets of 2 partitions: 4 flagged, 6 quiet, 2 dead letters, 1 tombstones; lost: 0\n", out.String())

	dropFlag(t, s, "bad-12")
	counts.Flagged, counts.Lost = 3, 1
	r = requireAudit(t, s, counts)
	require.Len(t, r.Examples, 1)
	require.Equal(t, "1 4 0", fmt.Sprint(r.Examples[0].Partition, " ", r.Examples[0].Offset, " ", r.Examples[0].Index))
	require.Equal(t, "citation, facts fired on measuring again, and it has no flag", r.Examples[0].Why)

	rewrite(t, s, "llm.interactions.dlq", func(r *kafka.FetchedRecord) bool {
		return deadletter.Describe(r.Headers).Partition != 0
	})
	counts.DeadLetters, counts.Lost = 1, 2
	r = requireAudit(t, s, counts)
	out.Reset()
	require.NoError(t, verify.Print(&out, r))
	require.Contains(t, out.String(), "; lost: 2\n")
	require.Contains(t, out.String(), "lost: partition 0 offset 5 of ")
	require.Contains(t, out.String(), ": it cannot be decoded (unknown_format), and has no dead letter\n")
	require.Contains(t, out.String(), "lost: partition 1 offset 4 index 0 of ")

	few, err := audit(t, s, func(o *verify.Options) { o.Lost = 1 })
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, verify.Print(&out, few))
	require.Contains(t, out.String(), "1 more are lost: --show 2 prints all\n")
	out.Reset()
	require.NoError(t, console.PrintJSON(&out, few))
	var parsed struct {
		Lost    int
		Records []verify.Lost `json:"lost_records"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &parsed))
	require.Equal(t, 2, parsed.Lost)
	require.Len(t, parsed.Records, 1)
}

// With emit: all a quiet interaction needs its flag too.
func TestLossOfQuietFlags(t *testing.T) {
	s := live(t, func(c *config.Config) { c.Emit = config.EmitAll })
	counts := verify.Result{Offsets: 13, Flagged: 10, DeadLetters: 2, Tombstones: 1}
	requireAudit(t, s, counts)
	dropFlag(t, s, "good-01")
	counts.Flagged, counts.Lost = 9, 1
	r := requireAudit(t, s, counts)
	require.Equal(t, "0 1 it has no flag, and emit is all", fmt.Sprint(r.Examples[0].Partition, r.Examples[0].Offset, " ", r.Examples[0].Why))
	s.Config.Emit = config.EmitFlagged
	counts.Quiet, counts.Lost = 1, 0
	requireAudit(t, s, counts)
}

// Repeats, a dead letter in addition to a flag, other ids, deep flags, other topics and what is not committed yet are counted apart.
func TestCounts(t *testing.T) {
	s := live(t, nil)
	var flags []kafka.Message
	for i, r := range s.Read(t, "llm.incidents") {
		var f schemas.Flag
		require.NoError(t, confabjson.DecodeFlag(r.Value, &f))
		deep, foreign := f, f
		deep.Pass, foreign.Origin.Topic = schemas.PassDeep, "another"
		for _, further := range []*schemas.Flag{&f, &deep, &foreign} {
			value, err := confabjson.AppendFlag(nil, further)
			require.NoError(t, err)
			if i < 2 || further != &f {
				flags = append(flags, kafka.Message{Topic: "llm.incidents", Partition: r.Partition, Key: r.Key, Value: value})
			}
		}
		if i == 0 {
			letter := deadletter.Letter{Topic: f.Origin.Topic, Partition: f.Origin.Partition, Offset: f.Origin.Offset, Stage: "decode", Reason: "crash_suspect"}
			flags = append(flags, deadletter.NewWriter(deadletter.Options{Topic: "llm.interactions.dlq", Name: "confab-detect"}).Message(&letter))
			letter.Offset++ // of another deployment
			flags = append(flags, deadletter.NewWriter(deadletter.Options{Topic: "llm.interactions.dlq", Name: "theirs-detect"}).Message(&letter))
		}
	}
	kafkatest.Write(t, s.Kafka, flags...)
	kafkatest.Write(t, s.Kafka, kafka.Message{Topic: "llm.incidents", Partition: 0, Value: []byte("not a flag")})
	s.Produce(t, 0, "not read yet", "nor this")
	counts := verify.Result{Offsets: 13, Behind: 2, Flagged: 4, Quiet: 6, DeadLetters: 2, Tombstones: 1, Repeated: 2, Both: 1}
	r := requireAudit(t, s, counts)
	require.Equal(t, []string{"1 records of llm.incidents are not flags"}, r.Notes)
	var out bytes.Buffer
	require.NoError(t, verify.Print(&out, r))
	require.Contains(t, out.String(), "1 tombstones, 2 repeated, 1 with a flag and a dead letter, 2 not committed yet; lost: 0\n")

	s.Config.Kafka.Inputs[0].Tenant = "acme" // part of every id
	counts.OtherIDs = 4
	require.Contains(t, requireAudit(t, s, counts).Notes[1], "was tenant_from or a map changed?")
}

// A calibration that did not make the flags is named: what it fires on may be no loss.
func TestOtherCalibration(t *testing.T) {
	s := live(t, nil)
	dropFlag(t, s, "bad-01")
	cal, err := calibration.Default()
	require.NoError(t, err)
	s.Config.CalibrationFile = livetest.Calibration(t, func(text string) string { return strings.Replace(text, cal.ID(), "other", 1) })
	r := requireAudit(t, s, verify.Result{Offsets: 13, Flagged: 3, Quiet: 6, DeadLetters: 2, Tombstones: 1, Lost: 1})
	require.Len(t, r.Notes, 1)
	require.Contains(t, r.Notes[0], "3 flags are of calibration "+cal.ID()+", and this one is other: name that file with --calibration")
}

// Flags and dead letters of transactions are found like others.
func TestExactlyOnce(t *testing.T) {
	s := live(t, func(c *config.Config) { c.Kafka.Delivery, c.Kafka.InstanceID = config.DeliveryExactlyOnce, "a" })
	counts := verify.Result{Offsets: 13, Flagged: 4, Quiet: 6, DeadLetters: 2, Tombstones: 1}
	requireAudit(t, s, counts)
	dropFlag(t, s, "bad-11")
	counts.Flagged, counts.Lost = 3, 1
	requireAudit(t, s, counts)
}

// What is older than the oldest retained flag is not a loss.
func TestExpiredFlags(t *testing.T) {
	s := live(t, nil)
	var later []kafka.Message
	for _, r := range s.Read(t, "llm.incidents") {
		require.NoError(t, s.DeleteRecords("llm.incidents", r.Partition, r.Offset+1))
		later = append(later, kafka.Message{Topic: "llm.incidents", Partition: r.Partition, Value: []byte("{}")})
	}
	r, err := audit(t, s, nil)
	require.NoError(t, err)
	require.Equal(t, 4, r.Lost, "nothing says when the flags were written")
	kafkatest.Write(t, s.Kafka, later...)
	r, err = audit(t, s, nil)
	require.NoError(t, err)
	require.Zero(t, r.Lost)
	require.Equal(t, 4, r.Expired)
	require.Contains(t, fmt.Sprint(r.Notes), "may have expired: start later with --from")
}

// Markers of transactions and aborted records are offsets without a record.
func TestTransactions(t *testing.T) {
	s := livetest.New(t, nil)
	cl, err := s.Kafka.NewClient(kgo.TransactionalID("tx"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		require.NoError(t, cl.BeginTransaction())
		record := &kgo.Record{Topic: "llm.interactions", Value: fmt.Appendf(nil, livetest.Ungrounded, fmt.Sprint(i))}
		require.NoError(t, cl.ProduceSync(t.Context(), record).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), end))
	}
	s.Produce(t, 0, fmt.Sprintf(livetest.Grounded, "last"))
	s.Run(t)
	r := requireAudit(t, s, verify.Result{Offsets: 7, Empty: 4, Flagged: 2, Quiet: 1})
	require.Empty(t, r.Notes)
}

func TestErrors(t *testing.T) {
	s := livetest.New(t, nil)
	_, err := audit(t, s, nil)
	require.ErrorContains(t, err, "group confab-detect has committed no offset of llm.interactions")
	s.Produce(t, 0, fmt.Sprintf(livetest.Grounded, "i"))
	s.Run(t)
	_, err = audit(t, s, func(o *verify.Options) { o.Incidents = "nowhere" })
	require.ErrorContains(t, err, "topic nowhere does not exist")
}
