package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"confab"
	"confab/calibration/quality"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/jsonschema"
	"confab/detectors/standard"
	"confab/internal/cli/evaluate"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/strictyaml"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/evaluation"
	"confab/schemas"
)

func newEvaluate(c *cli) *cobra.Command {
	var f evaluate.Flags
	cmd := newCommand("evaluate", nil, func(cmd *cobra.Command, args []string) error {
		f.Labels = append(f.Labels, args...) // further files of a pattern that the shell expanded
		return c.evaluate(cmd, &f)
	})
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Labels, "labels", nil, "labelled rows: a `file`; further files may follow")
	flags.StringVar(&f.By, "by", string(quality.ByTask), "slice each data set by `key`: task, dataset (not at all), model, service, operation, tenant, provider or attributes.NAME")
	flags.StringVar(&f.JSON, "json", "", "write the report as JSON to a `file`")
	flags.StringVar(&f.Rows, "rows", "", "write one line for each row, what each detector said included, to a CSV `file`")
	flags.StringVar(&f.Features, "features", "", "write what the claim model reads of each claim to a JSON Lines `file`, and measure nothing")
	flags.StringSliceVar(&f.Without, "without", nil, "leave out these `parts` of the judgement, comma separated, to see what they add")
	flags.BoolVar(&f.Deep, "deep", false, "ask the language models that are configured under llm, too, and show how the judge agrees with the labels")
	flags.StringVar(&f.Calibration, "calibration", "", "calibration `file` instead of the configured one")
	flags.StringVar(&f.FormatAssertion, "format-assertion", "", "`on|off`: whether detector schema asserts the keyword format (default: as configured)")
	flags.IntVar(&f.Resamples, "resamples", 1000, "resamples of the bootstrap; 0 gives no intervals")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the bootstrap")
	return cmd
}

func (c *cli) evaluate(cmd *cobra.Command, f *evaluate.Flags) error {
	o, err := f.Options()
	if err != nil {
		return usageError{err}
	}
	settings := append(calibrationSetting(f.Calibration), assertionSetting(f.FormatAssertion)...)
	cfg, err := c.loadConfig(settings...)
	if err != nil {
		return err
	}
	if o.Quality.Calibration, err = evaluation.LoadCalibration(cfg); err != nil {
		return err
	}
	deps := standard.Dependencies{Without: f.Without}
	if deps.Live, err = labelled.LearnBaselines(cmd.Context(), f.Labels...); err != nil {
		return usageError{err}
	}
	if o.Suite, err = evaluation.NewSuite(cfg, o.Quality.Calibration, c.logger(cfg), deps); err != nil {
		return err
	}
	o.Workers = runtime.GOMAXPROCS(0)
	if f.Deep {
		end, err := c.askModels(cfg, &o, deps.Live)
		if err != nil {
			return usageError{fmt.Errorf("--deep: %w", err)}
		}
		defer end()
	}
	o.Quality.FlagAbove = cfg.FlagAbove
	labels, err := labelled.OpenLabels(f.Labels...)
	if err != nil {
		return usageError{err}
	}
	defer labels.Close()
	if f.Features != "" {
		count, end := console.NewStage(c.err, "rows")
		defer end()
		return evaluate.WriteFeatures(cmd.Context(), c.err, evaluate.FeatureOptions{File: f.Features, Labels: labels, Limits: cfg.Limits.Measured(), Count: count})
	}
	o.Labels = labels
	o.Rows.Stamp = confab.NewPolicy(cfg.PolicyOptions(), o.Quality.Calibration).Stamp
	o.Stage = func(unit string) (func(int), func()) { return console.NewStage(c.err, unit) }
	return evaluate.Run(cmd.Context(), c.out, c.err, o)
}

// askModels makes the evaluation ask the configured language models.
func (c *cli) askModels(cfg *config.Config, o *evaluate.Options, baselines *confidence.Live) (end func(), err error) {
	e, end, err := deep.NewEvaluator(cfg, deep.EvaluatorOptions{Logger: c.logger(cfg), Now: time.Now, Baselines: baselines})
	if err != nil {
		return nil, err
	}
	o.Workers, o.Judge = cfg.LLM.Workers(), deep.Asked(&cfg.LLM.Judge)
	o.Deep = func(ctx context.Context, in *schemas.Interaction) *detectors.Evaluation {
		return e.Measure(ctx, in, time.Now())
	}
	return end, nil
}

// assertionSetting is the setting that --format-assertion makes.
func assertionSetting(flag string) []strictyaml.Setting {
	value := map[string]string{"on": jsonschema.FormatAssert, "off": jsonschema.FormatAnnotate}[flag]
	if value == "" {
		return nil
	}
	return []strictyaml.Setting{{Path: "detectors.schema.format", Value: value, Source: "--format-assertion"}}
}
