package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/cli/maptest"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
)

// errMapTests says that a map does not read its samples as expected.
var errMapTests = errors.New("some records are not read as expected")

func newMap(c *cli) *cobra.Command {
	return c.newConfigured("map", cobra.MinimumNArgs(1), func(_ *cobra.Command, cfg *config.Config, args []string) error {
		open := func(topic string) (maptest.Decoder, error) { return records.NewFileInput(cfg, topic) }
		all, err := maptest.RunFiles(args, c.out, open)
		if err != nil {
			return usageError{err}
		}
		if all.Failed > 0 {
			return fmt.Errorf("%w: %d of %d", errMapTests, all.Failed, all.Tests)
		}
		_, err = fmt.Fprintf(c.out, "%d records are read as expected\n", all.Tests)
		return err
	})
}
