package worker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/schemas/json"
)

// loaderEnv makes the test binary a producer: "SEEDS RATE COUNT ..." writes COUNT typical events, RATE a second, and so on. With
// "SEEDS mixed ..." one record in a hundred is no interaction.
const loaderEnv = "CONFAB_BENCH_LOADER"

// BenchmarkPaced is BenchmarkDetect at a low rate, where a fetch has few records. Broker and producer are processes of
// their own.
//
//	go test ./cmd/worker/internal/worker -run '^$' -bench Paced -benchtime 4000x -cpu 1
func BenchmarkPaced(b *testing.B) {
	for _, rate := range []int{400, 1600} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) {
			benchmarkPaced(b, rate)
		})
	}
}

func benchmarkPaced(b *testing.B, rate int) {
	seeds := startBroker(b)
	loader := startLoader(b, seeds, fmt.Sprint(rate, " ", b.N))
	b.ResetTimer()
	before := cpuTime()
	consumeWorker(b, seeds, nil)
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/event")
	require.NoError(b, loader.Wait())
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
