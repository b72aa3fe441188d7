package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/httpserver"
	"confab/internal/worker/logging"
	"confab/internal/worker/reloading"
	"confab/internal/worker/ui"
)

// pageStopTime is for the requests in progress when the page ends.
const pageStopTime = 5 * time.Second

func newUI(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "ui",
		Short: "Serves a page on which people read and label incidents",
		Long: `Serves the page of ui.listen until SIGINT or SIGTERM; SIGHUP reloads log.level and certificates. It shows incidents with
their answers and sources, labels, a review queue and trends. It holds the last ui.flags flags of llm.incidents in memory, with labels and
alert states, looks texts up in the input topics while they are retained, and writes labels to llm.feedback. It starts without a broker.

Without ui.auth it listens on loopback addresses only. Probes and metrics are at admin.listen.`,
		Example: "  confab ui --config confab.yaml",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			log, level := logging.New(cfg.Log.Level, cfg.Log.Format, c.err, console.IsTerminal(c.err))
			registry := buildinfo.NewRegistry()
			buildinfo.RegisterMetric(registry)
			hangup, stopHangups := hangups()
			defer stopHangups()
			files := reloading.New(reloading.Options{
				Config: cfg, File: c.configFile(), Load: func() (*config.Config, error) { return c.loadConfig() }, Level: level,
				Metrics: reloading.NewMetrics(registry, time.Now), Logger: log, Now: time.Now, Hangup: hangup,
			})
			page, err := ui.New(ui.Options{Config: cfg, Kafka: cfg.KafkaClient(log), Registry: registry, Logger: log, Now: time.Now})
			if err != nil {
				return err
			}
			defer page.Close()
			ctx, stop := context.WithCancel(cmd.Context())
			defer stop()
			admin := make(chan error, 1)
			go func() {
				defer stop()
				admin <- httpserver.ServeAdmin(ctx, httpserver.AdminOptions{
					Config: cfg, Gatherer: registry, Ready: []httpserver.Check{{Name: "ui", Ask: page.Ready}}, StopTime: pageStopTime, Logger: log,
				})
			}()
			reloaded := make(chan error, 1)
			go func() { reloaded <- files.Run(ctx) }()
			err = page.Run(ctx, pageStopTime)
			stop()
			return errors.Join(err, <-admin, <-reloaded)
		},
	}
}
