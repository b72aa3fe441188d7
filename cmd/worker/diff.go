package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab/internal/cli/diff"
	"confab/internal/console"
)

func newDiff(c *cli) *cobra.Command {
	var worst int
	var failOn []string
	var asJSON bool
	kinds := append([]string{"any"}, diff.Aspects()...)
	cmd := newCommand("diff", cobra.ExactArgs(2), func(cmd *cobra.Command, args []string) error {
		switch unknown := slices.IndexFunc(failOn, func(k string) bool { return !slices.Contains(kinds, k) }); {
		case unknown >= 0:
			return usageError{fmt.Errorf("--fail-on %s: expected a comma-separated list of %s", failOn[unknown], strings.Join(kinds, ", "))}
		case args[0] == "-" && args[1] == "-":
			return usageError{errors.New("only one side can be standard input: name a file for the other")}
		case worst < 0:
			return usageError{fmt.Errorf("--rows %d: expected 0 or more", worst)}
		}
		report, err := c.compareFlags(cmd, args, worst)
		if err != nil {
			return err
		}
		if asJSON {
			err = console.PrintJSON(c.out, report)
		} else {
			err = report.WriteText(c.out)
		}
		found := slices.DeleteFunc(failOn, func(k string) bool { return !report.Holds(k) })
		if err == nil && len(found) > 0 {
			fmt.Fprintf(c.err, "--fail-on: found changes: %s\n", strings.Join(found, ", "))
			err = errPolicy
		}
		return err
	})
	flags := cmd.Flags()
	flags.IntVar(&worst, "rows", 20, "worst rows to show")
	flags.StringSliceVar(&failOn, "fail-on", nil, "exit 3 on a change: a comma-separated `list` of "+strings.Join(kinds, ", "))
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// compareFlags opens both sides and compares them, with a progress.
func (c *cli) compareFlags(cmd *cobra.Command, args []string, worst int) (*diff.Report, error) {
	var sides [2]diff.Source
	progress := console.NewProgress(c.err, "flags", 0)
	defer progress.Stop()
	for i, name := range args {
		in, _, err := c.openInput(args[i : i+1])
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if name == "-" {
			name = "standard input"
		}
		sides[i] = diff.Source{Name: name, Reader: in}
	}
	return diff.Compare(cmd.Context(), sides[0], sides[1], worst, progress.Count)
}
