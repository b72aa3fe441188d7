package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"confab/cmd/worker/internal/demo"
	"confab/cmd/worker/internal/worker"
)

func newDemo(c *cli) *cobra.Command {
	var events int
	var once bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Runs the whole pipeline in one process, without a network",
		Long: `Starts a Kafka broker inside the process, runs the worker against it, writes sample interactions one by one and prints
the result of each: quiet, flagged, alerted, or a dead letter. The worker is the one that "confab run" runs; only the
broker and the alert sink are replaced. Without --once it continues until Ctrl-C.`,
		Example: `  confab demo --once
  confab demo --events 100 --once
  confab demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := demo.Config()
			color := c.useColor(c.out)
			pause := time.Second
			if once {
				pause = 0
			}
			registry := prometheus.NewRegistry()
			_, err := demo.Run(cmd.Context(), demo.Options{
				Out: c.out, Color: color, Once: once, Events: events, Pause: pause, Topics: demo.Topics(cfg),
				Input: cfg.Kafka.Inputs[0].Topic, Results: []string{cfg.Kafka.Topics.Incidents, cfg.Kafka.Topics.DLQ},
				Delivered: func() (bool, error) { return demo.AllDelivered(registry) },
				Run: func(ctx context.Context, seeds []string, console io.Writer) error {
					cfg.Kafka.SeedBrokers = seeds
					return worker.Run(ctx, worker.Options{
						Config: cfg, Registry: registry, Logger: slog.New(slog.DiscardHandler), Console: console, Color: color,
					})
				},
			})
			return err
		},
	}
	cmd.Flags().IntVar(&events, "events", 0, "stop after so many interactions (with --once; 0: the samples once)")
	cmd.Flags().BoolVar(&once, "once", false, "run the samples once and exit")
	return cmd
}
