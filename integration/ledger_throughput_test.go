//go:build integration

package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestRealThroughput compares both kinds of delivery: one worker reads the same records from three real brokers and writes a
// flag for each, in turns. It judges nothing but completeness, since times depend on the machine.
func TestRealThroughput(t *testing.T) {
	if *rateRounds == 0 {
		t.Skip("make rates")
	}
	c, _ := startCluster(t)
	inputs, err := Inputs(*events, *seed)
	require.NoError(t, err)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DefaultProduceTopic(topicIn))
	require.NoError(t, err)
	defer cl.Close()
	for _, in := range inputs {
		cl.Produce(t.Context(), inputRecord(in), func(_ *kgo.Record, err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	require.NoError(t, cl.Flush(t.Context()))
	w := &brokerTier{seeds: c.Seeds(), session: 10 * time.Second}
	bin := workerBinary(t)
	for round := range *rateRounds {
		var rates [2]float64
		for turn := range 2 {
			mode := (round + turn) % 2 // the order alternates
			w.once = mode == 1
			rates[mode] = w.drainRate(t, cl, bin, fmt.Sprintf("round-%d-%d", round, mode))
		}
		t.Logf("round %d: at_least_once %.0f/s, exactly_once %.0f/s, ratio %.2f", round, rates[0], rates[1], rates[1]/rates[0])
	}
}

// drainRate is the number of records that a worker with a group of its own processes in a second, from its first commit on.
func (w *brokerTier) drainRate(t *testing.T, cl *kgo.Client, bin, name string) float64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(w.config()), 0o600))
	f := startProcesses(t, 1, func(_ int, admin string) *exec.Cmd {
		return exec.Command(bin, "run", "--config", file, "--roles", "detect", "--emit", "all", //nolint:noctx // the fleet ends it
			"--set", "kafka.instance_id="+name, "--set", "kafka.consumer_group="+name, "--set", "admin.listen="+admin)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var began time.Time
	var first int64
	require.NoError(t, awaitTrue(ctx, "the lag is 0", func() (bool, error) {
		lag, err := GroupLag(ctx, cl, name+"-detect", topicIn)
		if err != nil {
			return false, err
		}
		if began.IsZero() && lag < int64(*events) {
			began, first = time.Now(), lag
		}
		return lag == 0, nil
	}))
	took := time.Since(began)
	f.signal(syscall.SIGTERM)
	f.wg.Wait()
	return float64(first) / took.Seconds()
}
