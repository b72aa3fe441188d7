package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// memoryLimit is the address space of a worker, in KiB: what a container's limit is to it.
const memoryLimit = 3 << 20

// runCrashes has three replicas of a test build meet, among ordinary records, two that end every process: one keeps a
// detector in a loop until the watchdog ends the process, the other makes it allocate until there is no memory left.
func (w *brokerTier) runCrashes(t *testing.T) {
	inputs, err := Inputs(2000, *seed)
	require.NoError(t, err)
	killers := []string{"confab-crashtest-loop", "confab-crashtest-allocate"}
	for i, text := range killers {
		value := fmt.Appendf(nil, `{"interaction_id":"killer-%d","answer":"%s"}`, i, text)
		inputs = slices.Insert(inputs, 500+700*i, Input{Kind: Poison, Key: text, Value: value})
	}
	bin := filepath.Join(t.TempDir(), "confab-crashtest")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", "crashtest", "-o", bin, "confab/cmd/worker").CombinedOutput()
	require.NoError(t, err, string(out))
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(w.config()+"shutdown_grace: 2s\n"), 0o600))
	f := startProcesses(t, workers, func(_ int, admin string) *exec.Cmd {
		run := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, memoryLimit)
		return exec.Command("sh", "-c", run, bin, "run", "--config", file, "--roles", "detect", "--emit", "all", //nolint:noctx // the fleet ends it
			"--set", "admin.listen="+admin)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for n := range workers {
		require.NoError(t, f.ready(ctx, n))
	}
	began := time.Now()
	l := startLoad(ctx, w.seeds, perTick, inputs)
	<-l.done
	require.NoError(t, l.err)
	w.drain(t)
	t.Logf("seed %d, %s: lag 0 after %.1f s", *seed, w.name, time.Since(began).Seconds())
	exits := f.stop(t)
	t.Logf("%d processes ended: %s", len(exits), strings.Join(exits, "\n"))
	require.GreaterOrEqual(t, len(exits), 4, "each of the two records has ended two processes at least")
	require.LessOrEqual(t, len(exits), 10)

	_, result := w.audit(t, l)
	require.NoError(t, result.Err())
	letters, err := ReadRecords(ctx, w.seeds, topicDLQ)
	require.NoError(t, err)
	var suspects []string
	for _, r := range letters {
		if r.Headers["confab-reason"] == "crash_suspect" {
			suspects = append(suspects, r.Key)
		}
	}
	slices.Sort(killers)
	slices.Sort(suspects)
	require.Equal(t, killers, suspects, "those two and no other")
}
