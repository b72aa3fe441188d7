package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"confab"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

func newConfig(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "config",
		Short: "Checks, prints and explains the configuration",
		Example: `  confab config example > confab.yaml
  confab config validate --config confab.yaml
  confab config print --set log.level=debug
  confab config schema > confab.schema.json`,
	})
	cmd.AddCommand(newConfigValidate(c), newConfigPrint(c), newConfigText(c, "schema", "Prints the JSON Schema of the configuration file, for editors and charts", config.JSONSchema()),
		newConfigExample(c))
	return cmd
}

func newConfigValidate(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Reports all problems of the configuration with their places",
		Long: `Reads the configuration as the worker would, environment, secret files, calibration and schemas included, and
reports all problems at once. Nothing is contacted. Exits 0 when there are none and 2 otherwise.`,
		Example: `  confab config validate
  KAFKA_PASSWORD=x confab config validate --config confab.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			evaluator, err := evaluation.NewFast(cfg, nil, nil)
			if err != nil {
				return usageError{err}
			}
			for _, w := range slices.Concat(cfg.Warnings(), evaluator.UnreachableRules()) {
				fmt.Fprintf(c.err, "warning: %s\n", w)
			}
			_, err = fmt.Fprintf(c.out, "%s: ok, roles %v\n", cmp.Or(c.configFile(), "defaults and environment"), cfg.ActiveRoles())
			return err
		},
	}
}

func newConfigPrint(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "print",
		Short: "Prints the effective configuration, secrets masked",
		Long: "Prints the configuration that results from flags, environment, file and defaults, as YAML. Secrets are masked. Comments\n" +
			"at the end say which alert rule is in force, with the minimum risk of the calibration.",
		Example: "  confab config print --config confab.yaml",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			text, err := cfg.YAML()
			if err == nil {
				_, err = c.out.Write(append(text, alertRuleComment(cfg)...))
			}
			return err
		},
	}
}

// alertRuleComment describes the alert rule in force, which depends on the calibration, as comments.
func alertRuleComment(cfg *config.Config) (text []byte) {
	cal, err := evaluation.LoadCalibration(cfg)
	if err != nil {
		return fmt.Appendf(text, "# The alert rule in force is not known: %v\n", err)
	}
	policy := cfg.PolicyOptions()
	for _, line := range confab.DescribeAlertRules(&policy, cal) {
		text = fmt.Appendf(text, "# In force, %s.\n", line)
	}
	return text
}

func newConfigText(c *cli, name, short string, text []byte) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "  confab config " + name,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := c.out.Write(text)
			return err
		},
	}
}

func newConfigExample(c *cli) *cobra.Command {
	var minimal bool
	cmd := &cobra.Command{
		Use:   "example",
		Short: "Prints a commented file to start from",
		Long: `Prints a commented configuration file with the settings that most installations need. --minimal prints the smallest
useful file. Both load as they are.`,
		Example: `  confab config example > confab.yaml
  confab config example --minimal > confab.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := config.Example()
			if minimal {
				text = config.MinimalExample()
			}
			_, err := c.out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&minimal, "minimal", false, "the smallest useful file: one broker, alerts on standard output")
	return cmd
}
