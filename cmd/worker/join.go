package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/cli/join"
	"confab/internal/cli/labelled"
	"confab/internal/worker/config"
)

const joinLong = `Writes labelled rows for evaluate and calibrate: the interactions of a file, each with the label that a file of scores
gives it. --input reads the interactions as records of an input topic, by its map, --preset as a known shape.

Scores are CSV, JSON Lines, a JSON list, or an object with the list in data: reviewed answers of confab review, scores of
Langfuse, span annotations of Phoenix. They find their interaction by interaction_id, span_id, observationId or traceId.
--faulty-when says which values mean a faulty answer; the verdicts confirmed and false_positive need none. A person's score
counts more than others. Scores that contradict each other give no label. Answers with equal sources form a group.

Everything that is left out is counted; what is faulty is reported with its line, and the exit code is then 1. If no score
matches, nothing is written.`

func newJoin(c *cli) *cobra.Command {
	var o join.Options
	var faulty string
	var shape lineShape
	cmd := &cobra.Command{
		Use:   "join INTERACTIONS --scores FILE --out labels.jsonl",
		Short: "Makes labelled rows of interactions and scores",
		Long:  joinLong,
		Example: `  confab join traces.jsonl --input traces --scores scores.json --score-name hallucination --faulty-when '>=0.5' --out labels.jsonl
  confab join spans.jsonl --scores annotations.csv --faulty-when =hallucinated --out labels.jsonl
  confab join interactions.jsonl --scores reviewed.csv --out labels.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.Scores == "":
				return usageError{errors.New("--scores is missing: name the file of scores or verdicts")}
			case o.Out == "":
				return usageError{errors.New("--out is missing: name the file of labelled rows to write")}
			}
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			if faulty != "" {
				if o.Faulty, err = join.ParseCondition(faulty); err != nil {
					return usageError{fmt.Errorf("--faulty-when %w", err)}
				}
			}
			if o.Interactions, err = interactionFile(cfg, args[0], &shape); err != nil {
				return err
			}
			return inputAsUsage(join.Run(cmd.Context(), c.out, c.err, o))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Scores, "scores", "", "scores: a `file` that ends in .csv, .jsonl or .json")
	flags.StringVar(&o.ScoreName, "score-name", "", "take the scores of this `name` only")
	flags.StringVar(&faulty, "faulty-when", "", "`values` that mean a faulty answer: '<0.5', '>=1', '=hallucinated,wrong' or '!=correct'")
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
