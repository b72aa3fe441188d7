package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
)

// TestSecondSignalEndsTheProcess: the first signal asks for an orderly end, which waits ten minutes for a broker that
// does not answer. The second ends the process at once.
func TestSecondSignalEndsTheProcess(t *testing.T) {
	for _, tt := range []struct {
		name          string
		first, second syscall.Signal
		code          int
	}{
		{"SIGTERM twice", syscall.SIGTERM, syscall.SIGTERM, 143},
		{"SIGTERM, SIGINT", syscall.SIGTERM, syscall.SIGINT, 130},
		{"SIGINT, SIGTERM", syscall.SIGINT, syscall.SIGTERM, 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := startStuckProcess(t)
			require.NoError(t, w.cmd.Process.Signal(tt.first))
			w.await(t, "shutdown has begun", func() bool { return w.status(t) == http.StatusServiceUnavailable })
			require.NoError(t, w.cmd.Process.Signal(tt.second))
			w.await(t, "process has ended", func() bool { return isDone(w.done) })
			require.Equal(t, tt.code, w.cmd.ProcessState.ExitCode(), w.output.String())
		})
	}
}

// stuckProcess is a worker whose shutdown does not end: it waits for a flag that the broker never acknowledges.
type stuckProcess struct {
	cmd    *exec.Cmd
	admin  string
	output bytes.Buffer // read it when done is closed
	done   chan struct{}
}

// startStuckProcess returns once the worker is ready and has sent its flag. It is killed with the test if it still runs then.
func startStuckProcess(t *testing.T) *stuckProcess {
	t.Helper()
	cluster, err := embedded.Start(embedded.Options{Topics: map[string]int32{
		"llm.interactions": 1, "llm.incidents": 1, "llm.interactions.sampled": 1, "llm.interactions.dlq": 1,
	}})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.Seeds()...))
	require.NoError(t, err)
	defer cl.Close()
	record := &kgo.Record{Topic: "llm.interactions", Value: []byte(`{"interaction_id":"i","answer":"a"}`)}
	require.NoError(t, cl.ProduceSync(t.Context(), record).FirstErr())
	hits, release := cluster.Hang(int16(kmsg.Produce))
	t.Cleanup(release)

	w := &stuckProcess{admin: freeAddress(t), done: make(chan struct{})}
	w.cmd = exec.Command("confab", "run", "--roles", "detect", "--emit", "all", //nolint:noctx // killed in the clean-up
		"--set", "kafka.start_offset=earliest", "--set", "shutdown_grace=10m")
	w.cmd.Env = append(os.Environ(), "CONFAB_KAFKA_SEED_BROKERS="+strings.Join(cluster.Seeds(), ","), "CONFAB_ADMIN_LISTEN="+w.admin)
	w.cmd.Stdout, w.cmd.Stderr = &w.output, &w.output
	require.NoError(t, w.cmd.Start())
	go func() { _ = w.cmd.Wait(); close(w.done) }()
	t.Cleanup(func() { _ = w.cmd.Process.Kill(); <-w.done })
	w.await(t, "flag is sent", func() bool { return hits.Load() > 0 })
	w.await(t, "worker is ready", func() bool { return w.status(t) == http.StatusOK })
	return w
}

// status is what /readyz answers; 0 when the worker cannot be reached.
func (w *stuckProcess) status(t *testing.T) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+w.admin+"/readyz", http.NoBody)
	require.NoError(t, err)
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func (w *stuckProcess) await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); !cond(); <-tick.C {
		require.True(t, time.Now().Before(limit), "wait until %s", what)
	}
}

func isDone(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
