package worker

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/avro"
	"confab/schemas/json"
)

// newAvroRegistry is a registry that has the schemas of the configured topics.
func newAvroRegistry(t *testing.T, b *workerHarness) (*srfake.Registry, *schemaregistry.Client) {
	t.Helper()
	fake := srfake.New()
	t.Cleanup(fake.Close)
	b.config.SchemaRegistry.URL = fake.URL()
	b.config.SchemaRegistry.UnknownIDRetry = 0
	for _, s := range resources.PublishedSchemas(b.config) {
		_, _, err := fake.RegisterSchema(s.Subject, sr.Schema{Schema: s.Text})
		require.NoError(t, err)
	}
	client, err := b.config.OpenRegistry(nil)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return fake, client
}

// encodeAvro is the record of an interaction given as JSON.
func encodeAvro(t *testing.T, client *schemaregistry.Client, text string) string {
	t.Helper()
	var in schemas.Interaction
	require.NoError(t, json.NewDecoder(json.Options{}).Decode([]byte(text), &in))
	encode, err := records.NewInteractionEncoder(t.Context(), client, "llm.interactions")
	require.NoError(t, err)
	value, err := encode(nil, &in)
	require.NoError(t, err)
	return string(value)
}

func TestRunAvroInAvroOut(t *testing.T) {
	b := newWorkerHarness(t)
	_, client := newAvroRegistry(t, b)
	b.config.SchemaRegistry.Output = config.OutputAvro
	stop := b.start()
	good := encodeAvro(t, client, fmt.Sprintf(grounded, "good"))
	b.produce("llm.interactions", good, good[:len(good)-1], encodeAvro(t, client, fmt.Sprintf(ungrounded, "bad")),
		string(avro.Frame(nil, 4711, []byte("x"))), fmt.Sprintf(ungrounded, "in JSON"))

	read := records.NewFlagReader(client)
	found := map[string]bool{}
	for _, r := range b.read("llm.incidents", 2) {
		require.Zero(t, r.Value[0])
		require.Equal(t, "application/avro", headerOf(r.Headers, "content-type"))
		var f schemas.Flag
		require.NoError(t, read(t.Context(), r.Value, &f))
		require.Equal(t, []string{"citation", "facts"}, f.Fired)
		found[f.InteractionID] = true
	}
	require.Equal(t, map[string]bool{"bad": true, "in JSON": true}, found)
	reasons := map[string]bool{}
	for _, letter := range b.read("llm.interactions.dlq", 2) {
		reasons[headerOf(letter.Headers, "confab-reason")] = true
	}
	require.Equal(t, map[string]bool{"syntax": true, "unknown_schema": true}, reasons)
	eventually(t, func() bool {
		return b.metric(t, "confab_interactions_total", "role", "alert") == 2 && b.sumMetric("confab_notifications_total") == 1
	}, 20*time.Second, 10*time.Millisecond, "the alert role reads what detect wrote, and tells of both in one message")
	require.NoError(t, stop())
}

// TestRunWaitsForTheRegistry: while the registry is down records wait; afterwards all are read.
func TestRunWaitsForTheRegistry(t *testing.T) {
	b := newWorkerHarness(t)
	fake, client := newAvroRegistry(t, b)
	const records = 20
	value := encodeAvro(t, client, fmt.Sprintf(ungrounded, "bad"))
	var down atomic.Bool
	down.Store(true)
	fake.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if down.Load() {
			http.Error(w, "<html>down</html>", http.StatusServiceUnavailable)
		}
		return down.Load()
	})
	stop := b.start()
	for range records {
		b.produce("llm.interactions", value)
	}
	eventually(t, func() bool { return b.sumMetric("confab_registry_lookups_total") >= 5 }, 20*time.Second, 10*time.Millisecond)
	require.Positive(t, b.sumMetric("confab_registry_stall_seconds"))
	require.Zero(t, b.sumMetric("confab_interactions_total"))
	down.Store(false)
	b.read("llm.incidents", records)
	eventually(t, func() bool { return b.sumMetric("confab_registry_stall_seconds") == 0 },
		20*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
	require.Zero(t, b.sumMetric("confab_dlq_records_total"), "dead letters")
}

func TestRunRequiresTheFlagSchema(t *testing.T) {
	b := newWorkerHarness(t)
	fake := srfake.New()
	t.Cleanup(fake.Close)
	b.config.SchemaRegistry.URL, b.config.SchemaRegistry.Output = fake.URL(), config.OutputAvro
	err := Run(t.Context(), Options{Config: b.config, Registry: prometheus.NewRegistry(), Logger: testLogger(t)})
	require.ErrorContains(t, err, "not registered under llm.incidents-value: run `confab schema --register`")
}

// sumMetric is the sum of a metric over its labels.
func (b *workerHarness) sumMetric(name string) float64 {
	families, err := b.registry.Gather()
	require.NoError(b.t, err)
	sum := 0.0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}
