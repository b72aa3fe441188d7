package main

import (
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/logtest"
)

// The broker takes the topics and records of other commands until it is interrupted.
func TestBroker(t *testing.T) {
	var out logtest.Buffer
	broker := exec.Command("confab", "broker", "--listen", "127.0.0.1:0") //nolint:noctx // interrupted below
	broker.Stdout = &out
	require.NoError(t, broker.Start())
	t.Cleanup(func() { _ = broker.Process.Kill() })
	address := regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
	require.Eventually(t, func() bool { return address.MatchString(out.String()) }, 20*time.Second, 10*time.Millisecond)
	brokers := "kafka.seed_brokers=" + address.FindString(out.String())
	for _, args := range [][]string{
		{"topics", "apply", "--partitions", "2", "--set", brokers},
		{"produce", "../../examples/interactions.jsonl", "--set", brokers},
	} {
		said, err := exec.CommandContext(t.Context(), "confab", args...).CombinedOutput()
		require.NoError(t, err, "%s", said)
	}
	require.NoError(t, broker.Process.Signal(syscall.SIGINT))
	require.NoError(t, broker.Wait())
}
