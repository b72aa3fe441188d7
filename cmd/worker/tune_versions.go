package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"confab"
	"confab/calibration"
	"confab/internal/cli/tune"
	"confab/internal/worker/config"
	"confab/internal/worker/tuning"
)

// versionFlags are those of confab tune about versions of the calibration.
type versionFlags struct {
	list, back bool
	accept     string
}

func (f *versionFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.list, "versions", false, "list the versions of the calibration that tuning.auto made, and what the last refit did")
	flags.BoolVar(&f.back, "rollback", false, "put the version before the one in force in force, for all workers")
	flags.StringVar(&f.accept, "accept", "", "put the version with this `id` in force, for all workers")
	cmd.MarkFlagsMutuallyExclusive("versions", "rollback", "accept")
}

func (f *versionFlags) any() bool { return f.list || f.back || f.accept != "" }

// tuneVersions lists versions, or chooses one.
func (c *cli) tuneVersions(cmd *cobra.Command, cfg *config.Config, f *versionFlags) error {
	ctx, k, topic := cmd.Context(), cfg.KafkaClient(c.logger(cfg)), cfg.Kafka.Topics.Calibrations
	if !cfg.Tuning.Learns() {
		return usageError{errors.New("tuning.auto is off, so there are no versions: set it to propose or apply")}
	}
	var err error
	switch {
	case f.back:
		err = tuning.Rollback(ctx, k, topic, time.Now())
	case f.accept != "":
		err = tuning.Accept(ctx, k, topic, f.accept, time.Now())
	}
	if err != nil {
		return err
	}
	state, files, err := c.calibrations(cmd, cfg)
	if err != nil {
		return err
	}
	_, applied, err := state.Over(files)
	if err != nil {
		return err
	}
	if f.list {
		return tune.ShowVersions(c.out, state, applied)
	}
	return tune.ShowChoice(c.out, state, applied)
}

// calibrations reads the versions and the configured files.
func (c *cli) calibrations(cmd *cobra.Command, cfg *config.Config) (*tuning.State, confab.Tuning, error) {
	files, err := confab.ReadTuning(cfg.CalibrationFile, cfg.ModelFile)
	if err != nil {
		return nil, files, usageError{err}
	}
	state, err := tuning.ReadState(cmd.Context(), cfg.KafkaClient(c.logger(cfg)), cfg.Kafka.Topics.Calibrations)
	return state, files, err
}

// printCalibration prints the calibration that workers with this configuration have: the file, or the version in its place.
func (c *cli) printCalibration(cmd *cobra.Command, cfg *config.Config, f *tuneFlags) error {
	cal := f.InForce
	if f.calibration == "" && cfg.Tuning.Learns() {
		state, files, err := c.calibrations(cmd, cfg)
		if err != nil {
			return fmt.Errorf("%w: with --calibration FILE no version is looked for", err)
		}
		t, _, err := state.Over(files)
		if err == nil {
			cal, err = t.CalibrationWith(cfg.Thresholds())
		}
		if err != nil {
			return err
		}
	}
	return calibration.Encode(c.out, cal.File())
}
