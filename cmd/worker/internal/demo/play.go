package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"confab/cmd/worker/internal/console"
	"confab/internal/kafka"
	"confab/internal/retry"
)

// demo is a performance: the worker and a reader of what it writes run beside the one who tells the story.
type demo struct {
	Options
	story   []sample
	printer console.Flags
	results chan outcome
	told    chan []byte   // what the console sink printed
	over    chan struct{} // closed when nobody listens any more
	result  Result
}

// Write takes the console sink's alerts, so that each is shown below the flag it is about.
func (d *demo) Write(p []byte) (int, error) {
	select {
	case d.told <- append([]byte(nil), p...):
	case <-d.over:
	}
	return len(p), nil
}

func (d *demo) play(ctx context.Context, seeds []string) (Result, error) {
	cfg := kafka.Config{SeedBrokers: seeds, ClientID: "confab-demo"}
	producer, err := kafka.NewProducer(cfg)
	if err != nil {
		return d.result, err
	}
	defer producer.Close()
	stage, end := context.WithCancel(ctx)
	defer end()
	var backstage sync.WaitGroup
	failed := make(chan error, 2)
	start := func(f func() error) {
		backstage.Go(func() {
			if err := f(); err != nil && stage.Err() == nil {
				failed <- err
			}
		})
	}
	start(func() error { return d.Run(stage, seeds, d) })
	start(func() error { return d.read(stage, cfg) })
	err = d.tell(ctx, producer, failed)
	close(d.over)
	end()
	backstage.Wait()
	if err == nil || errors.Is(err, context.Canceled) {
		return d.result, d.summary()
	}
	return d.result, err
}

// read follows what the worker writes.
func (d *demo) read(ctx context.Context, cfg kafka.Config) error {
	reader, err := kafka.NewReader(kafka.ReaderOptions{Config: cfg, Topics: d.Results})
	if err != nil {
		return err
	}
	return reader.Read(ctx, func(r *kafka.FetchedRecord) error {
		o, err := readOutcome(r)
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

// tell plays the samples one after the other.
func (d *demo) tell(ctx context.Context, producer *kafka.Producer, failed <-chan error) error {
	events := d.Events
	if events == 0 {
		events = len(d.story)
	}
	for i := 0; !d.Once || i < events; i++ {
		if err := d.act(ctx, producer, i, failed); err != nil {
			return err
		}
		if err := retry.Sleep(ctx, d.Pause); err != nil {
			return err
		}
	}
	return nil
}

// act plays one sample: title, record, verdict, and the alert where there is one.
func (d *demo) act(ctx context.Context, producer *kafka.Producer, i int, failed <-chan error) error {
	s := &d.story[i%len(d.story)]
	key, value, err := s.value(i/len(d.story), d.Now())
	if err != nil {
		return err
	}
	if err := d.printer.Write(fmt.Sprintf("%3d  %s\n", i+1, s.Title)); err != nil {
		return err
	}
	m := kafka.Message{Topic: d.Input, Partition: kafka.AnyPartition, Key: key, Value: value}
	if err := producer.ProduceSync(ctx, m); err != nil {
		return fmt.Errorf("write the interaction: %w", err)
	}
	d.result.Interactions++
	o, err := await(ctx, d.results, failed)
	if err != nil {
		return err
	}
	if err := d.show(o); err != nil || o.flag == nil || !o.flag.Alert {
		return err
	}
	alert, err := await(ctx, d.told, failed)
	if err != nil {
		return err
	}
	d.result.Alerts++
	if err := d.printer.Write(string(alert)); err != nil {
		return err
	}
	return d.settled(ctx)
}

// settled waits until the worker has written down what it told, so that the next act does not join this one's group.
func (d *demo) settled(ctx context.Context) error {
	const look, looks = 2 * time.Millisecond, int(demoTimeout / (2 * time.Millisecond))
	for range looks {
		if d.Delivered == nil {
			return nil
		}
		if done, err := d.Delivered(); done || err != nil {
			return err
		}
		if err := retry.Sleep(ctx, look); err != nil {
			return err
		}
	}
	return errNoOutcome
}

func (d *demo) show(o outcome) error {
	if o.flag == nil {
		d.result.DeadLetters++
		return d.printer.Write("    " + d.printer.Paint(text.FgMagenta, "dead letter") + "  " + console.Sanitize(o.reason) + "\n")
	}
	if len(o.flag.Fired) > 0 {
		d.result.Flagged++
	}
	return d.printer.Verdict(o.flag)
}

func (d *demo) summary() error {
	r := d.result
	return d.printer.Write(fmt.Sprintf("\n%d interactions: %d flagged, %d told to on-call, %d dead letters\n",
		r.Interactions, r.Flagged, r.Alerts, r.DeadLetters))
}

// await takes the next value, unless something behind the stage fails or nothing comes.
func await[T any](ctx context.Context, from <-chan T, failed <-chan error) (v T, err error) {
	timer := time.NewTimer(demoTimeout)
	defer timer.Stop()
	select {
	case v = <-from:
		return v, nil
	case err = <-failed:
		return v, err
	case <-timer.C:
		return v, errNoOutcome
	case <-ctx.Done():
		return v, ctx.Err()
	}
}
