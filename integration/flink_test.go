//go:build integration

package integration_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

// requireExample skips the test without the tools that an example needs, or fails it with REQUIRE_EXAMPLES=1.
func requireExample(t *testing.T, present bool, missing string) {
	t.Helper()
	if !present {
		require.Empty(t, os.Getenv("REQUIRE_EXAMPLES"), missing)
		t.Skip(missing)
	}
}

// TestFlinkStatements runs examples/sql/flink.sql on Flink with its Kafka connector against a broker with the sample
// interactions and their flags, repeated and reordered, and compares the rows that the three INSERTs write.
func TestFlinkStatements(t *testing.T) {
	_, mavenErr := exec.LookPath("mvn")
	_, javaErr := exec.LookPath("java")
	requireExample(t, mavenErr == nil && javaErr == nil, "no mvn and java; on Debian: apt-get install maven openjdk-17-jdk-headless")
	lap := stopwatch(t)
	integration.RequireEngine(t)
	libraries := mavenLibraries(t, "flinksql")
	lap("jars")

	cluster := startCluster(t, integration.ClusterOptions{Brokers: 1})
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Seeds()...))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	admin := kadm.NewClient(client)
	for topic, partitions := range map[string]int32{
		"llm.interactions": 3, "llm.incidents": 3, "llm.incidents.flat": 1, "llm.verdicts": 1, "llm.rates": 1,
	} {
		_, err := admin.CreateTopic(t.Context(), partitions, 1, nil, topic)
		require.NoError(t, err)
	}
	lap("broker")
	at := time.Date(2026, 11, 22, 12, 1, 0, 0, time.UTC)
	flags := writeSamples(t, client, at)

	run := exec.CommandContext(t.Context(), "java", "-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", libraries+"/*", "flinksql/RunStatements.java",
		"../examples/sql/flink.sql", cluster.Seeds()[0])
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(tail(out)))
	lap("statements")

	checkFlat(t, readTopic(t, cluster, "llm.incidents.flat"), flags)
	checkVerdicts(t, readTopic(t, cluster, "llm.verdicts"), flags)
	checkRates(t, readTopic(t, cluster, "llm.rates"), flags)
}

// mavenLibraries downloads the jars of the pom.xml in a directory of this package.
func mavenLibraries(t *testing.T, dir string) string {
	t.Helper()
	libraries := filepath.Join(t.TempDir(), "libs")
	maven := exec.CommandContext(t.Context(), "mvn", "-B", "-q", "-f", dir+"/pom.xml", "dependency:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+libraries)
	out, err := maven.CombinedOutput()
	require.NoError(t, err, string(tail(out)))
	return libraries
}

func writeSamples(t *testing.T, client *kgo.Client, at time.Time) []sampleFlag {
	t.Helper()
	interactions, err := os.ReadFile("../examples/interactions.jsonl")
	require.NoError(t, err)
	var records []*kgo.Record
	for line := range bytes.Lines(interactions) {
		records = append(records, &kgo.Record{Topic: "llm.interactions", Value: bytes.TrimSpace(line), Timestamp: at})
	}
	records = append(records, &kgo.Record{Topic: "llm.interactions", Value: []byte("not JSON"), Timestamp: at})
	flags := sampleFlags(t)
	repeated, _ := repeatedFlags(t, flags)
	for _, raw := range repeated {
		f := parseSample(t, raw)
		records = append(records, &kgo.Record{Topic: "llm.incidents", Key: []byte(f.Incident), Value: raw, Timestamp: at.Add(time.Second)})
	}
	require.NoError(t, client.ProduceSync(t.Context(), records...).FirstErr())
	return flags
}

func readTopic(t *testing.T, cluster *integration.Cluster, topic string) (rows []map[string]any) {
	t.Helper()
	records, err := cluster.ReadTopic(t.Context(), topic)
	require.NoError(t, err)
	for _, r := range records {
		row := map[string]any{}
		if len(r.Value) > 0 { // a tombstone comes before the row that replaces another
			require.NoError(t, json.Unmarshal(r.Value, &row), string(r.Value))
		}
		row["key"] = r.Key
		rows = append(rows, row)
	}
	return rows
}

func checkFlat(t *testing.T, rows []map[string]any, flags []sampleFlag) {
	t.Helper()
	repeated, _ := repeatedFlags(t, flags)
	require.Len(t, rows, len(repeated), "one row a record")
	byKey := map[string]sampleFlag{}
	for _, raw := range repeated {
		f := parseSample(t, raw)
		byKey[f.Incident+f.Pass] = f
	}
	for _, row := range rows {
		f := byKey[row["incident_id"].(string)+row["pass"].(string)]
		require.Equal(t, f.Incident, row["key"])
		require.Equal(t, f.flatRow(), restrict(row, f.flatRow()))
	}
}

func checkVerdicts(t *testing.T, rows []map[string]any, flags []sampleFlag) {
	t.Helper()
	_, deep := repeatedFlags(t, flags)
	last := map[string]map[string]any{}
	for _, row := range rows {
		last[row["key"].(string)] = row
	}
	require.Len(t, last, len(flags))
	for _, f := range flags {
		if deep[f.Incident] {
			require.Equal(t, "deep", last[f.Incident]["pass"])
			require.Equal(t, "allow", last[f.Incident]["recommendation"])
			continue
		}
		require.Equal(t, "fast", last[f.Incident]["pass"])
		require.Equal(t, f.Recommendation, last[f.Incident]["recommendation"])
	}
}

func checkRates(t *testing.T, rows []map[string]any, flags []sampleFlag) {
	t.Helper()
	type count struct{ answers, flags float64 }
	want, got := map[string]count{}, map[string]count{}
	for _, f := range flags {
		c := want[f.Service+" "+f.Model]
		c.answers++
		if len(f.Fired) > 0 {
			c.flags++
		}
		want[f.Service+" "+f.Model] = c
	}
	for _, row := range rows {
		c := count{row["answers"].(float64), row["flags"].(float64)}
		got[row["service"].(string)+" "+row["model"].(string)] = c
		require.InDelta(t, c.flags/c.answers, row["rate"], 1e-9)
		require.True(t, strings.HasPrefix(row["window_start"].(string), "2026-11-22T12:00:00"), row["window_start"])
	}
	delete(got, " ") // the record that is not JSON has no service
	require.Equal(t, want, got)
	require.True(t, slices.ContainsFunc(rows, func(row map[string]any) bool { return row["flags"].(float64) > 0 }))
}
