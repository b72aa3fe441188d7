package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/app"
)

func newVersion(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Prints the version",
		Example: `  confab version
  confab version --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := app.Build()
			if asJSON {
				return json.NewEncoder(c.out).Encode(b)
			}
			_, err := fmt.Fprintf(c.out, "confab %s (%s, %s)\n", b.Version, b.Go, b.Platform)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
