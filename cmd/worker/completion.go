package main

import (
	"strings"

	"github.com/spf13/cobra"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/cli/check"
	"confab/internal/names"
	"confab/internal/worker/config"
	"confab/schemas"
)

// flagValues returns the values of flags for completion, by the flag's name or, where commands differ, "command flag".
func flagValues(c *cli) map[string]func() []string {
	fixed := func(values ...string) func() []string { return func() []string { return values } }
	return map[string]func() []string{
		"color":            fixed(colorModes()...),
		"log-level":        fixed("debug", "info", "warn", "error"),
		"roles":            fixed(string(config.RoleDetect), string(config.RoleSample), string(config.RoleAlert), string(config.RoleExport), string(config.RoleServe), string(config.RoleUI)),
		"only":             fixed(string(check.SelectAll), string(check.SelectFlagged), string(check.SelectAlerts)),
		"emit":             fixed("flagged", "all"),
		"verdict":          fixed(textsOf(schemas.HumanVerdicts())...),
		"ecosystem":        fixed(textsOf(names.Ecosystems())...),
		"detector":         func() []string { return detectors.Names(allDetectors()) },
		"input":            c.inputTopics,
		"topic":            c.inputTopics,
		"preset":           presetNames,
		"set":              configKeys,
		"by":               fixed("task", "operation", "tenant", "dataset"),
		"fail-on":          fixed("any", "alerts", "outcomes", "scores", "risk", "spans", "missing"),
		"format-assertion": fixed("on", "off"),
		"format":           fixed(config.FormatJSON, config.FormatAvro),
	}
}

// completeFlags registers the completion of flag values for cmd and the commands below it.
func completeFlags(c *cli, cmd *cobra.Command) {
	for name, values := range flagValues(c) {
		if cmd.LocalFlags().Lookup(name) == nil {
			continue
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if name == "set" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		// It fails only for an unknown flag or a second registration.
		_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), directive
		})
	}
	for _, sub := range cmd.Commands() {
		completeFlags(c, sub)
	}
}

func allDetectors() []detectors.Entry {
	return append(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})...)
}

// inputTopics returns the topics of the configured inputs; none if the configuration cannot be loaded.
func (c *cli) inputTopics() []string {
	cfg, err := c.loadConfig()
	if err != nil {
		return nil
	}
	topics := make([]string, len(cfg.Kafka.Inputs))
	for i := range cfg.Kafka.Inputs {
		topics[i] = cfg.Kafka.Inputs[i].Topic
	}
	return topics
}

// configKeys returns the keys of the configuration that --set can set, each with an equals sign.
func configKeys() []string {
	var keys []string
	for _, e := range config.Reference(config.Default()) {
		if !strings.ContainsAny(e.Path, "<[") {
			keys = append(keys, e.Path+"=")
		}
	}
	return keys
}

func textsOf[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}
