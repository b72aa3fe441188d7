package main

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"confab/alerting"
	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/internal/cli/calibrate"
	"confab/internal/console"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

const calibrateLong = `Reads labelled interactions, measures them with the configured detectors and writes a calibration file: a threshold
for every detector, and for each tenant and operation that has enough labels; baselines of token uncertainty; and the map from
fusion to risk. A detector that cannot meet the target is not
armed, and the output says why. A detector for which the labels say too little keeps its shipped threshold and baselines
(--keep).

Alerts also need a minimum risk: the lowest that keeps --false-alarms under the configured alert rule. The output has the
precision to expect at --base-rate. Risk maps and minimum are fitted together,
or kept together where the labels say too little.

If an answer that is labelled wrong would no longer alert, compared with the calibration in force, nothing is
written, the output says how many, and the exit code is 1. --force writes the file all the same.

--feedback reads people's labels from llm.feedback, instead of files or in addition to them. They are joined with their
flags, whose scores count. Every label is weighted by the
probability that such an answer is flagged, sampled and labelled. Where the labels are too few, the calibration in force
stays. Labels of alerts alone lower no threshold. The output names what the labels cannot show.`

func newCalibrate(c *cli) *cobra.Command {
	f := &calibrate.Flags{}
	var at string
	cmd := &cobra.Command{
		Use:   "calibrate --labels FILE…|--feedback --out calibration.yaml",
		Short: "Fits thresholds, baselines and risk on labelled interactions",
		Long:  calibrateLong,
		Example: `  confab calibrate --labels labels.jsonl --out calibration.yaml
  confab calibrate --labels sets/*.jsonl.gz --target-precision 0.8 --out calibration.yaml
  confab calibrate --feedback --feedback-since 14d --target-precision 0.8 --out calibration.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.GivenBaseRate = cmd.Flags().Changed("base-rate")
			f.Files = append(f.Files, args...) // further files of a pattern that the shell expanded
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			if err := resolveCalibrate(f, cfg, at); err != nil {
				return usageError{err}
			}
			var done func()
			if f.Feedback, done, err = c.feedbackOptions(f, cfg); err != nil {
				return err
			}
			defer done()
			log := c.logger(cfg)
			f.Suite = func(cal *calibration.Calibration) (*detectors.Suite, error) {
				return evaluation.NewSuite(cfg, cal, log)
			}
			progress := console.NewProgress(c.err, "rows", 0)
			defer progress.Stop()
			f.Progress, f.Done = progress.Count, progress.Stop
			err = calibrate.Run(cmd.Context(), c.out, c.err, f.Options)
			if errors.Is(err, thresholds.ErrLabels) || errors.Is(err, calibrate.ErrFaultyLabels) {
				return usageError{err}
			}
			return err
		},
	}
	bindCalibrate(cmd, f)
	cmd.Flags().StringVar(&at, "now", "", "`time` that dates the file (RFC 3339), for output that can be compared")
	return cmd
}

func bindCalibrate(cmd *cobra.Command, f *calibrate.Flags) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Files, "labels", nil, "labelled rows: a `file`; further files may follow")
	flags.StringVar(&f.Out, "out", "", "calibration `file` to write")
	flags.BoolVar(&f.FromFeedback, "feedback", false, "calibrate on people's labels: llm.feedback, joined with the flags")
	flags.StringVar(&f.FeedbackSince, "feedback-since", "30d", "incidents of the last so many days or hours, a `time` such as 30d or 36h")
	o := &f.Thresholds.Options
	flags.Float64Var(&o.Target.Precision, "target-precision", 0.7, "share of right ones among what fires")
	flags.IntVar(&o.Target.MinFired, "min-fired", 20, "rows that must have fired for the share to count")
	flags.Float64Var(&o.Alert.BaseRate, "base-rate", 0.05, "share of bad answers in your traffic, for alerts")
	flags.Float64Var(&o.Alert.FalseAlarms, "false-alarms", 0.01, "share of good answers that may alert")
	flags.StringVar(&f.Thresholds.Keep, "keep", "", "calibration `file`, shipped or none: its thresholds and baselines stay for detectors that the labels say too little of")
	flags.Lookup("keep").DefValue = "shipped; with --feedback those in force"
	flags.BoolVar(&f.Force, "force", false, "write a calibration that loses alerts on answers labelled wrong, too")
	flags.BoolVar(&o.ByModel, "by-model", false, "thresholds by model too")
	flags.BoolVar(&f.Lenient, "skip-faulty", false, "leave faulty rows out instead of refusing them all")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the cross-validation's folds")
}

// resolveCalibrate checks the flags and fills in the options that depend on them and on the configuration.
func resolveCalibrate(f *calibrate.Flags, cfg *config.Config, at string) error {
	var err error
	f.SetDefaults()
	if f.Choose, err = f.Thresholds.Resolve(); err != nil {
		return err
	}
	f.Workers, f.Window = runtime.GOMAXPROCS(0), confidence.DefaultOptions().Window
	f.Version = buildinfo.Version()
	f.Choose.CreatedBy = "confab calibrate " + f.Version
	model, err := evaluation.LoadModel(cfg)
	if err != nil {
		return err
	}
	f.Choose.Model = model.ID
	now, err := parseClock(at)
	if err != nil {
		return err
	}
	f.Choose.Now = now()
	if err := f.Validate(); err != nil {
		return err
	}
	f.Choose.Policy = alerting.NewPolicy(cfg.PolicyOptions())
	f.InForce, err = evaluation.LoadCalibration(cfg)
	return err
}
