//go:build integration

package integration

import (
	"context"
	"flag"
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

var (
	recoveryKills = flag.Int("ledger.recovery", 0, "TestRealRecovery: kills for each kind of member; 0: it does not run")
	rateRounds    = flag.Int("ledger.rates", 0, "TestRealThroughput: rounds; 0: it does not run")
)

// TestRealRecovery measures how long a group of three workers leaves partitions unread after a SIGKILL of one, which is
// replaced at once: until everything is committed that was written until two seconds after the kill.
func TestRealRecovery(t *testing.T) {
	if *recoveryKills == 0 {
		t.Skip("make recovery")
	}
	c, _ := startCluster(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DefaultProduceTopic(topicIn))
	require.NoError(t, err)
	defer cl.Close()
	bin := workerBinary(t)
	for _, mode := range []struct {
		name                 string
		static, server, once bool
	}{
		{name: "dynamic, classic"},
		{name: "static, classic", static: true},
		{name: "dynamic, consumer", server: true},
		{name: "static, consumer", static: true, server: true},
		{name: "exactly_once, static, classic", static: true, once: true},
		{name: "exactly_once, static, consumer", static: true, server: true, once: true},
	} {
		t.Run(mode.name, func(t *testing.T) {
			w := &brokerTier{seeds: c.Seeds(), session: 10 * time.Second, once: mode.once, deaths: *recoveryKills + 1}
			file := filepath.Join(t.TempDir(), "confab.yaml")
			require.NoError(t, os.WriteFile(file, []byte(w.config()), 0o600))
			name := fmt.Sprintf("recovery-%d", time.Now().UnixNano())
			f := startProcesses(t, workers, func(slot int, admin string) *exec.Cmd {
				args := []string{"run", "--config", file, "--roles", "detect", "--set", "kafka.consumer_group=" + name, "--set", "admin.listen=" + admin}
				if mode.static {
					args = append(args, "--set", fmt.Sprintf("kafka.instance_id=slot-%d", slot))
				}
				if mode.server {
					args = append(args, "--set", "kafka.group_protocol=consumer")
				}
				return exec.Command(bin, args...) //nolint:noctx // the fleet ends it
			})
			ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
			defer cancel()
			for n := range workers {
				require.NoError(t, f.ready(ctx, n))
			}
			for kill := range *recoveryKills {
				w.writeAndAwait(ctx, t, cl, name)
				slot := kill % workers
				require.NoError(t, f.ready(ctx, slot))
				require.NoError(t, f.slots[slot].send(syscall.SIGKILL))
				began := time.Now()
				w.writeAndAwait(ctx, t, cl, name)
				t.Logf("%s: kill %d: %.1f s", mode.name, kill, time.Since(began).Seconds())
			}
			f.signal(syscall.SIGTERM)
			f.wg.Wait()
		})
	}
}

// writeAndAwait writes for two seconds and returns when the group has committed everything.
func (w *brokerTier) writeAndAwait(ctx context.Context, t *testing.T, cl *kgo.Client, name string) {
	t.Helper()
	inputs, err := Inputs(1000, *seed)
	require.NoError(t, err)
	for len(inputs) > 0 {
		for _, in := range inputs[:10] {
			cl.Produce(ctx, inputRecord(in), nil)
		}
		inputs = inputs[10:]
		sleepFor(ctx, 20*time.Millisecond)
	}
	require.NoError(t, cl.Flush(ctx))
	require.NoError(t, awaitTrue(ctx, "the lag is 0", func() (bool, error) {
		lag, err := GroupLag(ctx, cl, name+"-detect", topicIn)
		return lag == 0 && err == nil, err
	}))
}
