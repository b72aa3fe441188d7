package main

import (
	"github.com/spf13/cobra"

	"confab/internal/strictyaml"
	"confab/internal/worker"
)

// newListener is the command of a role, whose name it has, with the address to listen on.
func newListener(c *cli, role string) *cobra.Command {
	var listen string
	cmd := newCommand(role, cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		own := []strictyaml.Setting{{Path: "roles", Value: role, Source: "confab " + role}}
		if listen != "" {
			own = append(own, strictyaml.Setting{Path: role + ".listen", Value: listen, Source: "--listen"})
		}
		return c.runWorker(cmd.Context(), worker.Options{}, own)
	})
	cmd.Flags().StringVar(&listen, "listen", "", "`address` to listen on, instead of "+role+".listen")
	return cmd
}
