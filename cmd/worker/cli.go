package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/strictyaml"
	"confab/internal/worker/config"
	"confab/internal/worker/logging"
)

// cli holds what all commands share: the streams, the environment and the global flags.
type cli struct {
	stdStreams
	env     []string
	started bool // the command's RunE was called

	file     string
	settings []string
	logLevel string

	colorMode string // one of colorModes
}

const defaultFile = "confab.yaml"

// bind adds the flags that every command takes.
func (c *cli) bind(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&c.file, "config", "", "configuration `file` (default $CONFAB_CONFIG, else confab.yaml where it exists)")
	flags.StringArrayVar(&c.settings, "set", nil, "set one `key=value` of the configuration, such as kafka.seed_brokers=a:9092,b:9092")
	flags.StringVar(&c.logLevel, "log-level", "", "log.level: debug, info, warn or error")
	flags.StringVar(&c.colorMode, "color", colorAuto, "colored texts: auto, always or never; auto obeys NO_COLOR")
}

// loadConfig loads the configuration. Settings of the command's own flags win over all others.
func (c *cli) loadConfig(own ...strictyaml.Setting) (*config.Config, error) {
	opts, err := c.options(own...)
	if err != nil {
		return nil, err
	}
	return config.Load(opts)
}

func (c *cli) options(own ...strictyaml.Setting) (config.LoadOptions, error) {
	opts := config.LoadOptions{File: c.configFile(), Env: c.env}
	for _, s := range c.settings {
		path, value, ok := strings.Cut(s, "=")
		if !ok {
			return opts, usageError{fmt.Errorf("--set %s: write key=value", path)}
		}
		opts.Flags = append(opts.Flags, strictyaml.Setting{Path: path, Value: value, Source: "--set " + path})
	}
	if c.logLevel != "" {
		opts.Flags = append(opts.Flags, strictyaml.Setting{Path: "log.level", Value: c.logLevel, Source: "--log-level"})
	}
	opts.Flags = append(opts.Flags, own...)
	return opts, nil
}

// configFile is the file to read: --config, else CONFAB_CONFIG, else confab.yaml if it exists, else "".
func (c *cli) configFile() string {
	if c.file != "" {
		return c.file
	}
	for _, entry := range c.env {
		if file, ok := strings.CutPrefix(entry, "CONFAB_CONFIG="); ok && file != "" {
			return file
		}
	}
	if _, err := os.Stat(defaultFile); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return defaultFile
}

// logger writes to standard error as configured.
func (c *cli) logger(cfg *config.Config) *slog.Logger {
	log, _ := logging.New(cfg.Log.Level, cfg.Log.Format, c.err, console.IsTerminal(c.err))
	return log
}
