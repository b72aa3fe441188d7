package main

import (
	"github.com/spf13/cobra"

	"confab/internal/cli/demo"
)

func newDemo(c *cli) *cobra.Command {
	var o demo.Options
	cmd := newCommand("demo", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		o.Out, o.Color = c.out, c.useColor(c.out)
		_, err := demo.Run(cmd.Context(), o)
		return err
	})
	cmd.Flags().IntVar(&o.Events, "events", 0, "stop after so many interactions (with --once; 0: the samples once)")
	cmd.Flags().BoolVar(&o.Once, "once", false, "run the samples once and exit")
	cmd.Flags().BoolVar(&o.Page, "ui", false, "serve the page of incidents, too")
	cmd.MarkFlagsMutuallyExclusive("once", "ui")
	return cmd
}
