package main

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"confab/alerting"
	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/cli/calibrate"
	"confab/internal/console"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

// calibrateFlags are those of confab calibrate.
type calibrateFlags struct {
	calibrate.Options
	feedback  bool
	since, at string
}

func newCalibrate(c *cli) *cobra.Command {
	f := &calibrateFlags{}
	cmd := c.newConfigured("calibrate", cobra.ArbitraryArgs, func(cmd *cobra.Command, cfg *config.Config, args []string) error {
		f.Files = append(f.Files, args...) // further files of a pattern that the shell expanded
		return c.calibrate(cmd, cfg, f)
	})
	flags, o := cmd.Flags(), &f.Choose
	flags.StringSliceVar(&f.Files, "labels", nil, "labelled rows: a `file`; further files may follow")
	flags.StringVar(&f.Out, "out", "", "calibration `file` to write")
	flags.BoolVar(&f.feedback, "feedback", false, "calibrate on people's labels: llm.feedback, joined with the flags")
	flags.StringVar(&f.since, "feedback-since", "30d", "incidents since a `time`, such as 30d or 36h ago")
	flags.Float64Var(&o.Target.Precision, "target-precision", 0.7, "share of right ones among what fires")
	flags.IntVar(&o.Target.MinFired, "min-fired", 20, "rows that must have fired for the share to count")
	flags.BoolVar(&o.ByModel, "by-model", false, "thresholds by model too")
	flags.BoolVar(&f.Force, "force", false, "write a calibration that loses alerts on answers labelled wrong, too")
	flags.BoolVar(&f.Lenient, "skip-faulty", false, "leave faulty rows out instead of refusing them all")
	flags.StringVar(&f.at, "now", "", "`time` that dates the file (RFC 3339), for output that can be compared")
	return cmd
}

func (c *cli) calibrate(cmd *cobra.Command, cfg *config.Config, f *calibrateFlags) error {
	if err := f.Validate(f.feedback); err != nil {
		return usageError{err}
	}
	now, err := parseClock(f.at)
	if err != nil {
		return err
	}
	if f.InForce, err = evaluation.LoadCalibration(cfg); err != nil {
		return usageError{err}
	}
	model, err := evaluation.LoadModel(cfg)
	if err != nil {
		return usageError{err}
	}
	f.Workers, f.Version = runtime.GOMAXPROCS(0), buildinfo.Version()
	f.Choose.CreatedBy, f.Choose.Model, f.Choose.Now = "confab calibrate "+f.Version, model.ID, now()
	f.Choose.Policy = alerting.NewPolicy(cfg.PolicyOptions())
	if f.feedback {
		done, err := c.setFeedback(f, cfg)
		if err != nil {
			return err
		}
		defer done()
	}
	log := c.logger(cfg)
	f.Suite = func(cal *calibration.Calibration) (*detectors.Suite, error) {
		return evaluation.NewSuite(cfg, cal, log, standard.Dependencies{})
	}
	progress := console.NewProgress(c.err, "rows", 0)
	defer progress.Stop()
	f.Progress, f.Done = progress.Count, progress.Stop
	err = calibrate.Run(cmd.Context(), c.out, c.err, f.Options)
	if errors.Is(err, thresholds.ErrLabels) || errors.Is(err, calibrate.ErrFaultyLabels) {
		return usageError{err}
	}
	return err
}

// setFeedback sets where people's labels are. Call done when they have been read.
func (c *cli) setFeedback(f *calibrateFlags, cfg *config.Config) (done func(), err error) {
	since, err := optionalTime("--feedback-since", f.since, f.Choose.Now)
	if err != nil {
		return nil, err
	}
	incidents, done, err := c.incidentFinder(cfg)
	if err != nil {
		return nil, err
	}
	f.Feedback = &calibrate.FeedbackOptions{
		Kafka: incidents.Kafka, Topic: cfg.Kafka.Topics.Feedback, Incidents: incidents.Topic, Decode: incidents.Decode, Since: since,
	}
	return done, nil
}
