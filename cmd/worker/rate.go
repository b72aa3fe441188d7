package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"confab/calibration/rate"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/cli/rates"
	"confab/internal/console"
	"confab/internal/worker/config"
)

func newRate(c *cli) *cobra.Command {
	var by []string
	var since string
	var asJSON bool
	cmd := c.newConfigured("rate", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		collector, err := rate.NewCollector(by, detectors.Names(standard.Deep(standard.Dependencies{})))
		if err != nil {
			return usageError{fmt.Errorf("--by: %w", err)}
		}
		unreadable, err := c.readRates(cmd.Context(), cfg, collector, since)
		if err != nil {
			return err
		}
		res := collector.Result()
		switch {
		case res.Total.Judged == 0:
			return rates.ErrNoSample
		case asJSON:
			return rates.PrintJSON(c.out, &res)
		}
		return rates.PrintTable(c.out, c.err, &res, unreadable)
	})
	cmd.Flags().StringSliceVar(&by, "by", []string{"service", "model"}, "`fields` to split by: service, model, tenant, operation, provider")
	cmd.Flags().StringVar(&since, "since", "30d", "flags since a `time`, such as 36h or 7d ago")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON for scripts")
	return cmd
}

func (c *cli) readRates(ctx context.Context, cfg *config.Config, collector *rate.Collector, since string) (unreadable int, err error) {
	from, err := optionalTime("--since", since, time.Now())
	if err != nil {
		return 0, err
	}
	flags, done, err := c.incidentFinder(cfg)
	if err != nil {
		return 0, err
	}
	defer done()
	count, end := console.NewStage(c.err, "records")
	defer end()
	flags.Progress = count
	return rates.Read(ctx, collector, &flags, cfg.Kafka.Topics.Feedback, from)
}
