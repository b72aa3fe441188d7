package consumer

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/logtest"
	"confab/internal/worker/logging"
)

// TestLoginRevokedWhileRunning: brokers that end sessions and refuse the next login are an outage like any other: the loop
// runs on, says so once a minute for each place that fails, stops within its grace, and goes on when the login is good again.
func TestLoginRevokedWhileRunning(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Run("PLAIN, and heals", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { loginRevoked(t, "PLAIN", true) })
	})
	t.Run("SCRAM, and stops", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { loginRevoked(t, "SCRAM-SHA-512", false) })
	})
}

func loginRevoked(t *testing.T, mechanism string, heals bool) {
	r := newVirtualHarness(t, 2,
		kfake.EnableSASL(), kfake.Superuser(mechanism, "worker", "secret-of-brokers"),
		kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": "10000"}))
	r.login(t, kafka.SASL{Mechanism: mechanism, User: "worker", Password: "secret-of-brokers"})
	var log logtest.Buffer
	opts := r.options(copyHandler)
	opts.Logger, opts.Grace = slog.New(logging.LimitRepeats(logEvery, slog.NewTextHandler(&log, nil))), 30*time.Second
	r.produce(t, 0, numberedValues(0, 5)...)
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 5})

	<-time.After(time.Minute) // several sessions end and are renewed
	r.produce(t, 0, numberedValues(5, 5)...)
	r.awaitCommitted(t, map[int32]int64{0: 10})
	require.Zero(t, log.Count("level=ERROR"), log.String())

	revoked := r.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.SASLAuthenticate}, TopLevel: true, Err: kerr.SaslAuthenticationFailed, Count: -1,
	})
	<-time.After(3 * time.Minute)
	select {
	case <-run.done:
		t.Fatal("it ended:", run.err)
	default:
	}
	require.Positive(t, log.Count("level=ERROR")+log.Count("level=WARN"), "the failure is logged")
	require.LessOrEqual(t, log.Count("\n"), 20, log.String())
	require.NotContains(t, log.String(), "secret-of-brokers")
	require.Less(t, revoked.Hits(), 4_000, "no busy loop")
	if heals {
		revoked.Remove()
		r.produce(t, 0, numberedValues(10, 5)...)
		r.awaitCommitted(t, map[int32]int64{0: 15})
	}
	begin := time.Now()
	_ = run.stop() // without a broker the last commit may fail
	require.LessOrEqual(t, time.Since(begin), opts.Grace)
}

// login makes the harness's client and producer log in.
func (r *loopHarness) login(t *testing.T, as kafka.SASL) {
	t.Helper()
	r.producer.Close()
	r.cfg.SASL = as
	var err error
	r.producer, err = kafka.NewProducer(r.cfg)
	require.NoError(t, err)
	t.Cleanup(r.producer.Close)
}
