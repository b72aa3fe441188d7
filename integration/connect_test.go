//go:build integration

package integration_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

// TestConnectPostgres sends flags through Kafka Connect with examples/connect/postgres-sink.json to a PostgreSQL server.
func TestConnectPostgres(t *testing.T) {
	integration.RequireEngine(t)
	_, mavenErr := exec.LookPath("mvn")
	requireExample(t, mavenErr == nil, "no mvn; on Debian: apt-get install maven")
	lap := stopwatch(t)
	p := startPostgres(t)
	libraries := mavenLibraries(t, "connect")
	lap("postgres and jars")
	cluster := startCluster(t, integration.ClusterOptions{Brokers: 1})
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.Seeds()...), kgo.DefaultProduceTopic("llm.incidents"))
	require.NoError(t, err)
	t.Cleanup(client.Close)
	admin := kadm.NewClient(client)
	for _, topic := range []string{"llm.incidents", "llm.incidents.postgres.dlq"} {
		_, err := admin.CreateTopic(t.Context(), 3, 1, nil, topic)
		require.NoError(t, err)
	}
	flags := sampleFlags(t)
	repeated, deep := repeatedFlags(t, flags)
	records := []*kgo.Record{{Value: []byte("not a flag")}}
	for _, raw := range repeated {
		records = append(records, &kgo.Record{Key: []byte(parseSample(t, raw).Incident), Value: raw})
	}
	require.NoError(t, client.ProduceSync(t.Context(), records...).FirstErr())
	lap("broker")

	log := startConnect(t, libraries, cluster.Seeds()[0], p.port)
	expected := strconv.Itoa(len(flags)) + "|" + strconv.Itoa(len(deep)) + "|1"
	if !assert.Eventually(t, func() bool {
		return p.query(t, "confab", `SELECT count(*), count(*) FILTER (WHERE pass = 'deep'), (SELECT count(*) FROM confab_inbox) FROM confab_flags`) == expected
	}, 90*time.Second, 200*time.Millisecond) {
		t.Fatal(string(tail([]byte(log.text()))))
	}
	lap("rows")
	checkPostgres(t, p, flags, deep)
}

// startConnect starts a worker of Kafka Connect with the connector of the example; it stops with the test.
func startConnect(t *testing.T, libraries, broker, postgresPort string) *syncBuffer {
	t.Helper()
	dir := t.TempDir()
	connector, err := os.ReadFile("../examples/connect/postgres-sink.json")
	require.NoError(t, err)
	connector = []byte(strings.Replace(string(connector), "127.0.0.1:5432", "127.0.0.1:"+postgresPort, 1))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sink.json"), connector, 0o600))
	worker := strings.Join([]string{
		"bootstrap.servers=" + broker, "listeners=http://" + freeAddress(t), "plugin.discovery=only_scan",
		"offset.storage.file.filename=" + filepath.Join(dir, "offsets"), "consumer.auto.offset.reset=earliest",
		"key.converter=org.apache.kafka.connect.storage.StringConverter", "value.converter=org.apache.kafka.connect.storage.StringConverter",
		"config.providers=env", "config.providers.env.class=org.apache.kafka.common.config.provider.EnvVarConfigProvider", "",
	}, "\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "worker.properties"), []byte(worker), 0o600))
	cmd := exec.Command("java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", libraries+"/*", //nolint:noctx // stopped in order
		"org.apache.kafka.connect.cli.ConnectStandalone", filepath.Join(dir, "worker.properties"), filepath.Join(dir, "sink.json"))
	cmd.Env = append(os.Environ(), "CONFAB_POSTGRES_PASSWORD=any") // the server trusts loopback
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		cmd.Wait() //nolint:errcheck // it reports the signal
	})
	return &log
}
