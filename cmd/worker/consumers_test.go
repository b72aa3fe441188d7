package main

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// Each example consumer acts once on each verdict, whatever is repeated or reordered, and commits what it acted on.
func TestExampleConsumers(t *testing.T) {
	python := examplePython(t)
	binary := filepath.Join(t.TempDir(), "consumer")
	for _, tc := range []struct {
		name    string
		prepare []string
		command []string
	}{
		{"go", []string{"go", "build", "-trimpath", "-o", binary, "./examples/consumers/go"}, []string{binary}},
		{"python", []string{python, "-c", "import confluent_kafka"}, []string{python, "examples/consumers/python/consume.py"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			prepare := exec.CommandContext(t.Context(), tc.prepare[0], tc.prepare[1:]...)
			prepare.Dir = repository
			out, err := prepare.CombinedOutput()
			require.NoError(t, err, "%s", out)
			cluster, err := embedded.Start(embedded.Options{Topics: map[string]int32{"llm.incidents": 1}})
			require.NoError(t, err)
			t.Cleanup(cluster.Close)
			client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Seeds()...), kgo.DefaultProduceTopic("llm.incidents"))
			require.NoError(t, err)
			t.Cleanup(client.Close)
			records := []*kgo.Record{
				exampleFlag(t, "a", schemas.PassFast, schemas.Block, schemas.ActionBlock),
				exampleFlag(t, "a", schemas.PassFast, schemas.Block, schemas.ActionBlock), // a repeat
				{Value: []byte("not a flag")},
				{Value: []byte("{}")},
				{Key: []byte("tombstone")},
				exampleFlag(t, "b", schemas.PassDeep, schemas.Allow, schemas.ActionBlock),
				exampleFlag(t, "b", schemas.PassFast, schemas.Block, schemas.ActionBlock), // late
				exampleFlag(t, "c", schemas.PassFast, schemas.Block, schemas.ActionFlag),
				exampleFlag(t, "d", schemas.PassFast, schemas.Block, schemas.ActionLog),
				exampleFlag(t, "e", schemas.PassFast, schemas.Recommend, schemas.ActionBlock),
				exampleFlag(t, "a", schemas.PassDeep, schemas.Allow, schemas.ActionBlock), // replaces the fast one
				exampleFlag(t, "a", schemas.PassDeep, schemas.Allow, schemas.ActionBlock),
			}
			require.NoError(t, client.ProduceSync(t.Context(), records...).FirstErr())

			c := startConsumer(t, append(tc.command, cluster.Seeds()[0])...)
			c.await(t, func() bool {
				offsets, err := kadm.NewClient(client).FetchOffsets(t.Context(), "example-"+tc.name)
				at, found := offsets.Lookup("llm.incidents", 0)
				return err == nil && found && at.At == int64(len(records))
			})
			require.NoError(t, c.cmd.Process.Signal(os.Interrupt))
			require.NoError(t, c.cmd.Wait())
			require.Equal(t, []string{
				"withdraw fast acme a", "log deep acme b", "mark fast acme c", "log fast acme d", "mark fast acme e", "log deep acme a",
			}, strings.Split(strings.TrimSpace(c.out.String()), "\n"))
			require.Equal(t, 3, strings.Count(c.errs.String(), "is not a flag"), c.errs.String())
		})
	}
}

// The Go consumer does not wait in silence for a topic that is missing.
func TestExampleConsumerWithoutTopic(t *testing.T) {
	cluster, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	run := exec.CommandContext(t.Context(), "go", "run", "-trimpath", "./examples/consumers/go", cluster.Seeds()[0])
	run.Dir = repository
	out, err := run.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "describe llm.incidents: UNKNOWN_TOPIC_OR_PARTITION")
}

func exampleFlag(t *testing.T, id string, pass schemas.Pass, recommendation schemas.Recommendation, action schemas.Action) *kgo.Record {
	t.Helper()
	f := schemas.Flag{
		IncidentID: strings.Repeat(id, 64), Pass: pass, InteractionID: id, Tenant: "acme", Recommendation: recommendation,
		Action: action, Signals: []schemas.Signal{}, Fired: []string{},
	}
	value, err := json.AppendFlag(nil, &f)
	require.NoError(t, err)
	return &kgo.Record{Key: []byte(f.IncidentID), Value: value}
}

// exampleConsumer is a running example. Its output may be read after it has ended.
type exampleConsumer struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
}

func startConsumer(t *testing.T, command ...string) *exampleConsumer {
	t.Helper()
	c := &exampleConsumer{}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	c.cmd.Dir = repository
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.errs
	require.NoError(t, c.cmd.Start())
	return c
}

func (c *exampleConsumer) await(t *testing.T, reached func() bool) {
	t.Helper()
	require.Eventually(t, reached, time.Minute, 100*time.Millisecond)
}

// Flat rows have an outcome and a score of every detector, in each of the dialects.
func TestExampleStatementsNameEveryDetector(t *testing.T) {
	for _, name := range []string{"sql/flink.sql", "sql/ksqldb.sql", "connect/postgres.sql", "connect/clickhouse.sql"} {
		text, err := os.ReadFile(filepath.Join(repository, "examples", name))
		require.NoError(t, err)
		fast, deep := standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})
		for _, detector := range append(detectors.Names(fast), detectors.Names(deep)...) {
			require.Contains(t, string(text), detector+"_outcome", name)
			require.Contains(t, string(text), detector+"_score", name)
		}
	}
}

// The connectors read the topic of flags and write to the table that the statements of the same name create.
func TestExampleConnectorsFitTheirStatements(t *testing.T) {
	for name, tableKey := range map[string]string{"postgres": "collection.name.format", "clickhouse": "topic2TableMap"} {
		text, err := os.ReadFile(filepath.Join(repository, "examples", "connect", name+"-sink.json"))
		require.NoError(t, err)
		var connector struct{ Config map[string]string }
		require.NoError(t, stdjson.Unmarshal(text, &connector))
		topic := config.Default().Kafka.Topics.Incidents
		require.Equal(t, topic, connector.Config["topics"])
		table := strings.TrimPrefix(connector.Config[tableKey], topic+"=")
		field := connector.Config["transforms.flag.field"]
		ddl, err := os.ReadFile(filepath.Join(repository, "examples", "connect", name+".sql"))
		require.NoError(t, err)
		require.Regexp(t, `CREATE TABLE `+table+` \(`+field+` `, string(ddl))
	}
}
