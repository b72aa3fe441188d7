package main

import (
	"github.com/spf13/cobra"

	"confab/internal/strictyaml"
	"confab/internal/worker"
	"confab/internal/worker/config"
)

func newServe(c *cli) *cobra.Command {
	return newListener(c, config.RoleServe)
}

func newUI(c *cli) *cobra.Command {
	return newListener(c, config.RoleUI)
}

// newListener is the command of a role, whose name it has, with the address to listen on.
func newListener(c *cli, role config.Role) *cobra.Command {
	var listen string
	name := string(role)
	cmd := newCommand(name, cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		own := []strictyaml.Setting{{Path: "roles", Value: name, Source: "confab " + name}}
		if listen != "" {
			own = append(own, strictyaml.Setting{Path: name + ".listen", Value: listen, Source: "--listen"})
		}
		return c.runWorker(cmd.Context(), worker.Options{}, own)
	})
	cmd.Flags().StringVar(&listen, "listen", "", "`address` to listen on, instead of "+name+".listen")
	return cmd
}
