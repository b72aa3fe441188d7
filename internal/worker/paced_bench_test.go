package worker

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// loaderEnv makes the test binary a producer: "SEEDS RATE COUNT ..." writes COUNT typical events, RATE a second, and so on. With
// "SEEDS mixed ..." one record in a hundred is no interaction.
const loaderEnv = "CONFAB_BENCH_LOADER"

// BenchmarkPaced is BenchmarkDetect at a low rate, where a fetch has few records. Broker and producer are processes of
// their own. "ages" has a flag for each event, and the time from the writing of an event to the reading of its flag.
//
//	go test ./internal/worker -run '^$' -bench Paced -benchtime 4000x -cpu 1
func BenchmarkPaced(b *testing.B) {
	for _, rate := range []int{400, 1600} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) { benchmarkPaced(b, rate, config.EmitFlagged) })
		b.Run(fmt.Sprint(rate, "/ages"), func(b *testing.B) { benchmarkPaced(b, rate, config.EmitAll) })
	}
}

func benchmarkPaced(b *testing.B, rate int, emit string) {
	seeds := startBroker(b)
	loader := startLoader(b, seeds, fmt.Sprint(rate, " ", b.N))
	var ages []float64 // milliseconds
	var reader sync.WaitGroup
	if emit == config.EmitAll {
		reader.Go(func() { ages = followAges(b, seeds) })
	}
	b.ResetTimer()
	before := cpuTime()
	consumeWorker(b, seeds, emit)
	reader.Wait()
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/event")
	require.NoError(b, loader.Wait())
	if emit == config.EmitAll {
		slices.Sort(ages)
		b.ReportMetric(quantile(ages, 0.5), "p50-ms")
		b.ReportMetric(quantile(ages, 0.99), "p99-ms")
	}
}

// followAges reads the flags of b.N events as they are written. Events of the first second, in which the worker starts, do not
// count.
func followAges(b *testing.B, seeds []string) (ages []float64) {
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics("llm.incidents"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxWait(time.Second))
	if err != nil {
		b.Error(err)
		return nil
	}
	defer client.Close()
	var first time.Time
	for n := 0; n < b.N && b.Context().Err() == nil; {
		client.PollFetches(b.Context()).EachRecord(func(r *kgo.Record) {
			var f schemas.Flag
			if err := json.DecodeFlag(r.Value, &f); err != nil {
				b.Error(err)
			}
			if n++; first.IsZero() {
				first = f.OccurredAt
			}
			if f.OccurredAt.Sub(first) > time.Second {
				ages = append(ages, time.Since(f.OccurredAt).Seconds()*1000)
			}
		})
	}
	return ages
}

// startLoader runs this test binary as a producer of the plan, see loaderEnv.
func startLoader(tb testing.TB, seeds []string, plan string) *exec.Cmd {
	tb.Helper()
	loader := exec.CommandContext(tb.Context(), os.Args[0])
	loader.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", loaderEnv, strings.Join(seeds, ","), plan))
	loader.Stderr = os.Stderr
	require.NoError(tb, loader.Start())
	return loader
}

// writeLoad is the loader's work. Events that are due within the same 10 ms are written together.
func writeLoad(load string) error {
	seeds, plan, _ := strings.Cut(load, " ")
	producer, err := kafka.NewProducer(kafka.Config{SeedBrokers: strings.Split(seeds, ",")})
	if err != nil {
		return err
	}
	defer producer.Close()
	events := typicalEvents(64)
	plan, mixed := strings.CutPrefix(plan, "mixed ")
	written := 0
	for reader := strings.NewReader(plan); reader.Len() > 0; {
		var rate, count int
		if _, err := fmt.Fscan(reader, &rate, &count); err != nil {
			return err
		}
		together := max(1, rate/100)
		tick := time.NewTicker(time.Second * time.Duration(together) / time.Duration(rate))
		defer tick.Stop()
		for end := written + count; written < end; {
			<-tick.C
			var messages []kafka.Message
			for range min(together, end-written) {
				in := &events[written%len(events)]
				in.ID, in.OccurredAt = fmt.Sprint("event-", written), time.Now()
				value, err := json.AppendInteraction(nil, in)
				if err != nil {
					return err
				}
				if mixed && written%100 == 0 {
					value = []byte("{")
				}
				messages = append(messages, kafka.Message{Topic: "llm.interactions", Value: value})
				written++
			}
			if err := producer.ProduceSync(context.Background(), messages...); err != nil {
				return err
			}
		}
	}
	return nil
}

// quantile of sorted values; NaN of none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[int(q*float64(len(sorted)-1))]
}
