package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

func newConfig(c *cli) *cobra.Command {
	cmd := commandGroup(newCommand("config", nil, nil))
	cmd.AddCommand(newConfigValidate(c), newConfigPrint(c), newConfigExample(c), newCommand("config schema", cobra.NoArgs, func(*cobra.Command, []string) error {
		_, err := c.out.Write(config.JSONSchema())
		return err
	}))
	return cmd
}

func newConfigValidate(c *cli) *cobra.Command {
	return c.newConfigured("config validate", cobra.NoArgs, func(_ *cobra.Command, cfg *config.Config, _ []string) error {
		evaluator, err := evaluation.NewFast(cfg, nil, nil)
		if err != nil {
			return usageError{err}
		}
		for _, w := range slices.Concat(cfg.Warnings(), evaluator.UnreachableRules()) {
			fmt.Fprintf(c.err, "warning: %s\n", w)
		}
		_, err = fmt.Fprintf(c.out, "%s: ok, roles %v\n", cmp.Or(c.configFile(), "defaults and environment"), cfg.ActiveRoles())
		return err
	})
}

func newConfigPrint(c *cli) *cobra.Command {
	return c.newConfigured("config print", cobra.NoArgs, func(_ *cobra.Command, cfg *config.Config, _ []string) error {
		text, err := cfg.YAML()
		if err == nil {
			_, err = c.out.Write(append(text, alertRuleComment(cfg)...))
		}
		return err
	})
}

// alertRuleComment describes the alert rule and the thresholds in force, which depend on the calibration, as comments.
func alertRuleComment(cfg *config.Config) (text []byte) {
	cal, err := evaluation.LoadCalibration(cfg)
	if err != nil {
		return fmt.Appendf(text, "# The alert rule in force is not known: %v\n", err)
	}
	policy := cfg.PolicyOptions()
	for _, line := range confab.DescribeAlertRules(&policy, cal) {
		text = fmt.Appendf(text, "# In force, %s.\n", line)
	}
	set := cfg.Thresholds()
	var at []string
	for _, name := range evaluation.RunningDetectors(cfg).Standard {
		limit, armed := cal.Threshold(name, "", "", "")
		switch _, own := set[name]; {
		case own:
			at = append(at, fmt.Sprintf("%s %g (set)", name, limit))
		case armed:
			at = append(at, fmt.Sprintf("%s %g", name, limit))
		}
	}
	return fmt.Appendf(text, "# In force, thresholds of the calibration %s: %s.\n", cal.ID(), strings.Join(at, ", "))
}

func newConfigExample(c *cli) *cobra.Command {
	var minimal bool
	cmd := newCommand("config example", cobra.NoArgs, func(*cobra.Command, []string) error {
		text := config.Example()
		if minimal {
			text = config.MinimalExample()
		}
		_, err := c.out.Write(text)
		return err
	})
	cmd.Flags().BoolVar(&minimal, "minimal", false, "the smallest useful file: one broker, alerts on standard output")
	return cmd
}
