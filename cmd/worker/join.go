package main

import (
	"errors"

	"github.com/spf13/cobra"

	"confab/internal/cli/join"
	"confab/internal/cli/labelled"
	"confab/internal/worker/config"
)

func newJoin(c *cli) *cobra.Command {
	var o join.Options
	var shape lineShape
	cmd := c.newConfigured("join", cobra.ExactArgs(1), func(cmd *cobra.Command, cfg *config.Config, args []string) (err error) {
		switch {
		case o.Scores == "":
			return usageError{errors.New("--scores is missing: name the file of verdicts")}
		case o.Out == "":
			return usageError{errors.New("--out is missing: name the file of labelled rows to write")}
		}
		if o.Interactions, err = interactionFile(cfg, args[0], &shape); err != nil {
			return err
		}
		return join.Run(cmd.Context(), c.out, c.err, o)
	})
	flags := cmd.Flags()
	flags.StringVar(&o.Scores, "scores", "", "verdicts: a `file` that ends in .csv, .jsonl or .json")
	shape.bind(cmd)
	flags.StringVar(&o.Out, "out", "", "labelled rows to write, a `file`")
	return cmd
}

// interactionFile is a file whose lines are records of an input topic; interactions and labelled rows without one.
func interactionFile(cfg *config.Config, path string, shape *lineShape) (labelled.InteractionFile, error) {
	admitted, decode, err := shape.open(cfg)
	if err != nil {
		return labelled.InteractionFile{}, err
	}
	return labelled.InteractionFile{Path: path, Decode: decode, Admit: admitted.Admit}, nil
}
