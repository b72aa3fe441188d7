package main

import (
	"github.com/spf13/cobra"

	"confab/internal/strictyaml"
	"confab/internal/worker"
	"confab/internal/worker/config"
)

func newServe(c *cli) *cobra.Command {
	var listen string
	cmd := newCommand("serve", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		own := []strictyaml.Setting{{Path: "roles", Value: string(config.RoleServe), Source: "confab serve"}}
		if listen != "" {
			own = append(own, strictyaml.Setting{Path: "serve.listen", Value: listen, Source: "--listen"})
		}
		return c.runWorker(cmd.Context(), worker.Options{}, own)
	})
	cmd.Flags().StringVar(&listen, "listen", "", "`address` to listen on, instead of serve.listen")
	return cmd
}

func newUI(c *cli) *cobra.Command {
	return newCommand("ui", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		return c.runWorker(cmd.Context(), worker.Options{}, []strictyaml.Setting{{Path: "roles", Value: string(config.RoleUI), Source: "confab ui"}})
	})
}
