package worker

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
)

// silentBroker accepts connections and never answers. It returns its address and a channel that gets a value with each
// connection.
func silentBroker(t *testing.T) (address string, accepted <-chan struct{}) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	connected := make(chan struct{}, 100)
	var conns []net.Conn
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conns = append(conns, conn)
			connected <- struct{}{}
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		accepting.Wait()
		for _, c := range conns {
			_ = c.Close()
		}
	})
	return listener.Addr().String(), connected
}

// TestStopWhileConnecting: a silent broker does not block a stop. A start that hangs longer than
// the grace period ends with errShutdown.
func TestStopWhileConnecting(t *testing.T) {
	address, accepted := silentBroker(t)
	config := config.Default()
	config.Kafka.SeedBrokers, config.Admin.Listen, config.ShutdownGrace = []string{address}, "", 2*time.Second
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{Config: config, Registry: prometheus.NewRegistry(), Logger: testLogger(t)})
	}()
	<-accepted
	cancel()
	require.NoError(t, <-done)
}

// TestStopWhileARequestHangs has requests that are never answered from the start of the worker on.
func TestStopWhileARequestHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for _, key := range []kmsg.Key{
		kmsg.Metadata, kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.OffsetFetch, kmsg.ListOffsets, kmsg.Fetch,
		kmsg.Heartbeat, kmsg.InitProducerID,
	} {
		t.Run(key.Name(), func(t *testing.T) {
			b, _ := newSampleHarness(t, llmtest.Options{Answer: answersAlike}) // all roles
			b.config.ShutdownGrace = 3 * time.Second
			b.config.Admin.Listen = "127.0.0.1:0"
			b.produce("llm.interactions", fmt.Sprintf(asks, "i", "t"))
			hits, release := b.cluster.Hang(key.Int16())
			t.Cleanup(release)
			stop := b.start()
			require.Eventually(t, func() bool { return hits.Load() > 0 }, time.Minute, time.Millisecond)
			require.NoError(t, stop())
		})
	}
}

// TestShutdownHasOneDeadline adds up what the parts of a shutdown may take.
func TestShutdownHasOneDeadline(t *testing.T) {
	for _, grace := range []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 10 * time.Minute} {
		c := config.Default()
		c.ShutdownGrace = grace
		w := &worker{Options: Options{Config: c, Logger: testLogger(t)}}
		alert := loopOptions[string](w, config.RoleAlert)
		require.Equal(t, roleGrace(c), alert.Grace)
		require.LessOrEqual(t, roleGrace(c)+3*stopTime(c), grace)
		require.Less(t, deliveryGrace(c), roleGrace(c)/2)
	}
}

// TestRunWithGrace runs in virtual time.
func TestRunWithGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{Options: Options{Logger: testLogger(t)}}
		ctx, cancel := context.WithCancel(t.Context())
		var stopped atomic.Bool
		leave := make(chan struct{})
		time.AfterFunc(time.Hour, func() { stopped.Store(true); cancel() })
		err := w.runWithGrace(ctx, 7*time.Second, func() error { <-leave; return nil })
		require.True(t, stopped.Load())
		require.ErrorIs(t, err, errShutdown)
		close(leave)
		require.NoError(t, w.runWithGrace(ctx, time.Second, func() error { return nil }))
	})
}
