package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab/calibration"
	"confab/detectors"
	"confab/internal/app"
	"confab/internal/ops"
)

const calibrateLong = `Reads labelled interactions, measures them with the configured detectors and writes a calibration file: a threshold
for every detector, and for each tenant and operation with labels enough of its own; baselines of token uncertainty; the
map from fusion to risk; and what "two or more detectors fired" will do. A detector that cannot meet the target is not
armed, and the reason is told. The file and the page are written in one step, once everything is known.

Labelled sets are rich in bad answers. --base-rate states the share of bad answers in your traffic: precision is then that
of your traffic. --against holds the result against the file in force and says what would change.`

// calibrateFlags are what the command line says.
type calibrateFlags struct {
	sets        []string
	against, at string
	keep        string
	ops.CalibrateOptions
}

func newCalibrate(c *cli) *cobra.Command {
	f := &calibrateFlags{}
	cmd := &cobra.Command{
		Use:   "calibrate --labels FILE… --out calibration.yaml",
		Short: "Fits thresholds, baselines and risk on labelled interactions",
		Long:  calibrateLong,
		Example: `  confab calibrate --labels labels.jsonl --out calibration.yaml
  confab calibrate --labels sets/*.jsonl.gz --base-rate 0.1 --target-precision 0.8 --out calibration.yaml --report calibration.html
  confab calibrate --labels labels.jsonl --out new.yaml --against calibration.yaml --traffic 50000`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Files = append(f.Files, args...) // what the shell makes of a pattern behind --labels
			cfg, err := c.load()
			if err != nil {
				return err
			}
			if err := f.finish(cfg); err != nil {
				return usageError{err}
			}
			log := c.logger(cfg)
			f.Suite = func(cal *calibration.Calibration) (*detectors.Suite, error) { return app.NewSuite(cfg, cal, nil, log) }
			bar := c.progress("rows", 0)
			f.Progress, f.Done = bar.Count, bar.Stop
			err = ops.Calibrate(cmd.Context(), c.out, c.err, f.CalibrateOptions)
			if errors.Is(err, calibration.ErrLabels) || errors.Is(err, ops.ErrFaultyLabels) {
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
	flags.Float64Var(&f.Choose.Target.Precision, "target-precision", 0.7, "share of right ones among what fires")
	flags.IntVar(&f.Choose.Target.MinFired, "min-fired", 20, "rows that must have fired for the share to count")
	flags.Float64Var(&f.Choose.Rule, "rule-precision", 0, "share of right ones among pings: sets the target of every detector to the lowest that gives it; 0 leaves it")
	flags.Float64Var(&f.Choose.BaseRate, "base-rate", 0, "share of bad answers in your traffic; 0 takes the rows as they are")
	flags.StringVar(&f.against, "against", "", "calibration `file` in force, or shipped for the embedded one: what would change")
	flags.StringVar(&f.keep, "keep", "", "calibration `file`, or shipped, whose thresholds stay for detectors that the labels say too little of")
	flags.Float64Var(&f.Traffic, "traffic", 10000, "answers a day, for what would change")
	flags.StringArrayVar(&f.sets, "sets", nil, "data sets that a detector's threshold is chosen on, as `detector=set,set`")
	flags.BoolVar(&f.Choose.Pooled, "pooled", false, "one threshold per detector, whatever the tenant and the operation")
	flags.BoolVar(&f.Lenient, "skip-faulty", false, "leave faulty rows out instead of refusing them all")
	flags.Uint64Var(&f.Choose.Seed, "seed", 0, "of the cross-validation's folds")
	flags.StringVar(&f.at, "now", "", "`time` that dates the file (RFC 3339), for output that can be compared")
}

// finish checks the flags and fills in what they stand for.
func (f *calibrateFlags) finish(cfg *app.Config) error {
	f.Workers, f.Window = runtime.GOMAXPROCS(0), cfg.UncertaintyWindow()
	f.Version = app.Version()
	f.Choose.CreatedBy = "confab calibrate " + f.Version
	model, err := cfg.Model()
	if err != nil {
		return err
	}
	f.Choose.Model = model.ID
	now, err := clock(f.at)
	if err != nil {
		return err
	}
	f.Choose.Now = now()
	if err := f.check(); err != nil {
		return err
	}
	if f.Choose.Sets, err = setsOf(f.sets, cfg.EnabledDetectors()); err != nil {
		return err
	}
	if f.against != "" {
		if f.Against, err = readCalibration("--against", f.against); err != nil {
			return err
		}
	}
	if f.keep != "" {
		f.Choose.Keep, err = readCalibration("--keep", f.keep)
	}
	return err
}

func (f *calibrateFlags) check() error {
	t := f.Choose.Target
	switch {
	case len(f.Files) == 0:
		return errors.New("--labels is missing: name the files that hold labelled interactions")
	case f.Out == "":
		return errors.New("--out is missing: name the calibration file to write")
	case !(t.Precision > 0 && t.Precision <= 1):
		return fmt.Errorf("--target-precision %v: write a share above 0, up to 1, such as 0.7", t.Precision)
	case t.MinFired < 1:
		return fmt.Errorf("--min-fired %d: write a number of rows, 1 or more", t.MinFired)
	case !(f.Choose.Rule >= 0 && f.Choose.Rule <= 1):
		return fmt.Errorf("--rule-precision %v: write a share up to 1, such as 0.8", f.Choose.Rule)
	case !(f.Choose.BaseRate >= 0 && f.Choose.BaseRate < 1):
		return fmt.Errorf("--base-rate %v: write a share below 1, such as 0.1 for one bad answer in ten", f.Choose.BaseRate)
	case !(f.Traffic >= 0):
		return fmt.Errorf("--traffic %v: write answers a day, 0 or more", f.Traffic)
	}
	return nil
}

// setsOf reads detector=set,set.
func setsOf(flags, known []string) (map[string][]string, error) {
	sets := map[string][]string{}
	for _, flag := range flags {
		detector, names, ok := strings.Cut(flag, "=")
		if !ok || names == "" {
			return nil, fmt.Errorf("--sets %s: write detector=set,set", flag)
		}
		if !slices.Contains(known, detector) {
			return nil, fmt.Errorf("--sets %s: no such detector; there are %s", flag, strings.Join(known, ", "))
		}
		sets[detector] = append(sets[detector], strings.Split(names, ",")...)
	}
	return sets, nil
}

// readCalibration reads a file, or the one that is embedded.
func readCalibration(flag, path string) (*calibration.Calibration, error) {
	if path == "shipped" {
		return calibration.Default()
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	defer file.Close()
	cal, err := calibration.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, path, err)
	}
	return cal, nil
}
