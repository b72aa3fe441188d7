package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/worker/buildinfo"
)

func newVersion(c *cli) *cobra.Command {
	var asJSON bool
	cmd := newCommand("version", cobra.NoArgs, func(*cobra.Command, []string) error {
		if asJSON {
			return json.NewEncoder(c.out).Encode(buildinfo.Read())
		}
		_, err := fmt.Fprintln(c.out, versionLine())
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func versionLine() string {
	b := buildinfo.Read()
	return fmt.Sprintf("confab %s (%s, %s)", b.Version, b.Go, b.Platform)
}
