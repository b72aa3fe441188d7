package main

import (
	"context"
	"fmt"
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
		Short: "Shows the whole pipeline at work, in one process and without a network",
		Long: `Starts a Kafka broker inside the process, runs the worker against it, writes sample interactions one by one and prints
what becomes of each: quiet, flagged, told to on-call, or a dead letter. The worker is the one that "confab run" runs;
only the broker and the sink for alerts are stand-ins. Without --once it goes on until Ctrl-C.`,
		Example: `  confab demo --once
  confab demo --events 100 --once
  confab demo`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := demo.Config()
			color := isTerminal(c.out)
			pause := time.Second
			if once {
				pause = 0
			}
			registry := prometheus.NewRegistry()
			_, err := demo.Run(cmd.Context(), demo.Options{
				Out: c.out, Color: color, Once: once, Events: events, Pause: pause, Topics: demo.Topics(cfg),
				Input: cfg.Kafka.Inputs[0].Topic, Results: []string{cfg.Kafka.Topics.Incidents, cfg.Kafka.Topics.DLQ},
				Delivered: func() (bool, error) { return delivered(registry) },
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
	cmd.Flags().IntVar(&events, "events", 0, "end after so many interactions (with --once; 0: the samples once)")
	cmd.Flags().BoolVar(&once, "once", false, "play the samples and exit")
	return cmd
}

// pendingMetric counts the incidents in alert groups that no recorded message shows.
const pendingMetric = "confab_alert_pending_incidents"

// delivered reports whether the worker has posted every alert and recorded that, by the worker's own metrics.
func delivered(metrics prometheus.Gatherer) (bool, error) {
	families, err := metrics.Gather()
	if err != nil {
		return false, fmt.Errorf("read the worker's metrics: %w", err)
	}
	for _, f := range families {
		if f.GetName() == pendingMetric && len(f.GetMetric()) == 1 {
			return f.GetMetric()[0].GetGauge().GetValue() == 0, nil
		}
	}
	return false, fmt.Errorf("the worker has no metric %s", pendingMetric)
}
