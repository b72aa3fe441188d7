package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"confab/calibration/rate"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/cli/calibrate"
	"confab/internal/cli/rates"
	"confab/internal/console"
)

// rateOptions are the flags of confab rate.
type rateOptions struct {
	by            []string
	since, labels string
	json          bool
}

func newRate(c *cli) *cobra.Command {
	var o rateOptions
	cmd := &cobra.Command{
		Use:   "rate [FILE|-]",
		Short: "Estimates which share of answers is hallucinated",
		Long: `Prints the share of hallucinated answers by service and model, with a 95 % interval, from the answers that were sampled
for deep evaluation. Each counts as often as the inverse of its probability of being sampled, so triggers that pick risky
answers do not raise the estimate. A person's label outranks the verdict of the language models. Labels of answers that were
not sampled do not count.

Without FILE it reads llm.incidents and llm.feedback. FILE holds flags as JSON Lines, as confab tail --json writes them.
It warns where more than a tenth of the sampled traffic has no verdict, and exits with 1 if no sampled answer has one.`,
		Example: `  confab rate --since 7d
  confab rate --by tenant,operation --json
  confab tail --from-start --stop-at-end --json > flags.jsonl`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runRate(cmd.Context(), args, &o) },
	}
	cmd.Flags().StringSliceVar(&o.by, "by", []string{"service", "model"}, "`fields` to split by: service, model, tenant, operation, provider")
	cmd.Flags().StringVar(&o.since, "since", "30d", "flags of this last `time`, such as 36h or 7d; with FILE all count")
	cmd.Flags().StringVar(&o.labels, "labels", "", "labels as JSON Lines, with FILE, in the shape of llm.feedback: a `file`")
	cmd.Flags().BoolVar(&o.json, "json", false, "write JSON for scripts")
	return cmd
}

func (c *cli) runRate(ctx context.Context, args []string, o *rateOptions) error {
	collector, err := rate.NewCollector(o.by, detectors.Names(standard.Deep(standard.Dependencies{})))
	if err != nil {
		return usageError{fmt.Errorf("--by: %w", err)}
	}
	count, end := console.NewStage(c.err, "records")
	r := &rates.Reader{Collector: collector, Progress: count}
	if len(args) == 1 {
		err = c.readRateFiles(r, args, o.labels)
	} else {
		err = c.readRateTopics(ctx, r, o)
	}
	end()
	if err != nil {
		return err
	}
	res := collector.Result()
	if res.Total.Judged == 0 {
		return rates.ErrNoSample
	}
	if o.json {
		return rates.PrintJSON(c.out, &res)
	}
	return rates.PrintTable(c.out, c.err, &res, r.Unreadable())
}

func (c *cli) readRateFiles(r *rates.Reader, args []string, labels string) error {
	in, _, err := c.openInput(args)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := r.ReadFlags(in); err != nil || labels == "" {
		return err
	}
	f, err := os.Open(labels)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.ReadLabels(f)
}

func (c *cli) readRateTopics(ctx context.Context, r *rates.Reader, o *rateOptions) error {
	if o.labels != "" {
		return usageError{errors.New("--labels has no effect without FILE: labels are read from the topic")}
	}
	period, err := calibrate.ParsePeriod(o.since)
	if err != nil {
		return usageError{fmt.Errorf("--since %s: %w", o.since, err)}
	}
	cfg, err := c.loadConfig()
	if err != nil {
		return err
	}
	incidents, done, err := c.incidentFinder(cfg)
	if err != nil {
		return err
	}
	defer done()
	return r.ReadTopics(ctx, &rates.Topics{
		Kafka: incidents.Kafka, Incidents: incidents.Topic, Labels: cfg.Kafka.Topics.Feedback, Decode: incidents.Decode, Since: time.Now().Add(-period),
	})
}
