package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"confab"
	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/internal/cli/evaluate"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/worker/evaluation"
)

func newEvaluate(c *cli) *cobra.Command {
	var f evaluate.Flags
	var file string
	cmd := newCommand("evaluate", nil, func(cmd *cobra.Command, args []string) error {
		f.Labels = append(f.Labels, args...) // further files of a pattern that the shell expanded
		return c.evaluate(cmd, &f, file)
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Labels, "labels", nil, "labelled rows: a `file`; further files may follow")
	flags.StringVar(&f.By, "by", string(quality.ByTask), "slice each data set by `key`: task, operation, tenant or dataset (not at all)")
	flags.BoolVar(&f.Markdown, "markdown", false, "print tables in Markdown")
	flags.StringVar(&f.JSON, "json", "", "write the report as JSON to a `file`")
	flags.StringVar(&f.Rows, "rows", "", "write one line for each row, what each detector said included, to a `file`: .csv or .jsonl")
	flags.StringVar(&file, "calibration", "", "calibration `file` instead of the configured one")
	flags.StringArrayVar(&f.Where, "where", nil, "keep rows by `KEY=PATTERN` or KEY!=PATTERN: id, dataset, task, group, tenant, operation, model")
	flags.StringArrayVar(&f.Mixes, "mix", nil, "re-weight a data set: `DATASET:TASK=FAULTY/ALL,…`")
	flags.IntVar(&f.Resamples, "resamples", 1000, "resamples of the bootstrap; 0 gives no intervals")
	return cmd
}

func (c *cli) evaluate(cmd *cobra.Command, f *evaluate.Flags, file string) error {
	o, conditions, err := f.Options()
	if err != nil {
		return usageError{err}
	}
	cfg, err := c.loadConfig(calibrationSetting(file)...)
	if err != nil {
		return err
	}
	if o.Quality.Calibration, err = evaluation.LoadCalibration(cfg); err != nil {
		return err
	}
	if o.Suite, err = evaluation.NewSuite(cfg, o.Quality.Calibration, c.logger(cfg)); err != nil {
		return err
	}
	o.Workers = runtime.GOMAXPROCS(0)
	o.Quality.FlagAbove = cfg.FlagAbove
	labels, err := labelled.OpenLabels(f.Labels...)
	if err != nil {
		return usageError{err}
	}
	defer labels.Close()
	o.Labels = measure.Where(labels, conditions...)
	o.Rows.Stamp = confab.NewPolicy(cfg.PolicyOptions(), o.Quality.Calibration).Stamp
	o.Stage = func(unit string) (func(int), func()) { return console.NewStage(c.err, unit) }
	return evaluate.Run(cmd.Context(), c.out, c.err, o)
}
