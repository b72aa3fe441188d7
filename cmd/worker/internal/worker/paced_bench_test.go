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

// loaderEnv makes the test binary a producer: "SEEDS RATE COUNT" writes COUNT typical events, RATE a second.
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
	loader := exec.CommandContext(b.Context(), os.Args[0])
	loader.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", loaderEnv, strings.Join(seeds, ","), rate, b.N))
	loader.Stderr = os.Stderr
	require.NoError(b, loader.Start())
	b.ResetTimer()
	before := cpuTime()
	consumeWorker(b, seeds, nil)
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/event")
	require.NoError(b, loader.Wait())
}

// writeLoad is the loader's work.
func writeLoad(load string) error {
	var seeds string
	var rate, count int
	if _, err := fmt.Sscan(load, &seeds, &rate, &count); err != nil {
		return err
	}
	producer, err := kafka.NewProducer(kafka.Config{SeedBrokers: strings.Split(seeds, ",")})
	if err != nil {
		return err
	}
	defer producer.Close()
	events := typicalEvents(64)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for i := range count {
		value, err := json.AppendInteraction(nil, &events[i%len(events)])
		if err != nil {
			return err
		}
		<-tick.C
		if err := producer.ProduceSync(context.Background(), kafka.Message{Topic: "llm.interactions", Value: value}); err != nil {
			return err
		}
	}
	return nil
}
