package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"confab/internal/cli/redrive"
	"confab/internal/cli/topicrange"
	"confab/internal/console"
	"confab/internal/worker/config"
)

// redriveFlags are those of confab redrive that are read after its configuration.
type redriveFlags struct {
	since, until string
	rate         int
	json         bool
}

func newRedrive(c *cli) *cobra.Command {
	o, f := &redrive.Options{Timeout: brokerPatience}, redriveFlags{}
	var dryRun bool
	cmd := c.newConfigured("redrive", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		return c.redrive(cmd.Context(), cfg, o, &f)
	})
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Stages, "stage", nil, "only dead letters of these `stages`: decode, validate, handle, publish")
	flags.StringSliceVar(&o.Reasons, "reason", nil, "only dead letters of these `reasons`")
	flags.StringVar(&f.since, "since", "", "only dead letters written since this `time`, such as 2026-11-21T10:00:00Z, 36h or 7d ago")
	flags.StringVar(&f.until, "until", "", "only dead letters written before this `time`")
	flags.IntVar(&f.rate, "rate", 100, "records a second at most")
	flags.IntVar(&o.MaxAttempts, "max-attempts", 3, "leave records that became dead letters so often")
	flags.StringVar(&o.To, "to", "", "send all to this `topic` instead of where they came from")
	flags.BoolVar(&dryRun, "dry-run", false, "send nothing, the default")
	flags.BoolVar(&o.Write, "yes", false, "send")
	flags.BoolVar(&f.json, "json", false, "write JSON for scripts")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

func (c *cli) redrive(ctx context.Context, cfg *config.Config, o *redrive.Options, f *redriveFlags) (err error) {
	now := time.Now()
	if o.Since, err = optionalTime("--since", f.since, now); err != nil {
		return err
	}
	if o.Until, err = optionalTime("--until", f.until, now); err != nil {
		return err
	}
	if f.rate < 1 || f.rate > 1_000_000 {
		return usageError{fmt.Errorf("--rate %d: expected 1 to 1000000", f.rate)}
	}
	o.Burst = max(1, min(f.rate/10, 500))
	o.Permit = rate.NewLimiter(rate.Limit(f.rate), o.Burst).WaitN
	o.Kafka, o.DeadLetters, o.Topics = cfg.KafkaClient(c.logger(cfg)), cfg.Kafka.Topics.DLQ, redrive.Topics(cfg)
	count, end := console.NewStage(c.err, "dead letters")
	o.Progress = count
	result, err := redrive.Run(ctx, o)
	end()
	if result == nil {
		return err
	}
	if f.json {
		return errors.Join(console.PrintJSON(c.out, result), err)
	}
	return errors.Join(redrive.PrintTable(c.out, result, o.Write, f.rate), err)
}

// brokerPatience bounds the wait for a record or an acknowledgement.
const brokerPatience = time.Minute

// optionalTime is the time of a flag; zero without one.
func optionalTime(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := topicrange.Time(text, now)
	if err != nil {
		return at, usageError{fmt.Errorf("%s %q: %w", flag, text, err)}
	}
	return at, nil
}
