package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/cmd/worker/internal/buildinfo"
	"confab/cmd/worker/internal/calibrate"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/evaluation"
	"confab/detectors"
)

const calibrateLong = `Reads labelled interactions, measures them with the configured detectors and writes a calibration file: a threshold
for every detector, and for each tenant and operation with labels enough of its own; baselines of token uncertainty; the
map from fusion to risk; and what "two or more detectors fired" will do. A detector that cannot meet the target is not
armed, and the reason is told. The file and the page are written in one step, once everything is known.

Labelled sets are rich in bad answers. --base-rate states the share of bad answers in your traffic: precision is then that
of your traffic. --against holds the result against the file in force and says what would change.

--feedback reads what people said of incidents instead, or besides: labels of llm.feedback, joined with their flags and, while
the topic retains them, with the interactions, which are measured again. Every label is weighed by how likely an answer like
it was to be flagged, sampled and labelled. What the labels say too little of stays as in the calibration in force, and
labels of alerts alone lower no threshold; what they cannot tell is said.`

// calibrateFlags are what the command line says.
type calibrateFlags struct {
	choosing    chooseFlags
	feedback    feedbackFlags
	against, at string
	fit         calibrate.FitOptions
	calibrate.Options
}

func newCalibrate(c *cli) *cobra.Command {
	f := &calibrateFlags{}
	cmd := &cobra.Command{
		Use:   "calibrate --labels FILE…|--feedback --out calibration.yaml",
		Short: "Fits thresholds, baselines and risk on labelled interactions",
		Long:  calibrateLong,
		Example: `  confab calibrate --labels labels.jsonl --out calibration.yaml
  confab calibrate --labels sets/*.jsonl.gz --base-rate 0.1 --target-precision 0.8 --out calibration.yaml --report calibration.html
  confab calibrate --labels labels.jsonl --out new.yaml --against calibration.yaml --traffic 50000
  confab calibrate --feedback --feedback-since 14d --target-precision 0.8 --out calibration.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Files = append(f.Files, args...) // what the shell makes of a pattern behind --labels
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			if err := f.finish(cfg); err != nil {
				return usageError{err}
			}
			var done func()
			if f.Feedback, done, err = f.feedback.options(c, cfg, f.Choose.Now); err != nil {
				return err
			}
			defer done()
			log := c.logger(cfg)
			f.Suite = func(cal *calibration.Calibration) (*detectors.Suite, error) {
				return evaluation.NewSuite(cfg, cal, nil, log)
			}
			bar := c.progress("rows", 0)
			defer bar.Stop()
			f.Progress, f.Done = bar.Count, bar.Stop
			f.fit.Progress, f.fit.Done = func(done, _ int) { bar.Count(done) }, bar.Stop
			err = calibrate.Run(cmd.Context(), c.out, c.err, f.Options)
			if errors.Is(err, thresholds.ErrLabels) || errors.Is(err, calibrate.ErrFaultyLabels) {
				return usageError{err}
			}
			return err
		},
	}
	f.bind(cmd)
	return cmd
}

func (f *calibrateFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Files, "labels", nil, "labelled rows: a `file`; further files may follow")
	flags.StringVar(&f.Out, "out", "", "calibration `file` to write")
	flags.StringVar(&f.Report, "report", "", "page of HTML to write, a `file`")
	f.feedback.bind(cmd)
	f.choosing.bind(cmd)
	flags.StringVar(&f.against, "against", "", "calibration `file` in force, or shipped for the embedded one: what would change")
	flags.Float64Var(&f.Traffic, "traffic", 10000, "answers a day, for what would change")
	flags.BoolVar(&f.Lenient, "skip-faulty", false, "leave faulty rows out instead of refusing them all")
	flags.Uint64Var(&f.fit.Seed, "seed", 0, "of the cross-validation's folds, and of --fit")
	flags.StringVar(&f.fit.Out, "fit", "", "model `file` to fit and write first, as confab fit does: thresholds are chosen on rows that it did not learn from")
	flags.StringSliceVar(&f.fit.Sets, "fit-sets", nil, "data sets that the grounding of --fit learns from; all without it")
	flags.StringVar(&f.at, "now", "", "`time` that dates the file (RFC 3339), for output that can be compared")
}

// finish checks the flags and fills in what they stand for.
func (f *calibrateFlags) finish(cfg *config.Config) error {
	var err error
	if f.Choose, err = f.choosing.options(cfg); err != nil {
		return err
	}
	f.Workers, f.Window = runtime.GOMAXPROCS(0), evaluation.UncertaintyWindow(cfg)
	f.Version = buildinfo.Version()
	f.Choose.CreatedBy, f.Choose.Seed = "confab calibrate "+f.Version, f.fit.Seed
	model, err := evaluation.LoadModel(cfg)
	if err != nil {
		return err
	}
	f.Choose.Model = model.ID
	now, err := parseClock(f.at)
	if err != nil {
		return err
	}
	f.Choose.Now = now()
	if err := f.check(); err != nil {
		return err
	}
	if f.fit.Out != "" {
		f.fit.Files, f.fit.Folds, f.fit.Now, f.fit.Version, f.fit.Lenient = f.Files, fitFolds, f.Choose.Now, f.Version, f.Lenient
		f.fit.Workers = f.Workers
		f.Fit = &f.fit
	}
	if f.against != "" {
		f.Against, err = readCalibration("--against", f.against)
	}
	return err
}

func (f *calibrateFlags) check() error {
	switch {
	case len(f.Files) == 0 && !f.feedback.on:
		return errors.New("--labels is missing: name the files that hold labelled interactions, or read what people said with --feedback")
	case f.feedback.on && f.choosing.choose.BaseRate > 0:
		return errors.New("--base-rate and --feedback contradict each other: weighed labels tell the share of bad answers themselves")
	case f.feedback.on && f.fit.Out != "":
		return errors.New("--fit and --feedback cannot be combined: a model learns from files, then --feedback calibrates with it in force")
	case f.Out == "":
		return errors.New("--out is missing: name the calibration file to write")
	case len(f.fit.Sets) > 0 && f.fit.Out == "":
		return errors.New("--fit-sets says what --fit learns from: name the model file with --fit")
	case !(f.Traffic >= 0):
		return fmt.Errorf("--traffic %v: write answers a day, 0 or more", f.Traffic)
	}
	return nil
}
