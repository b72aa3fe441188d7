package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/retry"
)

// demoRun is the state of one [Run]. The worker and a reader of its output run in goroutines; samples are written one by one.
type demoRun struct {
	Options
	samples []demoSample
	printer console.FlagPrinter
	results chan workerOutput
	alerts  chan []byte   // what the console sink printed
	done    chan struct{} // closed when alerts are no longer read
	result  Result
}

// Write receives the console sink's alerts, so that each is printed below its flag.
func (d *demoRun) Write(p []byte) (int, error) {
	select {
	case d.alerts <- append([]byte(nil), p...):
	case <-d.done:
	}
	return len(p), nil
}

func (d *demoRun) runAll(ctx context.Context, seeds []string) (Result, error) {
	cfg := kafka.Config{SeedBrokers: seeds, ClientID: "confab-demo"}
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
	start(func() error { return d.Run(workerCtx, seeds, d) })
	start(func() error { return d.read(workerCtx, cfg) })
	err = d.writeSamples(ctx, producer, failed)
	close(d.done)
	stopWorker()
	background.Wait()
	if err == nil || errors.Is(err, context.Canceled) {
		return d.result, d.summary()
	}
	return d.result, err
}

// read follows the worker's output.
func (d *demoRun) read(ctx context.Context, cfg kafka.Config) error {
	reader, err := kafka.NewReader(kafka.ReaderOptions{Config: cfg, Topics: d.Results})
	if err != nil {
		return err
	}
	return reader.Read(ctx, func(r *kafka.FetchedRecord) error {
		o, err := readOutput(r)
		if err != nil {
			return err
		}
		select {
		case d.results <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// writeSamples writes the samples one after the other.
func (d *demoRun) writeSamples(ctx context.Context, producer *kafka.Producer, failed <-chan error) error {
	events := d.Events
	if events == 0 {
		events = len(d.samples)
	}
	for i := 0; !d.Once || i < events; i++ {
		if err := d.writeSample(ctx, producer, i, failed); err != nil {
			return err
		}
		if err := retry.Sleep(ctx, d.Pause); err != nil {
			return err
		}
	}
	return nil
}

// writeSample writes one sample and prints its title, its result and its alert, if any.
func (d *demoRun) writeSample(ctx context.Context, producer *kafka.Producer, i int, failed <-chan error) error {
	s := &d.samples[i%len(d.samples)]
	key, value, err := s.record(i/len(d.samples), d.Now())
	if err != nil {
		return err
	}
	if err := d.printer.Write(fmt.Sprintf("%3d  %s\n", i+1, s.Title)); err != nil {
		return err
	}
	m := kafka.Message{Topic: d.Input, Partition: kafka.AnyPartition, Key: key, Value: value}
	if err := producer.ProduceSync(ctx, m); err != nil {
		return fmt.Errorf("write interaction: %w", err)
	}
	d.result.Interactions++
	o, err := awaitValue(ctx, d.results, failed)
	if err != nil {
		return err
	}
	if err := d.show(o); err != nil || o.flag == nil || !o.flag.Alert {
		return err
	}
	alert, err := awaitValue(ctx, d.alerts, failed)
	if err != nil {
		return err
	}
	d.result.Alerts++
	if err := d.printer.Write(string(alert)); err != nil {
		return err
	}
	return d.awaitDelivery(ctx)
}

// awaitDelivery waits until the worker has recorded the alert, so that the next sample is not added to its group.
func (d *demoRun) awaitDelivery(ctx context.Context) error {
	const pause, attempts = 2 * time.Millisecond, int(demoTimeout / (2 * time.Millisecond))
	for range attempts {
		if d.Delivered == nil {
			return nil
		}
		if done, err := d.Delivered(); done || err != nil {
			return err
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	return errNoOutput
}

func (d *demoRun) show(o workerOutput) error {
	if o.flag == nil {
		d.result.DeadLetters++
		return d.printer.Write("    " + d.printer.Paint(text.FgMagenta, "dead letter") + "  " + console.Sanitize(o.reason) + "\n")
	}
	if len(o.flag.Fired) > 0 {
		d.result.Flagged++
	}
	return d.printer.Verdict(o.flag)
}

func (d *demoRun) summary() error {
	r := d.result
	return d.printer.Write(fmt.Sprintf("\n%d interactions: %d flagged, %d alerted, %d dead letters\n",
		r.Interactions, r.Flagged, r.Alerts, r.DeadLetters))
}

// awaitValue receives the next value, or an error of the background work, or times out.
func awaitValue[T any](ctx context.Context, from <-chan T, failed <-chan error) (v T, err error) {
	timer := time.NewTimer(demoTimeout)
	defer timer.Stop()
	select {
	case v = <-from:
		return v, nil
	case err = <-failed:
		return v, err
	case <-timer.C:
		return v, errNoOutput
	case <-ctx.Done():
		return v, ctx.Err()
	}
}
