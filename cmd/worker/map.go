package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/cli/maptest"
	"confab/internal/worker/records"
)

// errMapTests says that a map does not read its samples as expected.
var errMapTests = errors.New("some records are not read as expected")

func newMap(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "map FILE...",
		Short: "Tests the maps of the inputs on sample records",
		Long: `Reads tests as JSON Lines: a record of an input topic and the fields that its map should find. Differences go to
standard output, and the exit code is 1. A file that is missing, empty or not understood exits with 2. Nothing is contacted.

  {"name": "a refusal", "input": "chat.log", "record": {"error": {}}, "expect": {"refused": "unmapped"}}
  {"input": "chat.log", "record": {"text": "Yes."}, "expect": {"answer": "Yes.", "sources": null}}
  {"input": "chat.log", "record": {"type": "span"}, "expect": {"skipped": true}}

Fields that expect does not name may have any value; null expects none. "malformed" lists the optional fields that are lost.`,
		Example: "  confab map --config examples/existing-topics/openai.yaml examples/existing-topics/openai.test.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
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
		},
	}
}
