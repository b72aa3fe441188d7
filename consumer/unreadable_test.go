package consumer

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/logtest"
	"confab/internal/worker/logging"
)

// A partition that cannot be read although it is owned is in the metrics, in the log once a minute, and with its reason at hand; it
// is none any more when it can be read.
func TestUnreadablePartitions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	tests := []struct {
		name, reason string
		line         string // of the log
		breakIt      func(t *testing.T, r *loopHarness) (mend func())
	}{
		{"deleted topic", unknownTopic, "the brokers do not know the topic", func(t *testing.T, r *loopHarness) func() {
			require.NoError(t, r.cluster.DeleteTopic(inTopic))
			return nil
		}},
		{"withdrawn permission", readDenied, "READ is denied", func(t *testing.T, r *loopHarness) func() {
			denied := r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: inTopic, Err: kerr.TopicAuthorizationFailed, Count: -1})
			return denied.Remove
		}},
		{"open transaction", openTransaction, "a producer's transaction is open", func(t *testing.T, r *loopHarness) func() {
			cl, err := r.cfg.NewClient(kgo.TransactionalID("producer"), kgo.TransactionTimeout(10*time.Minute))
			require.NoError(t, err)
			t.Cleanup(cl.Close)
			require.NoError(t, cl.BeginTransaction())
			require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: inTopic, Value: []byte("open")}).FirstErr())
			return func() { require.NoError(t, cl.EndTransaction(t.Context(), kgo.TryCommit)) }
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newVirtualHarness(t, 1)
				r.produce(t, 0, "one")
				var log logtest.Buffer
				opts := r.options(copyHandler)
				opts.Logger = slog.New(logging.LimitRepeats(logEvery, slog.NewTextHandler(&log, nil)))
				run := r.start(t, opts)
				r.awaitCommitted(t, map[int32]int64{0: 1})
				sleepVirtual(5 * time.Minute)
				require.Empty(t, run.loop.Unreadable(), "an idle topic is none")

				mend := tt.breakIt(t, r)
				sleepVirtual(3*time.Minute - time.Second)
				require.Equal(t, []Unreadable{{Topic: inTopic, Reason: tt.reason, Partitions: []int32{0}}}, run.loop.Unreadable())
				require.Contains(t, run.loop.Unreadable()[0].String(), tt.line)
				require.True(t, run.loop.Ready())
				gauge := r.metrics.Unreadable.WithLabelValues("test", inTopic, tt.reason)
				require.InDelta(t, 1, testutil.ToFloat64(gauge), 0)
				require.Equal(t, 3, log.Count("partitions cannot be read"), "once a minute")
				require.Equal(t, 3, log.Count(tt.line))
				if mend != nil {
					mend()
					sleepVirtual(time.Minute)
					require.Empty(t, run.loop.Unreadable())
					require.InDelta(t, 0, testutil.ToFloat64(gauge), 0)
				}
				require.NoError(t, run.stop())
				require.InDelta(t, 0, testutil.ToFloat64(gauge), 0)
			})
		})
	}
}

// sleepVirtual waits in a bubble of synctest.
func sleepVirtual(d time.Duration) { <-time.After(d) }
