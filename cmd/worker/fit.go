package main

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"confab/calibration/thresholds"
	"confab/internal/cli/calibrate"
	"confab/internal/console"
	"confab/internal/worker/buildinfo"
)

const fitLong = `Learns the weights of grounding and of the fusion from labelled interactions and writes a model file. Set model_file of
the configuration to use it instead of the embedded one. The command cross-validates by group and prints how well held-out
answers are ranked, before and after. The same rows and seed give the same weights.

Names of models, operations, tenants and tasks are not read. Calibrate again after a fit: thresholds depend on scores.`

// fitFolds is the default number of parts of the cross-validation.
const fitFolds = 5

func newFit(c *cli) *cobra.Command {
	var o calibrate.FitOptions
	var at string
	cmd := &cobra.Command{
		Use:   "fit --labels FILE... --out model.json",
		Short: "Learns a model of grounding and fusion from labelled interactions",
		Long:  fitLong,
		Example: `  confab fit --labels labels.jsonl --out model.json
  confab fit --labels a.jsonl.gz,b.jsonl.gz --folds 10 --seed 7 --out model.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case len(o.Files) == 0:
				return usageError{errors.New("--labels is missing: name the files that hold labelled interactions")}
			case o.Out == "":
				return usageError{errors.New("--out is missing: name the model file to write")}
			}
			now, err := parseClock(at)
			if err != nil {
				return err
			}
			progress := console.NewProgress(c.err, "steps", 0)
			o.Now, o.Version, o.Workers = now(), buildinfo.Version(), runtime.GOMAXPROCS(0)
			o.Progress, o.Done = func(done, _ int) { progress.Count(done) }, progress.Stop
			err = calibrate.Fit(cmd.Context(), c.out, c.err, o)
			if errors.Is(err, thresholds.ErrLabels) || errors.Is(err, calibrate.ErrFaultyLabels) {
				return usageError{err}
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&o.Files, "labels", nil, "labelled interactions, JSON Lines, plain or gzip; several `files` with commas or flags")
	flags.StringVar(&o.Out, "out", "", "model `file` to write")
	flags.IntVar(&o.Folds, "folds", fitFolds, "parts of the cross-validation")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of the folds, the generated rows and the training")
	flags.BoolVar(&o.Lenient, "skip-faulty", false, "leave faulty rows out instead of refusing them all")
	flags.StringVar(&at, "now", "", "`time` that dates the model (RFC 3339), for output that can be compared")
	return cmd
}
