package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"confab/internal/cli/demo"
	"confab/internal/console"
	"confab/internal/worker"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

func newDemo(c *cli) *cobra.Command {
	var events int
	var once, page bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Runs the whole pipeline in one process, without a network",
		Long: `Starts a Kafka broker inside the process, runs the worker against it, writes sample interactions one by one and prints
the result of each: quiet, flagged, alerted, or a dead letter. The worker is the one that "confab run" runs; only the
broker and the alert sink are replaced. Without --once it continues until Ctrl-C.

--ui serves the page of incidents, too, as "confab ui" does.`,
		Example: `  confab demo --once
  confab demo --events 100 --once
  confab demo
  confab demo --ui`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg := demo.Config()
			if page {
				if err := c.addPage(cfg); err != nil {
					return err
				}
			}
			color := c.useColor(c.out)
			pause := time.Second
			if once {
				pause = 0
			}
			registry := prometheus.NewRegistry()
			_, err := demo.Run(cmd.Context(), demo.Options{
				Out: c.out, Color: color, NoAlert: evaluation.NoAlert(cfg), Once: once, Events: events, Pause: pause, Topics: demo.Topics(cfg),
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
	cmd.Flags().BoolVar(&page, "ui", false, "serve the page of incidents, too")
	cmd.MarkFlagsMutuallyExclusive("once", "ui")
	return cmd
}

// addPage adds the page of incidents to a demo.
func (c *cli) addPage(cfg *config.Config) error {
	cfg.Roles = append(cfg.ActiveRoles(), config.RoleUI)
	return console.Printf(c.out, "the page: http://%s\n\n", cfg.UI.Listen)
}
