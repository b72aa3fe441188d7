package main

import (
	"context"
	"log/slog"
	"math"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/strictyaml"
	"confab/internal/worker"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/logging"
)

func newRun(c *cli) *cobra.Command {
	var roles []string
	var emit string
	var dryRun, fromStart bool
	cmd := newCommand("run", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return c.runWorker(cmd.Context(), worker.Options{DryRun: dryRun, FromStart: fromStart}, runSettings(roles, emit, fromStart))
	})
	cmd.Flags().StringSliceVar(&roles, "roles", nil, "`roles` to run: detect, sample, alert, export, serve, ui")
	cmd.Flags().StringVar(&emit, "emit", "", "`which` fast flags to write: flagged or all")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "measure and log only")
	cmd.Flags().BoolVar(&fromStart, "from-start", false, "start at the oldest record where no offset is committed")
	return cmd
}

// runWorker runs a worker with the configuration and the settings until ctx ends.
func (c *cli) runWorker(ctx context.Context, o worker.Options, own []strictyaml.Setting) error {
	cfg, err := c.loadConfig(own...)
	if err != nil {
		return err
	}
	log, level := logging.New(cfg.Log.Level, cfg.Log.Format, c.err, console.IsTerminal(c.err))
	limitMemory(log)
	hangup, stop := hangups()
	defer stop()
	o.Hangup = hangup
	o.Config, o.Registry, o.Logger, o.Level = cfg, buildinfo.NewRegistry(), log, level
	o.ConfigFile, o.Reload = c.configFile(), func() (*config.Config, error) { return c.loadConfig(own...) }
	o.Console, o.Color = c.out, c.useColor(c.out)
	for _, w := range cfg.Warnings() {
		log.Warn("configuration", "warning", w)
	}
	err = worker.Run(ctx, o)
	if err != nil && logging.IsJSON(cfg.Log.Format, console.IsTerminal(c.err)) { // a reader of the log parses every line
		log.Error("worker stopped", "error", err)
		return loggedError{err}
	}
	return err
}

// memoryShare is the part of the container's memory limit that becomes the runtime's limit.
const memoryShare = 0.9

// limitMemory sets the runtime's memory limit to a share of the container's. GOMEMLIMIT in the environment wins.
func limitMemory(log *slog.Logger) {
	limit, err := memlimit.Set(memlimit.WithRatio(memoryShare), memlimit.WithProvider(memlimit.FromCgroup))
	switch {
	case err != nil:
		log.Debug("read memory limit of container failed", "error", err)
	case limit < math.MaxInt64:
		log.Info("set memory limit", "bytes", limit)
	}
}

func runSettings(roles []string, emit string, fromStart bool) []strictyaml.Setting {
	var own []strictyaml.Setting
	if len(roles) > 0 {
		own = append(own, strictyaml.Setting{Path: "roles", Value: strings.Join(roles, ","), Source: "--roles"})
	}
	if emit != "" {
		own = append(own, strictyaml.Setting{Path: "emit", Value: emit, Source: "--emit"})
	}
	if fromStart {
		own = append(own, strictyaml.Setting{Path: "kafka.start_offset", Value: config.OffsetEarliest, Source: "--from-start"})
	}
	return own
}
