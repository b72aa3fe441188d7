package worker

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/datatest"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// BenchmarkDetect is the detect role on an embedded broker in another process, and the baseline: a bare client that
// fetches and decodes the same records. Read cpu-µs/event of both in one run: their ratio is the cost of detection. "real"
// are 1,024 answers of RAGTruth.
//
//	go test ./internal/worker -run '^$' -bench Detect -benchtime 20000x -count 5 -cpu 1
func BenchmarkDetect(b *testing.B) {
	worker := func(b *testing.B, seeds []string) { consumeWorker(b, seeds, config.EmitFlagged) }
	for _, load := range []struct {
		name  string
		value func(b *testing.B) func(i int) []byte
	}{
		{"typical", func(b *testing.B) func(i int) []byte { return renewed(b, typicalEvents(64)) }},
		{"real", func(b *testing.B) func(i int) []byte { return renewed(b, realEvents(b)) }},
	} {
		b.Run(load.name+"/floor", func(b *testing.B) { benchmarkConsumer(b, load.value(b), consumeWithoutWorker) })
		b.Run(load.name+"/worker", func(b *testing.B) { benchmarkConsumer(b, load.value(b), worker) })
	}
}

// realEvents are 1,024 answers of RAGTruth.
func realEvents(b testing.TB) []schemas.Interaction {
	var events []schemas.Interaction
	for _, line := range append(datatest.MoreRows(b, "ragtruth"), datatest.Rows(b, "ragtruth")...)[:1024] {
		var row schemas.Labelled
		require.NoError(b, json.DecodeLabelled(line, &row))
		events = append(events, row.Interaction)
	}
	return events
}

// renewed are the events in turn, each record with white space in its sources that no other has: no version of Confab can have
// read them before.
func renewed(b testing.TB, events []schemas.Interaction) func(i int) []byte {
	blanks := strings.NewReplacer("0", " ", "1", "\t")
	return func(i int) []byte {
		in := events[i%len(events)]
		in.Sources = slices.Clone(in.Sources)
		for s := range in.Sources {
			in.Sources[s].Text += blanks.Replace(fmt.Sprintf("%032b", i+1))
		}
		value, err := json.AppendInteraction(nil, &in)
		require.NoError(b, err)
		return value
	}
}

// benchmarkConsumer consumes b.N events.
func benchmarkConsumer(b *testing.B, value func(i int) []byte, consume func(b *testing.B, seeds []string)) {
	seeds := startBroker(b)
	fillInput(b, seeds, b.N, value)
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime()
	consume(b, seeds)
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/event")
}

// fillInput writes n records, the i-th with value(i).
func fillInput(b testing.TB, seeds []string, n int, value func(i int) []byte) {
	producer, err := kafka.NewProducer(kafka.Config{SeedBrokers: seeds})
	require.NoError(b, err)
	defer producer.Close()
	messages := make([]kafka.Message, n)
	for i := range messages {
		messages[i] = kafka.Message{Topic: "llm.interactions", Value: value(i)}
	}
	require.NoError(b, producer.ProduceSync(b.Context(), messages...))
}

func consumeWithoutWorker(b *testing.B, seeds []string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics("llm.interactions"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(b, err)
	defer client.Close()
	decoder := json.NewDecoder(json.Options{})
	var in schemas.Interaction
	for n := 0; n < b.N; {
		client.PollRecords(b.Context(), 500).EachRecord(func(r *kgo.Record) {
			if err := decoder.Decode(r.Value, &in); err != nil {
				b.Fatal(err)
			}
			n++
		})
	}
}

func consumeWorker(b *testing.B, seeds []string, emit string) {
	cfg := config.Default()
	cfg.Admin.Listen, cfg.Kafka.SeedBrokers, cfg.Kafka.StartOffset = "", seeds, config.OffsetEarliest
	cfg.Roles, cfg.Emit = []config.Role{config.RoleDetect}, emit
	registry := prometheus.NewRegistry()
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{Config: cfg, Registry: registry, Logger: slog.New(slog.DiscardHandler)})
	}()
	for tick := time.NewTicker(200 * time.Millisecond); countDetected(b, registry) < b.N; <-tick.C {
		select {
		case err := <-done:
			b.Fatal("the worker ended: ", err)
		default:
		}
	}
	b.StopTimer()
	cancel()
	require.NoError(b, <-done)
}

func countDetected(b testing.TB, registry *prometheus.Registry) int {
	families, err := registry.Gather()
	require.NoError(b, err)
	for _, f := range families {
		if f.GetName() == "confab_interactions_total" && len(f.GetMetric()) > 0 {
			return int(f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	return 0
}

// startBroker runs this test binary as a broker.
func startBroker(b testing.TB) []string { return startBrokerWith(b, "0") }

// startBrokerWith is startBroker with a retention of records; 0 keeps them.
func startBrokerWith(b testing.TB, retention string) []string {
	cmd := exec.CommandContext(context.WithoutCancel(b.Context()), os.Args[0])
	cmd.Env = append(os.Environ(), brokerEnv+"="+retention)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(b, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(b, err)
	return strings.Split(strings.TrimSpace(line), ",")
}

// cpuTime is what this process has used so far, garbage collection included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// typicalEvents are n interactions with five sources of about 150 words and an answer of about 120, made of words with
// a natural spread of lengths and frequencies.
func typicalEvents(n int) []schemas.Interaction {
	random := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 3000)
	for i := range vocabulary {
		word := make([]byte, 2+random.IntN(9))
		for j := range word {
			word[j] = "etaoinshrdlucmfwypvbgk"[min(21, int(random.ExpFloat64()*6))]
		}
		vocabulary[i] = string(word)
	}
	sentence := func() string {
		words := make([]string, 10+random.IntN(12))
		for i := range words {
			words[i] = vocabulary[min(len(vocabulary)-1, int(random.ExpFloat64()*400))]
		}
		return strings.ToUpper(words[0][:1]) + words[0][1:] + " " + strings.Join(words[1:], " ") + "."
	}
	events := make([]schemas.Interaction, n)
	for i := range events {
		in := schemas.Interaction{ID: fmt.Sprintf("event-%d", i), Service: "bench", Operation: "qa", Model: "m", Temperature: 0.2}
		in.Messages = []schemas.Message{{Role: "user", Content: sentence()}}
		var answer []string
		for s := range 5 {
			var text []string
			for range 10 {
				text = append(text, sentence())
			}
			in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprint(s + 1), Text: strings.Join(text, " ")})
			answer = append(answer, fmt.Sprintf("%s [%d]", strings.TrimSuffix(text[s], "."), s+1)+".")
		}
		if i%20 == 0 {
			answer[2] = sentence()
		}
		in.Answer = strings.Join(answer, " ")
		events[i] = in
	}
	return events
}
