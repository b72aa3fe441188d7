package worker

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/alerting/slack/interactions"
	"confab/internal/golden"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/llm/llmtest"
	"confab/internal/logtest"
	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/internal/worker/export"
	"confab/internal/worker/resources"
	"confab/internal/worker/serve"
	"confab/schemas"
	"confab/schemas/json"
)

// ungrounded cites a source that does not exist and contradicts the one that does: citation and facts fire.
const ungrounded = `{"interaction_id":%q,"service":"bot","operation":"qa","tags":["medical"],
	"answer":"The lifetime warranty covers theft and accidental damage everywhere [9]. Express parcels cost 30 euros [1].",
	"sources":[{"id":"1","text":"Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."}]}`

const grounded = `{"interaction_id":%q,"service":"bot","operation":"qa",
	"answer":"Standard parcels leave the Rotterdam warehouse within two working days [1].",
	"sources":[{"id":"1","text":"Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."}]}`

// workerHarness is a worker on an embedded cluster.
type workerHarness struct {
	t        *testing.T
	config   *config.Config
	kafka    kafka.Config
	cluster  *embedded.Cluster
	producer *kafka.Producer
	console  *logtest.Buffer
	registry *prometheus.Registry
	log      *slog.Logger     // nil: the test's
	now      func() time.Time // nil: the clock
	ticks    chan time.Time   // when to look at files that may change; nil: by the clock
	refits   chan time.Time   // when to look whether a refit is due; nil: by the clock
	file     string           // of the configuration; "" for none
	reload   func() (*config.Config, error)
	level    *slog.LevelVar
}

func newWorkerHarness(t *testing.T, skip ...string) *workerHarness {
	t.Helper()
	cfg := config.Default()
	cfg.Admin.Listen = ""
	cfg.Alerting.Console = true
	cfg.Kafka.StartOffset = config.OffsetEarliest
	cfg.Sampling.Rate, cfg.Sampling.Salt = 1, redact.Secret("a salt for this test")
	topics := map[string]int32{}
	for _, s := range resources.TopicSpecs(cfg, resources.Sizing{Partitions: 2}) {
		if !slices.Contains(skip, s.Name) {
			topics[s.Name] = int32(s.Partitions)
		}
	}
	cluster, err := embedded.Start(embedded.Options{Topics: topics})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	cfg.Kafka.SeedBrokers = cluster.Seeds()
	b := &workerHarness{
		t: t, config: cfg, cluster: cluster, kafka: kafka.Config{SeedBrokers: cluster.Seeds()},
		console: &logtest.Buffer{}, registry: prometheus.NewRegistry(),
	}
	b.producer, err = kafka.NewProducer(b.kafka)
	require.NoError(t, err)
	t.Cleanup(b.producer.Close)
	return b
}

// start runs the worker until the returned function is called, which returns Run's error.
func (b *workerHarness) start() (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{
			Config: b.config, Registry: b.registry, Logger: cmp.Or(b.log, testLogger(b.t)), Console: b.console,
			reloadTick: b.ticks, refitTick: b.refits, Now: b.now, ConfigFile: b.file, Reload: b.reload, Level: b.level,
		})
	}()
	stop = sync.OnceValue(func() error { cancel(); return <-done })
	b.t.Cleanup(func() { assert.NoError(b.t, stop()) })
	return stop
}

// eventually waits until cond holds. Unlike require.Eventually it asks on the goroutine of the test, so cond may end it.
func eventually(t testing.TB, cond func() bool, limit, tick time.Duration, message ...any) {
	t.Helper()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for end := time.Now().Add(limit); !cond(); <-ticker.C {
		require.True(t, time.Now().Before(end), message...)
	}
}

func (b *workerHarness) produce(topic string, values ...string) {
	b.t.Helper()
	for _, v := range values {
		require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
			Topic: topic, Partition: kafka.AnyPartition, Value: []byte(v),
		}))
	}
}

// read waits for n records of a topic.
func (b *workerHarness) read(topic string, n int) []kafka.FetchedRecord {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 30*time.Second)
	defer cancel()
	var got []kafka.FetchedRecord
	err := kafka.Read(ctx, kafka.ReaderOptions{Config: b.kafka, Topics: []string{topic}}, func(r *kafka.FetchedRecord) error {
		c := *r
		c.Value, c.Key = bytes.Clone(r.Value), bytes.Clone(r.Key)
		if got = append(got, c); len(got) == n {
			return kafka.ErrStop
		}
		return nil
	})
	require.NoError(b.t, err, "%d of %d records of %s", len(got), n, topic)
	return got
}

func TestRunFromInteractionToAlert(t *testing.T) {
	b := newWorkerHarness(t)
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(grounded, "good"), fmt.Sprintf(ungrounded, "bad"), `{"interaction_id":"poison"}`)

	flags := b.read("llm.incidents", 1)
	var f schemas.Flag
	require.NoError(t, json.DecodeFlag(flags[0].Value, &f))
	require.Equal(t, "bad", f.InteractionID)
	require.Equal(t, []string{"citation", "facts"}, f.Fired)
	require.True(t, f.Alert)
	require.Equal(t, f.IncidentID, string(flags[0].Key))
	require.Equal(t, "HALLUCINATION_DETECTED", headerOf(flags[0].Headers, "confab-event-type"))
	require.Equal(t, f.IncidentID+"/fast", headerOf(flags[0].Headers, "ce_id"))

	copied := b.read("llm.interactions.sampled", 1)
	require.Equal(t, []byte(fmt.Sprintf(ungrounded, "bad")), copied[0].Value, "the original bytes")
	require.Equal(t, "high_stakes", headerOf(copied[0].Headers, "confab-sample-reason"))
	origin, tenant, err := schemas.ParseOrigin([]byte(headerOf(copied[0].Headers, "confab-origin")))
	require.NoError(t, err)
	require.Equal(t, f.Origin, origin)
	require.Equal(t, "default", tenant)

	letters := b.read("llm.interactions.dlq", 1)
	require.JSONEq(t, `{"interaction_id":"poison"}`, string(letters[0].Value))
	require.Equal(t, "missing_answer", headerOf(letters[0].Headers, "confab-reason"))

	eventually(t, func() bool { return strings.Contains(b.console.String(), f.IncidentID[:12]) }, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
}

func TestRunCountsEachInteractionOnce(t *testing.T) {
	b := newWorkerHarness(t)
	stop := b.start()
	for i := range 40 {
		b.produce("llm.interactions", fmt.Sprintf(grounded, fmt.Sprint("good-", i)))
	}
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	eventually(t, func() bool { return b.metric(t, "confab_interactions_total", "role", "detect") == 41 }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
	require.InDelta(t, 40, b.metric(t, "confab_events_processed_total", "role", "detect", "outcome", "quiet"), 0)
	require.InDelta(t, 1, b.metric(t, "confab_events_processed_total", "role", "detect", "outcome", "flagged"), 0)
}

func TestRestartSendsNoMessageTwice(t *testing.T) {
	b := newWorkerHarness(t)
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "same"), fmt.Sprintf(ungrounded, "same"))
	for range 2 { // a new group reads everything again
		stop := b.start()
		b.read("llm.incidents", 2)
		eventually(t, func() bool { return b.metric(t, "confab_interactions_total", "role", "alert") >= 2 }, 30*time.Second, 10*time.Millisecond)
		require.NoError(t, stop())
		b.config.Kafka.ConsumerGroup += "-again"
		b.registry = prometheus.NewRegistry()
	}
	require.Equal(t, 1, strings.Count(b.console.String(), "Possible hallucination"))
}

func TestRunNamesEveryMissingTopic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := newWorkerHarness(t, "llm.interactions.sampled", "llm.alerts")
	err := Run(t.Context(), Options{Config: b.config, Registry: b.registry, Logger: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, err, "llm.interactions.sampled does not exist")
	require.ErrorContains(t, err, "llm.alerts does not exist")
	require.ErrorContains(t, err, "confab topics apply")
}

func TestMetricsAreWellNamed(t *testing.T) {
	b := newWorkerHarness(t)
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	b.read("llm.incidents", 1)
	require.NoError(t, stop())
	problems, err := testutil.GatherAndLint(b.registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestCheckTopicsDemandsEqualPartitions(t *testing.T) {
	c := config.Default()
	err := checkTopics(c, []string{"llm.alerts", "llm.incidents"}, map[string]int{"llm.alerts": 1, "llm.incidents": 3})
	require.ErrorContains(t, err, "llm.incidents has 3 partitions and llm.alerts has 1")
}

// metric sums the series of a counter or gauge that carry the label pairs.
func (b *workerHarness) metric(t *testing.T, name string, pairs ...string) float64 {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	sum := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
	series:
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			for i := 0; i < len(pairs); i += 2 {
				if labels[pairs[i]] != pairs[i+1] {
					continue series
				}
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

func headerOf(headers []kafka.Header, key string) string {
	for _, h := range headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// testLogger writes the worker's log to the test's.
func testLogger(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

const metricsHead = `# Metrics

<!-- Generated from the registered metrics by ` + "`go test ./internal/worker -run TestMetricsAreDocumented -update`" + `. Do not edit. -->

The Go runtime and process metrics (` + "`go_*`, `process_*`" + `) are exported too. Labels have closed or bounded sets of values. Ids are never labels.
Alerting rules are in [operations.md](operations.md#alerting-rules).

| metric | labels | meaning |
|---|---|---|
`

// TestMetricsAreDocumented generates docs/metrics.md from every metric that the worker registers.
func TestMetricsAreDocumented(t *testing.T) {
	b, _ := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.observe()
	b.learn()
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"), "poison")
	b.read("llm.incidents", 2)
	eventually(t, func() bool { return strings.Contains(b.console.String(), "ALERT") }, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
	export.NewMetrics(b.registry)
	serve.NewMetrics(b.registry)
	interactions.NewMetrics(b.registry) // of sinks and inputs that this worker does not have
	_, err := schemaregistry.New(schemaregistry.Options{URL: "http://registry.invalid", Metrics: b.registry})
	require.NoError(t, err)

	descs := make(chan *prometheus.Desc)
	go func() { b.registry.Describe(descs); close(descs) }()
	pattern := regexp.MustCompile(`^Desc\{fqName: "(confab_\w+)", help: "(.*?)", (?:unit: "", )?constLabels: \{(.*)\}, variableLabels: \{(.*)\}\}$`)
	constant := regexp.MustCompile(`(\w+)="[^"]*"`)
	rows := map[string]bool{}
	for d := range descs {
		m := pattern.FindStringSubmatch(d.String())
		if m == nil {
			continue // of the runtime or the process
		}
		labels := strings.FieldsFunc(constant.ReplaceAllString(m[3], "$1")+","+m[4], func(r rune) bool { return r == ',' })
		slices.Sort(labels)
		rows[fmt.Sprintf("| `%s` | %s | %s |\n", m[1], strings.Join(labels, ", "), m[2])] = true
	}
	golden.Equal(t, "../../docs/metrics.md", metricsHead+strings.Join(slices.Sorted(maps.Keys(rows)), ""))
}
