package compacted

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

func newFenced(t testing.TB, c *embedded.Cluster) *FencedLog {
	t.Helper()
	return &FencedLog{Config: kafka.Config{SeedBrokers: c.Seeds()}, Topic: "state"}
}

func ownPartition(t testing.TB, l *FencedLog, p int32) *FencedPartition {
	t.Helper()
	part, err := l.Own(t.Context(), p)
	require.NoError(t, err)
	t.Cleanup(part.Close)
	return part
}

// stringValues are values as strings, for messages that people read.
func stringValues(values map[string][]byte) map[string]string {
	out := make(map[string]string, len(values))
	for k, v := range values {
		out[k] = string(v)
	}
	return out
}

func appendValues(kv ...string) map[string][]byte {
	m := make(map[string][]byte)
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = []byte(kv[i+1])
	}
	return m
}

func TestFencedLogKeepsTheLastValues(t *testing.T) {
	c := newCluster(t, 3)
	l := newFenced(t, c)
	first := ownPartition(t, l, 1)
	require.Empty(t, first.Last())
	require.NoError(t, first.Append(t.Context(), appendValues("a", "1", "b", "1")))
	require.NoError(t, first.Append(t.Context(), appendValues("a", "2")))
	require.NoError(t, first.Append(t.Context(), appendValues("c", "x")))
	require.NoError(t, first.Append(t.Context(), map[string][]byte{"c": nil}))
	require.Equal(t, map[string]string{"a": "2", "b": "1"}, stringValues(ownPartition(t, l, 1).Last()))
	require.Empty(t, ownPartition(t, l, 2).Last(), "another partition is another log")
}

// TestFencedLogShutsOutTheEarlierOwner: whatever the earlier owner was about to do.
func TestFencedLogShutsOutTheEarlierOwner(t *testing.T) {
	cases := map[string]func(*testing.T, *FencedPartition){
		"fresh": func(*testing.T, *FencedPartition) {},
		"having written": func(t *testing.T, p *FencedPartition) {
			require.NoError(t, p.Append(t.Context(), appendValues("a", "1")))
		},
		"amid a transaction": func(t *testing.T, p *FencedPartition) {
			require.NoError(t, p.client.BeginTransaction())
			r := &kgo.Record{Topic: "state", Partition: 0, Key: []byte("a"), Value: []byte("half")}
			require.NoError(t, p.client.ProduceSync(t.Context(), r).FirstErr())
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 1)
			zombie := ownPartition(t, newFenced(t, c), 0)
			prepare(t, zombie)
			heir := ownPartition(t, newFenced(t, c), 0)
			known := stringValues(heir.Last())
			require.NotContains(t, known, "half")

			var err error
			if name == "amid a transaction" {
				err = zombie.wrap("write", zombie.client.EndTransaction(t.Context(), kgo.TryCommit))
			} else {
				err = zombie.Append(t.Context(), appendValues("a", "zombie"))
				require.ErrorIs(t, zombie.Append(t.Context(), appendValues("a", "again")), ErrFenced, "it stays shut out")
			}
			require.ErrorIs(t, err, ErrFenced)
			require.NoError(t, heir.Append(t.Context(), appendValues("b", "heir")), "the heir is not disturbed")
			known["b"] = "heir"
			require.Equal(t, known, stringValues(ownPartition(t, newFenced(t, c), 0).Last()), "nothing of the zombie was written")
		})
	}
}

// TestFencedLogOwnersInARow: each owner reads what all earlier owners have written.
func TestFencedLogOwnersInARow(t *testing.T) {
	c := newCluster(t, 1)
	want := make(map[string]string)
	var all []*FencedPartition
	for i := range 5 {
		p := ownPartition(t, newFenced(t, c), 0)
		require.Equal(t, want, stringValues(p.Last()))
		key := fmt.Sprint(i)
		require.NoError(t, p.Append(t.Context(), appendValues(key, "v")))
		want[key] = "v"
		for _, old := range all {
			require.ErrorIs(t, old.Append(t.Context(), appendValues(key, "zombie")), ErrFenced)
		}
		all = append(all, p)
	}
}

// TestFencedLogFirstWrite: a client's first commit can come before it has noted the topic; it must be a commit all the same.
func TestFencedLogFirstWrite(t *testing.T) {
	const partitions = 64
	c := newCluster(t, partitions)
	for p := range int32(partitions) {
		require.NoError(t, ownPartition(t, newFenced(t, c), p).Append(t.Context(), appendValues("a", "1")))
		require.Equal(t, map[string]string{"a": "1"}, stringValues(ownPartition(t, newFenced(t, c), p).Last()))
	}
}

func TestFencedLogAfterAFailedWrite(t *testing.T) {
	tests := map[string]struct {
		fault kfake.Fault
		left  map[string]string
	}{
		"produce refused":        {kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TopicAuthorizationFailed, Count: -1}, map[string]string{"a": "1"}},
		"commit refused":         {kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1}, map[string]string{"a": "1"}},
		"commit answered fenced": {kfake.Fault{Keys: []kmsg.Key{kmsg.EndTxn}, Err: kerr.ProducerFenced, Count: -1}, map[string]string{"a": "1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, 1)
			p := ownPartition(t, newFenced(t, c), 0)
			require.NoError(t, p.Append(t.Context(), appendValues("a", "1")))
			fault := c.Fault(tt.fault)
			err := p.Append(t.Context(), appendValues("a", "2"))
			require.Error(t, err)
			require.Equal(t, errors.Is(tt.fault.Err, kerr.ProducerFenced), errors.Is(err, ErrFenced))
			fault.Remove()
			require.Error(t, p.Append(t.Context(), appendValues("a", "3")), "an owner that does not know what it wrote writes no more")
			require.Equal(t, tt.left, stringValues(ownPartition(t, newFenced(t, c), 0).Last()))
		})
	}
}

func TestFencedLogHeedsTheContext(t *testing.T) {
	c := newCluster(t, 1)
	p := ownPartition(t, newFenced(t, c), 0)
	block := make(chan struct{})
	reached := make(chan struct{}, 1)
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		reached <- struct{}{}
		c.SleepControl(func() { <-block })
		return nil, nil, false
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- p.Append(ctx, appendValues("a", "1")) }()
	<-reached
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	close(block)
	heir := ownPartition(t, newFenced(t, c), 0)
	require.Empty(t, heir.Last())
}

func TestFencedLogErrors(t *testing.T) {
	c := newCluster(t, 1)
	_, err := newFenced(t, c).Own(t.Context(), 7)
	require.ErrorContains(t, err, "as many partitions as the topic it belongs to")

	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Err: kerr.TransactionalIDAuthorizationFailed, Count: -1})
	_, err = newFenced(t, c).Own(t.Context(), 0)
	require.ErrorContains(t, err, "allow WRITE and DESCRIBE on the transactional id confab-state-0")
	fault.Remove()

	p := ownPartition(t, newFenced(t, c), 0)
	p.Close()
	p.Close()
	require.ErrorIs(t, p.Append(t.Context(), appendValues("a", "1")), kafka.ErrClosed)

	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	_, err = newFenced(t, c).Own(ctx, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Empty(t, ownPartition(t, newFenced(t, c), 0).Last())
}
