package worker

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

const otlpTrace = "5b8efff798038103d269b633813fc60c"

// newJoinHarness is a harness whose spans are joined across records.
func newJoinHarness(t *testing.T, wait time.Duration) *workerHarness {
	t.Helper()
	b := newWorkerHarness(t)
	b.config.Roles, b.config.Emit = []config.Role{config.RoleDetect}, config.EmitAll
	newOTLPInput(t, b)
	b.config.Kafka.Inputs[len(b.config.Kafka.Inputs)-1].JoinWait = wait
	require.NoError(t, b.config.Validate())
	return b
}

// produceSpan writes a record of one span of a trace, keyed by the trace as the Collector does.
func (b *workerHarness) produceSpan(trace, span string) {
	b.t.Helper()
	value := []byte(strings.ReplaceAll(otlpRecord(span), otlpTrace, trace))
	require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
		Topic: otlpTopic, Partition: kafka.AnyPartition, Key: []byte(trace), Value: value,
	}))
}

func (b *workerHarness) readFlags(n int) map[string]schemas.Flag {
	b.t.Helper()
	flags := map[string]schemas.Flag{}
	for _, r := range b.read("llm.incidents", n) {
		var f schemas.Flag
		require.NoError(b.t, json.DecodeFlag(r.Value, &f))
		flags[f.InteractionID] = f
	}
	return flags
}

func (b *workerHarness) awaitHeld(n float64) {
	b.t.Helper()
	eventually(b.t, func() bool { return b.metric(b.t, "confab_held_records") == n }, 20*time.Second, 5*time.Millisecond, "held records")
}

func otlpRetriever(id string, start int) string {
	return otlpSpan(id, "00000000000000a1", start, "gen_ai.operation.name", "retrieval", "gen_ai.retrieval.documents", otlpDocuments)
}

func traceID(k int) string { return fmt.Sprintf("%032x", k) }

// The spans of a trace are joined in either order; a trace over other keys is not, and says so.
func TestTraceInSeveralRecords(t *testing.T) {
	b := newJoinHarness(t, 30*time.Second)
	stop := b.start()
	cut := otlpSpan("00000000000000a7", "00000000000000a1", 40, "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assi`)
	b.produceSpan(traceID(1), otlpAnswer("00000000000000a3", "00000000000000a1", 20, otlpClaim)+","+cut)
	b.awaitHeld(1)
	b.produceSpan(traceID(2), otlpRetriever("00000000000000a2", 10))
	b.awaitHeld(2)
	b.produceSpan(traceID(2), otlpAnswer("00000000000000a4", "00000000000000a1", 20, otlpClaim))
	b.produceSpan(traceID(1), otlpRetriever("00000000000000a2", 10))
	b.produce(otlpTopic, otlpRecord(otlpAnswer("00000000000000a5", "00000000000000a1", 20, otlpClaim)))
	b.produceSpan(traceID(3), otlpRetriever("00000000000000a2", 30)) // its clock is ahead
	b.produceSpan(traceID(3), otlpAnswer("00000000000000a6", "00000000000000a1", 20, otlpClaim))
	flags := b.readFlags(4)
	require.NoError(t, stop())
	require.InDelta(t, 1, b.metric(t, "confab_dlq_records_total"), 0, "the bad span, once")
	for _, id := range []string{"resp-3", "resp-4"} {
		require.Equal(t, schemas.SourcesFromRetriever, flags[id].SourcesFrom, id)
		require.Equal(t, []string{"citation", "grounding"}, flags[id].Fired, id)
		require.Empty(t, flags[id].Attributes["no_sources"])
	}
	require.Equal(t, schemas.SourcesFromNone, flags["resp-5"].SourcesFrom)
	require.Equal(t, "not_keyed", flags["resp-5"].Attributes["no_sources"])
	require.Equal(t, "retriever_after_answer", flags["resp-6"].Attributes["no_sources"])
	require.InDelta(t, 1, b.metric(t, "confab_otlp_sources_total", "topic", otlpTopic, "from", "none", "reason", "not_keyed"), 0)
	require.InDelta(t, 2, b.metric(t, "confab_otlp_sources_total", "topic", otlpTopic, "from", "retriever_span"), 0)
	require.InDelta(t, 4, b.metric(t, "confab_otlp_spans_total", "topic", otlpTopic, "outcome", "answer"), 0, "counted once")
	require.InDelta(t, 1, b.metric(t, "confab_held_records_released_total", "topic", otlpTopic, "reason", "arrived"), 0)
}

// An answer whose passages do not come in time is evaluated without them. A retriever that comes later changes nothing.
func TestTraceThatStaysIncomplete(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := newJoinHarness(t, 10*time.Millisecond)
	stop := b.start()
	b.produceSpan(traceID(1), otlpAnswer("00000000000000a3", "00000000000000a1", 20, otlpClaim))
	b.produceSpan(traceID(2), otlpAnswer("00000000000000a4", "", 20, otlpClaim)) // the root: complete, and without a retriever
	b.produceSpan(traceID(3), otlpSpan("00000000000000a1", "", 1))
	b.produceSpan(traceID(3), otlpAnswer("00000000000000a6", "00000000000000a1", 20, otlpClaim)) // complete in two records
	flags := b.readFlags(3)
	require.Equal(t, "no_retriever_span", flags["resp-6"].Attributes["no_sources"])
	require.Equal(t, "time_limit", flags["resp-3"].Attributes["no_sources"])
	require.Equal(t, "no_retriever_span", flags["resp-4"].Attributes["no_sources"])
	b.produceSpan(traceID(1), otlpRetriever("00000000000000a2", 10))
	b.produceSpan(traceID(4), otlpAnswer("00000000000000a5", "", 20, otlpClaim))
	require.Len(t, b.readFlags(4), 4)
	require.NoError(t, stop())
	require.InDelta(t, 4, b.metric(t, "confab_held_records_released_total", "topic", otlpTopic, "reason", "time_limit"), 0)
	require.InDelta(t, 0, b.metric(t, "confab_held_records"), 0)
}

// A worker that stops evaluates nothing early: the next one reads what waited again, and joins it.
func TestTraceOverARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := newJoinHarness(t, 30*time.Second)
	stop := b.start()
	b.produceSpan(traceID(1), otlpAnswer("00000000000000a3", "00000000000000a1", 20, otlpClaim))
	b.produceSpan(traceID(2), otlpRetriever("00000000000000a2", 10))
	b.awaitHeld(2)
	require.NoError(t, stop())
	b.registry = prometheus.NewRegistry()
	stop = b.start()
	b.produceSpan(traceID(1), otlpRetriever("00000000000000a2", 10))
	b.produceSpan(traceID(2), otlpAnswer("00000000000000a4", "00000000000000a1", 20, otlpClaim))
	for id, f := range b.readFlags(2) {
		require.Equal(t, schemas.SourcesFromRetriever, f.SourcesFrom, id)
	}
	require.NoError(t, stop())
}

// 2,000 traces of a topic, and one trace of 2,000 records, of which 100 may wait: the oldest go on, everything is evaluated once.
func TestManyRecordsWait(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const n, held = 2_000, 100
	for name, key := range map[string]func(i int) string{
		"traces": func(i int) string { return traceID(i + 1) }, "one trace": func(int) string { return traceID(1) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newJoinHarness(t, 30*time.Second)
			b.config.Emit = config.EmitFlagged
			b.config.Kafka.Inputs[len(b.config.Kafka.Inputs)-1].JoinRecords = held
			stop := b.start()
			left := make(chan error, n)
			for i := range n {
				span := otlpSpan(fmt.Sprintf("%016x", i+1), "00000000000fffff", 20, "gen_ai.operation.name", "chat", "gen_ai.response.id", strconv.Itoa(i),
					"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"Hello."}]}]`)
				b.producer.Produce(kafka.Message{
					Topic: otlpTopic, Partition: kafka.AnyPartition, Key: []byte(key(i)),
					Value: []byte(strings.ReplaceAll(otlpRecord(span), otlpTrace, key(i))),
				}, func(err error) { left <- err })
			}
			for range n {
				require.NoError(t, <-left)
			}
			answers := func() float64 {
				return b.metric(t, "confab_otlp_spans_total", "topic", otlpTopic, "outcome", "answer")
			}
			eventually(t, func() bool {
				waiting := b.metric(t, "confab_held_records")
				return waiting <= 2*held && answers()+waiting == n // of each of two partitions
			}, 60*time.Second, 10*time.Millisecond)
			require.InDelta(t, answers(), b.metric(t, "confab_otlp_sources_total", "topic", otlpTopic, "from", "none", "reason", "buffer_full"), 0)
			require.NoError(t, stop())
		})
	}
}
