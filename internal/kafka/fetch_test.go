package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
)

func TestPickFetchesSingleRecords(t *testing.T) {
	c := startCluster(t, map[string]int32{"in": 2, "other": 1})
	p := newProducer(t, c)
	padding := strings.Repeat("x", 10<<10) // many fetches
	for i := range 200 {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "in", Partition: int32(i % 2), Value: fmt.Appendf(nil, "%d %s", i/2, padding)}))
	}
	require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "other", Value: []byte("0 ")}))
	require.NoError(t, c.DeleteRecords("in", 1, 10))
	cfg := Config{SeedBrokers: c.Seeds()}
	pick := func(spots ...RecordPosition) (got []string) {
		for _, at := range spots {
			require.NoError(t, FetchRecord(t.Context(), cfg, at, func(r *FetchedRecord) error {
				number, _, _ := strings.Cut(string(r.Value), " ")
				require.Equal(t, fmt.Sprint(r.Offset), number)
				got = append(got, fmt.Sprint(r.Topic, " ", r.Partition, " ", r.Offset))
				return nil
			}))
		}
		slices.Sort(got)
		return got
	}
	require.Equal(t, []string{"in 0 0", "in 0 50", "in 0 51", "in 0 99", "in 1 77", "other 0 0"}, pick(
		RecordPosition{"in", 0, 99}, RecordPosition{"in", 0, 0}, RecordPosition{"in", 0, 51}, RecordPosition{"in", 0, 50}, RecordPosition{"in", 1, 77}, RecordPosition{"other", 0, 0},
		RecordPosition{"in", 1, 9}, RecordPosition{"in", 1, 100}, RecordPosition{"in", 7, 0}, RecordPosition{"nowhere", 0, 0}, // deleted, not yet there, no such partition, no such topic
	))
	require.Empty(t, pick(RecordPosition{"nowhere", 0, 0}))
	stop := errors.New("enough")
	require.ErrorIs(t, FetchRecord(t.Context(), cfg, RecordPosition{"in", 0, 1}, func(*FetchedRecord) error { return stop }), stop)
}

// A record behind a transaction that is still open is waited for until the caller's deadline, and then said, not taken for one that is gone.
func TestPickBehindOpenTransaction(t *testing.T) {
	c := startCluster(t, map[string]int32{"in": 1})
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.TransactionalID("t"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.BeginTransaction())
	require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: "in", Value: []byte("open")}).FirstErr())
	require.NoError(t, newProducer(t, c).ProduceSync(t.Context(), Message{Topic: "in", Value: []byte("behind")}))
	pick := func(offset int64, wait time.Duration) (got []string, err error) {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		err = FetchRecord(ctx, Config{SeedBrokers: c.Seeds()}, RecordPosition{"in", 0, offset}, func(r *FetchedRecord) error {
			got = append(got, string(r.Value))
			return nil
		})
		return got, err
	}
	got, err := pick(1, 300*time.Millisecond)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Empty(t, got)
	require.NoError(t, cl.EndTransaction(t.Context(), kgo.TryAbort))
	got, err = pick(1, 10*time.Second)
	require.NoError(t, err)
	require.Equal(t, []string{"behind"}, got)
	got, err = pick(0, 10*time.Second) // aborted
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestPickIsDenied(t *testing.T) {
	allow := func(name string, op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	c, err := embedded.Start(embedded.Options{
		Topics: map[string]int32{"mine": 1, "described": 1, "theirs": 1},
		Extra: []kfake.Opt{
			kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"),
			kfake.User("PLAIN", "confab", "pw", allow("mine", kmsg.ACLOperationRead), allow("described", kmsg.ACLOperationDescribe)),
		},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	login := func(user string) Config {
		return Config{SeedBrokers: c.Seeds(), SASL: SASL{Mechanism: MechanismPlain, User: user, Password: "pw"}}
	}
	p, err := NewProducer(login("admin"))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	for _, topic := range []string{"mine", "described", "theirs"} {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: topic}))
	}
	pick := func(topic string) error {
		return FetchRecord(t.Context(), login("confab"), RecordPosition{Topic: topic}, func(*FetchedRecord) error { return nil })
	}
	require.NoError(t, pick("mine"))
	require.ErrorIs(t, pick("described"), ErrDenied)
	require.ErrorIs(t, pick("theirs"), ErrDenied)
}
