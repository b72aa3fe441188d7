package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"confab/internal/worker/config"
)

// helpText has the texts of all commands: "=== path", the line of use, what the command does, the description, then examples
// below "---".
//
//go:embed help.txt
var helpText string

// newCommand makes the command at the path below confab, with its texts.
func newCommand(path string, args cobra.PositionalArgs, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	_, text, _ := strings.Cut(helpText, "=== "+path+"\n")
	text, _, _ = strings.Cut(text, "\n=== ")
	text, examples, _ := strings.Cut(text, "---\n")
	use, text, _ := strings.Cut(text, "\n")
	short, long, _ := strings.Cut(text, "\n")
	return &cobra.Command{
		Use: use, Short: short, Long: strings.TrimSpace(long), Example: strings.TrimRight(examples, "\n"), Args: takes(args), RunE: run,
	}
}

// takes says in our words which arguments a command takes.
func takes(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error {
		if args == nil || args(cmd, given) == nil {
			return nil
		}
		return fmt.Errorf("wrong number of arguments (%d): usage: %s; quote a name with spaces, run it once for each file, or on all in one: cat DIR/* > all.json; see %s --help", len(given), cmd.UseLine(), cmd.CommandPath())
	}
}

// newConfigured makes a command that needs the configuration.
func (c *cli) newConfigured(path string, args cobra.PositionalArgs, run func(cmd *cobra.Command, cfg *config.Config, args []string) error) *cobra.Command {
	return newCommand(path, args, func(cmd *cobra.Command, args []string) error {
		cfg, err := c.loadConfig()
		if err != nil {
			return err
		}
		return run(cmd, cfg, args)
	})
}
