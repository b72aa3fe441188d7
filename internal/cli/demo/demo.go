package demo

import (
	"bytes"
	"context"
	_ "embed" // of the samples
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/prometheus/client_golang/prometheus"

	"confab/alerting/dispatch"
	"confab/detectors/confidence"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/embedded"
	"confab/internal/redact"
	"confab/internal/retry"
	"confab/internal/worker"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

//go:embed samples/samples.jsonl
var embeddedSamples []byte

// Options are the options of [Run].
type Options struct {
	Out     io.Writer
	Color   bool
	Once    bool // stop after Events interactions; else run until ctx ends
	Events  int  // 0: each sample once
	Page    bool // serve the page of incidents, too
	Samples []byte
	Now     func() time.Time // when the interactions occur; time.Now when nil
}

// demoSample is an interaction, or raw bytes that are not one.
type demoSample struct {
	Title       string             `json:"title"`
	Interaction stdjson.RawMessage `json:"interaction"`
	Raw         string             `json:"raw"`
}

// Result counts what was printed.
type Result struct {
	Interactions, Flagged, Alerts, DeadLetters int
}

// demoSalt keys the demo's sampling; a real worker's salt is a secret.
const demoSalt = redact.Secret("confab demo")

// newConfig is the configuration of the demo. It differs from the default: quiet flags are written, alerts are printed, each
// separately, and every high-stakes interaction is sampled.
func newConfig(page bool) *config.Config {
	c := config.Default()
	c.Emit = config.EmitAll
	c.Roles = []config.Role{config.RoleDetect, config.RoleAlert}
	if page {
		c.Roles = append(c.Roles, config.RoleUI)
	}
	c.Alerting.Console = true
	c.Alerting.Resolve, c.Alerting.Interval = time.Millisecond, time.Millisecond // each sample is a new problem
	c.Alerting.NewMessages = dispatch.BucketOptions{Burst: 1000, Every: time.Millisecond}
	c.Kafka.StartOffset = config.OffsetEarliest
	c.Sampling.Rate, c.Sampling.Salt = 1, demoSalt
	c.Admin.Listen = ""
	return c
}

// demo is the state of one [Run]. The worker and a reader of its output run in goroutines; samples are written one by one.
type demo struct {
	Options
	config   *config.Config
	registry *prometheus.Registry // of the worker
	samples  []demoSample
	printer  console.FlagPrinter
	outputs  chan output   // of the worker
	alerts   chan []byte   // what the console sink printed
	done     chan struct{} // closed when alerts are no longer read
	result   Result
}

// output is the worker's result for one interaction: a flag, or the reason of a dead letter.
type output struct {
	flag   schemas.Flag
	reason string
}

// Run sends sample interactions through the worker with a broker inside the process and prints the result of each.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Samples == nil {
		o.Samples = embeddedSamples
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	list, err := readSamples(o.Samples)
	if err != nil {
		return Result{}, err
	}
	c := newConfig(o.Page)
	topics := map[string]int32{}
	for _, s := range resources.TopicSpecs(c, resources.Sizing{Partitions: 1}) {
		topics[s.Name] = int32(s.Partitions)
	}
	cluster, err := embedded.Start(embedded.Options{Topics: topics, Retention: time.Hour})
	if err != nil {
		return Result{}, err
	}
	defer cluster.Close()
	c.Kafka.SeedBrokers = cluster.Seeds()
	d := &demo{
		Options: o, config: c, registry: prometheus.NewRegistry(), samples: list,
		printer: console.FlagPrinter{W: o.Out, Color: o.Color, NoAlert: evaluation.NoAlert(c)},
		outputs: make(chan output), alerts: make(chan []byte, 1), done: make(chan struct{}),
	}
	if o.Page {
		if err := d.printer.Write("the page: http://" + c.UI.Listen + "\n\n"); err != nil {
			return Result{}, err
		}
	}
	return d.run(ctx)
}

// learnedBaselines are those of a worker that has read a hundred sure answers of the model that the samples name.
func learnedBaselines() *confidence.Live {
	live := confidence.NewLive(time.Now)
	sure, rest := float32(math.Log(0.8)), float32(math.Log(0.2))
	for range confidence.LeastAnswers {
		live.LearnAnswer(&schemas.Interaction{
			Model: "gemma-3-270m", Operation: "open_qa", Logprobs: schemas.Logprobs{TopK: 2, Values: []float32{sure, sure, rest}},
		})
	}
	return live
}

func readSamples(data []byte) (list []demoSample, err error) {
	for line := range bytes.Lines(data) {
		var s demoSample
		if err := stdjson.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("read samples: line %d: %w", len(list)+1, err)
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, errors.New("read samples: there are none")
	}
	return list, nil
}

// record is the record of a sample in a round. Ids differ by round, so that each round alerts again.
func (s *demoSample) record(round int, now time.Time) (key, value []byte, err error) {
	if s.Interaction == nil {
		return nil, []byte(s.Raw), nil
	}
	var row schemas.Labelled
	if err := json.DecodeLabelled(s.Interaction, &row); err != nil {
		return nil, nil, fmt.Errorf("sample %q: %w", s.Title, err)
	}
	in := &row.Interaction
	if round > 0 {
		in.ID = fmt.Sprintf("%s-round-%d", in.ID, round+1)
	}
	in.OccurredAt = now
	value, err = json.AppendInteraction(nil, in)
	return []byte(in.ID), value, err
}

// Write receives the console sink's alerts, so that each is printed below its flag.
func (d *demo) Write(p []byte) (int, error) {
	select {
	case d.alerts <- append([]byte(nil), p...):
	case <-d.done:
	}
	return len(p), nil
}

func (d *demo) run(ctx context.Context) (Result, error) {
	cfg := kafka.Config{SeedBrokers: d.config.Kafka.SeedBrokers, ClientID: "confab-demo"}
	producer, err := kafka.NewProducer(cfg)
	if err != nil {
		return d.result, err
	}
	defer producer.Close()
	workerCtx, stopWorker := context.WithCancel(ctx)
	defer stopWorker()
	var background sync.WaitGroup
	failed := make(chan error, 2)
	start := func(f func() error) {
		background.Go(func() {
			if err := f(); err != nil && workerCtx.Err() == nil {
				failed <- err
			}
		})
	}
	start(func() error {
		return worker.Run(workerCtx, worker.Options{
			Config: d.config, Registry: d.registry, Logger: slog.New(slog.DiscardHandler), Console: d, Color: d.Color, Baselines: learnedBaselines(),
		})
	})
	start(func() error { return d.read(workerCtx, cfg) })
	err = d.writeSamples(ctx, producer, failed)
	close(d.done)
	stopWorker()
	background.Wait()
	if err == nil || errors.Is(err, context.Canceled) {
		r := d.result
		return r, d.printer.Write(fmt.Sprintf("\n%d interactions: %d flagged, %d alerted, %d dead letters\n", r.Interactions, r.Flagged, r.Alerts, r.DeadLetters))
	}
	return d.result, err
}

// read follows the worker's output.
func (d *demo) read(ctx context.Context, cfg kafka.Config) error {
	return kafka.Read(ctx, kafka.ReaderOptions{Config: cfg, Topics: []string{d.config.Kafka.Topics.Incidents, d.config.Kafka.Topics.DLQ}}, func(r *kafka.FetchedRecord) error {
		var o output
		if r.Topic == d.config.Kafka.Topics.DLQ {
			o.reason = deadletter.Describe(r.Headers).Reason
		} else if err := json.DecodeFlag(r.Value, &o.flag); err != nil {
			return fmt.Errorf("read %s: %w", r.Topic, err)
		}
		select {
		case d.outputs <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// writeSamples writes the samples one after the other.
func (d *demo) writeSamples(ctx context.Context, producer *kafka.Producer, failed <-chan error) error {
	events, pause := d.Events, time.Second
	if events == 0 {
		events = len(d.samples)
	}
	if d.Once {
		pause = 0
	}
	for i := 0; !d.Once || i < events; i++ {
		if err := d.writeSample(ctx, producer, i, failed); err != nil {
			return err
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	return nil
}

// writeSample writes one sample and prints its title, its result and its alert, if any.
func (d *demo) writeSample(ctx context.Context, producer *kafka.Producer, i int, failed <-chan error) error {
	s := &d.samples[i%len(d.samples)]
	key, value, err := s.record(i/len(d.samples), d.Now())
	if err != nil {
		return err
	}
	if err := d.printer.Write(fmt.Sprintf("%3d  %s\n", i+1, s.Title)); err != nil {
		return err
	}
	m := kafka.Message{Topic: d.config.Kafka.Inputs[0].Topic, Partition: kafka.AnyPartition, Key: key, Value: value}
	if err := producer.ProduceSync(ctx, m); err != nil {
		return fmt.Errorf("write interaction: %w", err)
	}
	d.result.Interactions++
	o, err := await(ctx, d.outputs, failed)
	if err != nil {
		return err
	}
	if o.reason != "" {
		d.result.DeadLetters++
		return d.printer.Write("    " + d.printer.Paint(text.FgMagenta, "dead letter") + "  " + console.Sanitize(o.reason) + "\n")
	}
	if len(o.flag.Fired) > 0 {
		d.result.Flagged++
	}
	if err := d.printer.Verdict(&o.flag); err != nil || !o.flag.Alert {
		return err
	}
	alert, err := await(ctx, d.alerts, failed)
	if err != nil {
		return err
	}
	d.result.Alerts++
	if err := d.printer.Write(string(alert)); err != nil {
		return err
	}
	return d.awaitDelivery(ctx)
}

// demoTimeout bounds the wait for the result of one interaction.
const demoTimeout = 20 * time.Second

var errNoOutput = fmt.Errorf("no result from the worker within %s", demoTimeout)

// awaitDelivery waits until the worker has recorded the alert, so that the next sample is not added to its group.
func (d *demo) awaitDelivery(ctx context.Context) error {
	const pause, attempts = 2 * time.Millisecond, int(demoTimeout / (2 * time.Millisecond))
	for range attempts {
		families, err := d.registry.Gather()
		if err != nil {
			return fmt.Errorf("read the worker's metrics: %w", err)
		}
		for _, f := range families {
			if f.GetName() == "confab_alert_pending_incidents" && len(f.GetMetric()) == 1 && f.GetMetric()[0].GetGauge().GetValue() == 0 {
				return nil
			}
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	return errNoOutput
}

// await receives the next value, or an error of the background work, or times out.
func await[T any](ctx context.Context, from <-chan T, failed <-chan error) (v T, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, demoTimeout, errNoOutput)
	defer cancel()
	select {
	case v = <-from:
		return v, nil
	case err = <-failed:
		return v, err
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
}
