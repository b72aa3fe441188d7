package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/cli/review"
	"confab/internal/console"
	"confab/internal/worker/evaluation"
)

const reviewLong = `Evaluates the interactions of a file and draws some for people to label: --random of all answers and --grey of those in
the grey zone, where the risk is within 0.2 of one half, or where one score within 0.05 of its threshold decides whether
two detectors fire. The same file, options and seed draw the same answers.

The table has a column probability: that an answer like this is drawn. Fill in verdict: confirmed where the answer is
wrong, false_positive where it is fine. Then "confab join" makes labelled rows, each of which counts for 1/probability
answers, so that figures are those of the whole file. "confab label --from" writes the verdicts of flagged answers to
llm.feedback. The table holds texts of the answers, not redacted.`

func newReview(c *cli) *cobra.Command {
	var o review.Options
	var calibration, at string
	var shape lineShape
	cmd := &cobra.Command{
		Use:   "review INTERACTIONS --out review.csv",
		Short: "Draws answers for people to label",
		Long:  reviewLong,
		Example: `  confab review interactions.jsonl --out review.csv
  confab review traces.jsonl --input traces --random 50 --grey 50 --seed 7 --out review.csv
  confab join interactions.jsonl --scores review.csv --out labels.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.Out == "":
				return usageError{errors.New("--out is missing: name the table to write, such as review.csv")}
			case o.Random < 0 || o.Grey < 0 || o.Random+o.Grey == 0:
				return usageError{fmt.Errorf("--random %d and --grey %d: draw at least one answer", o.Random, o.Grey)}
			}
			cfg, err := c.loadConfig(calibrationSetting(calibration)...)
			if err != nil {
				return err
			}
			if o.Now, err = parseClock(at); err != nil {
				return err
			}
			if o.Interactions, err = interactionFile(cfg, args[0], &shape); err != nil {
				return err
			}
			evaluator, err := evaluation.NewFast(cfg, nil, c.logger(cfg))
			if err != nil {
				return err
			}
			progress := console.NewProgress(c.err, "answers", 0)
			o.Evaluate, o.Progress = evaluator.Evaluate, progress.Count
			err = review.Run(cmd.Context(), c.out, c.err, o)
			progress.Stop()
			return inputAsUsage(err)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Random, "random", 10, "answers to draw at random")
	flags.IntVar(&o.Grey, "grey", 10, "answers to draw from the grey zone")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the draw")
	shape.bind(cmd)
	flags.StringVar(&calibration, "calibration", "", "calibration `file` instead of the configured one")
	flags.StringVar(&at, "now", "", "`time` of the evaluation (RFC 3339), for output that can be compared")
	flags.StringVar(&o.Out, "out", "", "table to write, a CSV `file`")
	return cmd
}
