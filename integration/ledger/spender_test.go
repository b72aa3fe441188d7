package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/sampling"
)

const (
	spenderEnv  = "CONFAB_LEDGER_SPENDER" // makes the test's own binary a spender
	topicBudget = "llm.budget"
	spendGroup  = "confab-sample"
)

// spenderConfig is what a spender is told.
type spenderConfig struct {
	Seeds      []string
	Slot       int
	Partitions int32
	Server     string // takes the place of a language model: it is asked for tokens and says how many it used
	Budget     sampling.BudgetOptions
}

// spend is the smallest worker that spends from the budget: it reserves for every record, and asks if it may.
func spend(text string) int {
	var c spenderConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return complain(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := kafka.Config{SeedBrokers: c.Seeds}
	log, err := kafka.NewFencedLog(kafka.FencedOptions{Config: cfg, Topic: topicBudget})
	if err != nil {
		return complain(err)
	}
	books, err := sampling.NewLedger(sampling.LedgerOptions{
		Budget: c.Budget, Partitions: c.Partitions, Now: time.Now,
		Open: func(ctx context.Context, p int32) (sampling.BudgetLog, error) { return log.Own(ctx, p) },
	})
	if err != nil {
		return complain(err)
	}
	producer, err := kafka.NewProducer(cfg)
	if err != nil {
		return complain(err)
	}
	defer producer.Close()
	letters := kafka.NewDeadLetter(kafka.DeadLetterOptions{Producer: producer, Topic: topicDLQ, Name: spendGroup})
	loop, err := consumer.New(consumer.Options[int64]{
		Kafka: cfg, Producer: producer, DeadLetter: letters, Codec: tokensCodec{},
		Handler: &spender{c, books}, Role: "sample", Group: spendGroup, InstanceID: fmt.Sprintf("spender-%d", c.Slot),
		Topics: []string{topicSampled}, StartOffset: consumer.StartEarliest, MaxBatch: 10, Workers: 8,
		SessionTimeout: session, Heartbeat: 300 * time.Millisecond, RebalanceTimeout: 6 * time.Second, RetryMax: time.Second,
		Metrics:    consumer.NewMetrics(prometheus.NewRegistry()),
		OnAssigned: func(_ string, p int32) { books.Assign(p) },
		OnRevoked:  func(_ string, p int32) { books.Release(ctx, p) },
	})
	if err != nil {
		return complain(err)
	}
	if err := loop.Run(ctx); err != nil {
		return complain(err)
	}
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	books.Close(last)
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// tokensCodec reads how many tokens a record asks for.
type tokensCodec struct{}

func (tokensCodec) Decode(_ context.Context, r *consumer.Raw, dst []int64) ([]int64, error) {
	n, err := strconv.ParseInt(string(r.Value), 10, 64)
	return append(dst, n), err
}

func (tokensCodec) Release(int64) {}

type spender struct {
	config spenderConfig
	budget sampling.Budget
}

// Handle implements consumer.Handler.
func (s *spender) Handle(ctx context.Context, batch []consumer.Record[int64], _ consumer.Producer) error {
	for _, r := range batch {
		grant, err := s.budget.Reserve(ctx, string(r.Key), r.Partition, r.Value)
		if err != nil {
			return err
		}
		if !grant.OK {
			continue
		}
		used, err := s.ask(ctx, string(r.Key), r.Value)
		if err != nil {
			return err
		}
		grant.Settle(used)
	}
	return nil
}

func (s *spender) ask(ctx context.Context, tenant string, tokens int64) (used int64, err error) {
	q := url.Values{
		"tenant": {tenant}, "tokens": {strconv.FormatInt(tokens, 10)}, "pid": {strconv.Itoa(os.Getpid())},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.Server+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = fmt.Fscan(resp.Body, &used)
	return used, err
}
