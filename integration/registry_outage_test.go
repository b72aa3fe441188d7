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
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/schemaregistry"
	"confab/schemas"
	"confab/schemas/avro"
)

const (
	knownRows  = 3000 // under the schema that the worker knows before the outage
	knownRate  = 100  // a second, so that the outage falls into the load
	newRows    = 100  // under a schema that it sees first while the registry is down
	unknownIDs = 3    // that the registry never had
	partitions = 6
	freeOfNew  = partitions - 1 // the partition without a record of the new schema
	outage     = 10 * time.Second
)

// TestRegistryOutage kills the real registry with SIGKILL while records arrive whose schema the worker has not seen yet.
// It keeps its schemas in a file, stays dead for ten seconds and the ten that Java needs, and comes back on its address.
// Until then nothing is a dead letter, the partitions with such records wait, and the one without goes on.
func TestRegistryOutage(t *testing.T) {
	registry := startRegistry(t)
	c := startCluster(t, integration.ClusterOptions{})
	bin := buildWorker(t)
	config := writeRegistryConfig(t, c, registry)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	step := stopwatch(t)
	_, err := command(ctx, bin, "schema", "--register", "--config", config)
	require.NoError(t, err)
	newID := registerNewer(t, registry)
	_, err = command(ctx, bin, "topics", "apply", "--config", config, "--partitions", strconv.Itoa(partitions))
	require.NoError(t, err)
	w := startWorker(t, bin, config, "detect")
	step("worker ready")

	file := writeKnownRows(t)
	load := make(chan error, 1)
	go func() {
		_, err := command(ctx, bin, "produce", "--config", config, "--format", "avro", "--rate", strconv.Itoa(knownRate), file)
		load <- err
	}()
	produceFramed(t, c, unknownRecords(t))
	require.NoError(t, integration.Await(ctx, "flags flow and the unknown ids are dead letters", func(ctx context.Context) (bool, error) {
		flags, err := c.Length(ctx, topicIncidents)
		if err != nil {
			return false, err
		}
		letters, err := c.ReadTopic(ctx, topicDLQ)
		return flags >= 50 && len(letters) >= unknownIDs, err
	}))
	step("load flows")

	registry.kill()
	fresh := newRecords(t, newID)
	produceFramed(t, c, fresh)
	stallUntilBack(t, c, w, registry, fresh[:freeOfNew])
	step("registry was down")

	require.NoError(t, <-load)
	require.NoError(t, c.AwaitCaughtUp(ctx, "confab-detect", topicIn))
	step("lag 0")
	metrics := w.scrape(t)
	w.stop(t)

	require.Zero(t, metrics.sum("confab_registry_stall_seconds"), "the registry answers again")
	require.Zero(t, metrics.sum("confab_panics_total"))
	t.Run("flags", func(t *testing.T) { requireOneFlagEach(t, c) })
	t.Run("dead letters", func(t *testing.T) { requireUnknownSchemas(t, c, unknownIDs) })
}

// stallUntilBack watches the worker for as long as the outage lasts and starts the registry again. first are the records
// at which the partitions must wait.
func stallUntilBack(t *testing.T, c *integration.Cluster, w *worker, registry *registryProcess, first []*kgo.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(ctx, "the worker notices", func(context.Context) (bool, error) {
		return w.scrape(t).sum("confab_registry_stall_seconds") > 0, nil //nolint:contextcheck // the helper takes the test's
	}))
	before := committed(t, c)
	lag, err := c.Lag(ctx, "confab-detect", topicIn)
	require.NoError(t, err)

	over := time.NewTimer(outage)
	defer over.Stop()
	require.NoError(t, integration.Await(ctx, "the outage is over", func(context.Context) (bool, error) {
		requireUnknownSchemas(t, c, unknownIDs) //nolint:contextcheck // the helper takes the test's
		select {
		case <-over.C:
			return true, nil
		default:
			return false, nil
		}
	}))

	require.Greater(t, w.scrape(t).sum("confab_registry_stall_seconds"), outage.Seconds()-1)
	require.Positive(t, w.scrape(t).sum("confab_registry_lookups_total", `result="error"`))
	after := committed(t, c)
	grown, err := c.Lag(ctx, "confab-detect", topicIn)
	require.NoError(t, err)
	t.Logf("lag %d, after %v without the registry %d; committed %v, then %v", lag, outage, grown, before, after)
	require.Greater(t, grown, lag+newRows, "partitions wait while the load goes on")
	require.Greater(t, after[freeOfNew], before[freeOfNew], "a partition with known schemas only goes on")
	require.Len(t, first, freeOfNew)
	for _, r := range first {
		require.LessOrEqual(t, after[r.Partition], r.Offset, "partition %d waits at the batch of its first new record", r.Partition)
	}
	registry.start(t)
}

func writeRegistryConfig(t *testing.T, c *integration.Cluster, registry *registryProcess) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
kafka: {seed_brokers: [%s], start_offset: earliest}
schema_registry: {url: %s, unknown_id_retry: 1s}
emit: all
log: {format: json}
`, strings.Join(c.Seeds(), ", "), registry.url), 0o600))
	return file
}

// registerNewer registers a second writer's schema: the published one with a further field in front.
func registerNewer(t *testing.T, registry *registryProcess) uint32 {
	t.Helper()
	r, err := schemaregistry.New(schemaregistry.Options{URL: registry.url, Timeout: 10 * time.Second})
	require.NoError(t, err)
	defer r.Close()
	text := strings.Replace(schemas.InteractionAvro(), `"fields": [`, `"fields": [{"name":"must","type":"string","default":""},`, 1)
	id, err := r.Register(t.Context(), schemaregistry.Subject(topicIn), text)
	require.NoError(t, err)
	return id
}

func writeKnownRows(t *testing.T) string {
	t.Helper()
	rows := make([]row, knownRows)
	for i := range rows {
		rows[i].line = fmt.Appendf(nil, `{"interaction_id":"known-%04d","answer":"The invoice of customer %d was paid on Monday."}`, i, i)
	}
	return writeRows(t, "known.jsonl", rows)
}

// newRecords go to all partitions but the last.
func newRecords(t *testing.T, id uint32) []*kgo.Record {
	t.Helper()
	records := make([]*kgo.Record, newRows)
	for i := range records {
		body, err := avro.AppendInteraction([]byte{0}, &schemas.Interaction{ // an empty text in the field in front
			ID: fmt.Sprintf("new-%03d", i), Answer: "The parcel is on its way.",
		})
		require.NoError(t, err)
		records[i] = &kgo.Record{Partition: int32(i % freeOfNew), Value: avro.Frame(nil, id, body)}
	}
	return records
}

func unknownRecords(t *testing.T) []*kgo.Record {
	t.Helper()
	records := make([]*kgo.Record, unknownIDs)
	for i := range records {
		body, err := avro.AppendInteraction(nil, &schemas.Interaction{ID: "unknown", Answer: "Nobody can read this."})
		require.NoError(t, err)
		records[i] = &kgo.Record{Partition: int32(i), Value: avro.Frame(nil, uint32(900_000+i), body)}
	}
	return records
}

func produceFramed(t *testing.T, c *integration.Cluster, records []*kgo.Record) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DefaultProduceTopic(topicIn), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, cl.ProduceSync(t.Context(), records...).FirstErr())
}

// committed are the worker's offsets by partition.
func committed(t *testing.T, c *integration.Cluster) []int64 {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	defer cl.Close()
	commits, err := kadm.NewClient(cl).FetchOffsets(t.Context(), "confab-detect")
	require.NoError(t, err)
	require.NoError(t, commits.Error())
	out := make([]int64, partitions)
	for p := range out {
		o, _ := commits.Lookup(topicIn, int32(p))
		out[p] = o.At
	}
	return out
}

// requireOneFlagEach expects one incident for every interaction that can be read, and no other.
func requireOneFlagEach(t *testing.T, c *integration.Cluster) {
	t.Helper()
	records, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	incidents := map[string]map[string]bool{}
	for _, r := range records {
		f := parseFlag(t, r.Value)
		id, _ := f["interaction_id"].(string)
		if incidents[id] == nil {
			incidents[id] = map[string]bool{}
		}
		incidents[id][f.incident()] = true
	}
	for i := range knownRows {
		require.Len(t, incidents[fmt.Sprintf("known-%04d", i)], 1, "flags of known row %d", i)
	}
	for i := range newRows {
		require.Len(t, incidents[fmt.Sprintf("new-%03d", i)], 1, "flags of new row %d", i)
	}
	require.Len(t, incidents, knownRows+newRows)
	t.Logf("%d interactions, %d flags", len(incidents), len(records))
}

// requireUnknownSchemas expects the records with ids that the registry never had as dead letters, and nothing else.
func requireUnknownSchemas(t *testing.T, c *integration.Cluster, want int) {
	t.Helper()
	letters, err := c.ReadTopic(t.Context(), topicDLQ)
	require.NoError(t, err)
	var ids []int32
	for _, r := range letters {
		require.Equal(t, "unknown_schema", r.Headers[deadletter.HeaderReason])
		id, _, err := avro.Unframe(r.Value)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	var expected []int32
	for i := range want {
		expected = append(expected, int32(900_000+i))
	}
	require.ElementsMatch(t, expected, ids)
}
