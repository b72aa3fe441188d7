//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

const (
	detectGroup   = "confab-detect"
	killedWorkers = 4
	stopRows      = 400 // half of them written before the workers die
	stopSession   = "35s"
)

// TestShutdownWhileJoining kills workers, so that their group waits for them until their sessions time out, and stops
// workers that wait in JoinGroup because of that: each exits within its grace period and leaves the group, which still
// waits for the dead ones. The next worker takes over, and every interaction has its flag.
func TestShutdownWhileJoining(t *testing.T) {
	c := startCluster(t, integration.ClusterOptions{})
	bin := buildWorker(t)
	config := writeJoinConfig(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	defer cl.Close()
	admin := kadm.NewClient(cl)

	step := stopwatch(t)
	_, err = command(ctx, bin, "topics", "apply", "--config", config, "--partitions", "6")
	require.NoError(t, err)
	rows := loadRows(t, stopRows)
	produceRows(ctx, t, bin, config, rows[:stopRows/2])
	dead := make([]*worker, killedWorkers)
	for i := range dead {
		dead[i] = launchWorker(t, bin, config, "detect")
	}
	for _, w := range dead {
		w.awaitReady(t)
	}
	awaitGroup(ctx, t, admin, "Stable", killedWorkers)
	require.NoError(t, c.AwaitCaughtUp(ctx, detectGroup, topicIn))
	step("workers ready")
	for _, w := range dead {
		require.NoError(t, w.cmd.Process.Kill())
		<-w.done
	}
	step("workers killed")
	produceRows(ctx, t, bin, config, rows[stopRows/2:])

	for _, grace := range []time.Duration{30 * time.Second, 5 * time.Second} {
		w := launchWorker(t, bin, config, "detect", "shutdown_grace="+grace.String())
		awaitGroup(ctx, t, admin, "PreparingRebalance", killedWorkers+1)
		began := time.Now()
		w.stop(t)
		took := time.Since(began)
		t.Logf("grace %s: exit 0 after %s", grace, took.Round(time.Millisecond))
		require.Less(t, took, grace)
		awaitGroup(ctx, t, admin, "PreparingRebalance", killedWorkers) // it has left, and the group waits as before
		step("stopped, " + grace.String())
	}

	next := startWorker(t, bin, config, "detect")
	require.NoError(t, c.AwaitCaughtUp(ctx, detectGroup, topicIn))
	step("taken over")
	next.stop(t)
	require.Equal(t, []string{}, withoutFlag(ctx, t, c, rows))
}

func writeJoinConfig(t *testing.T, c *integration.Cluster) string {
	t.Helper()
	text := fmt.Sprintf(`
kafka: {seed_brokers: [%s], start_offset: earliest, session_timeout: %s}
emit: all
log: {format: json}
`, strings.Join(c.Seeds(), ", "), stopSession)
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func produceRows(ctx context.Context, t *testing.T, bin, config string, rows []row) {
	t.Helper()
	_, err := command(ctx, bin, "produce", "--config", config, writeRows(t, "rows-"+strconv.Itoa(len(rows))+".jsonl", rows))
	require.NoError(t, err)
}

// awaitGroup returns when the workers' group has that state and number of members.
func awaitGroup(ctx context.Context, t *testing.T, admin *kadm.Client, state string, members int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	what := fmt.Sprintf("group %s is %s with %d members", detectGroup, state, members)
	require.NoError(t, integration.Await(ctx, what, func(ctx context.Context) (bool, error) {
		groups, err := admin.DescribeGroups(ctx, detectGroup)
		if err != nil {
			return false, fmt.Errorf("describe group: %w", err)
		}
		g := groups[detectGroup]
		return g.State == state && len(g.Members) == members, fmt.Errorf("%s with %d members, %w", g.State, len(g.Members), g.Err)
	}))
}

// withoutFlag are the ids of the rows that have no flag.
func withoutFlag(ctx context.Context, t *testing.T, c *integration.Cluster, rows []row) []string {
	t.Helper()
	flags, err := c.ReadTopic(ctx, topicIncidents)
	require.NoError(t, err)
	got := make(map[string]bool, len(flags))
	for _, r := range flags {
		id, _ := parseFlag(t, r.Value)["interaction_id"].(string)
		got[id] = true
	}
	t.Logf("%d flags of %d interactions", len(flags), len(rows))
	missing := []string{}
	for _, r := range rows {
		if !got[r.id] {
			missing = append(missing, r.id)
		}
	}
	return missing
}
