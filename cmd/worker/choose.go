package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/cmd/worker/internal/config"
	"confab/internal/files"
)

// chooseFlags say how thresholds are chosen.
type chooseFlags struct {
	sets   []string
	keep   string
	choose thresholds.Options
}

func (f *chooseFlags) bind(cmd *cobra.Command) {
	o, flags := &f.choose, cmd.Flags()
	flags.Float64Var(&o.Target.Precision, "target-precision", 0.7, "share of right ones among what fires")
	flags.IntVar(&o.Target.MinFired, "min-fired", 20, "rows that must have fired for the share to count")
	flags.Float64Var(&o.Rule, "rule-precision", 0, "share of right ones among pings: sets the target of every detector to the lowest that gives it; 0 leaves it")
	flags.Float64Var(&o.BaseRate, "base-rate", 0, "share of bad answers in your traffic; 0 takes the rows as they are")
	flags.StringVar(&f.keep, "keep", "", "calibration `file`, or shipped, whose thresholds stay for detectors that the labels say too little of")
	flags.StringArrayVar(&f.sets, "sets", nil, "data sets that a detector's threshold is chosen on, as `detector=set,set`")
	flags.BoolVar(&o.Pooled, "pooled", false, "one threshold per detector, whatever the tenant and the operation")
}

// options checks what the flags say, and reads what they name.
func (f *chooseFlags) options(cfg *config.Config) (thresholds.Options, error) {
	t := f.choose.Target
	switch {
	case !(t.Precision > 0 && t.Precision <= 1):
		return f.choose, fmt.Errorf("--target-precision %v: write a share above 0, up to 1, such as 0.7", t.Precision)
	case t.MinFired < 1:
		return f.choose, fmt.Errorf("--min-fired %d: write a number of rows, 1 or more", t.MinFired)
	case !(f.choose.Rule >= 0 && f.choose.Rule <= 1):
		return f.choose, fmt.Errorf("--rule-precision %v: write a share up to 1, such as 0.8", f.choose.Rule)
	case !(f.choose.BaseRate >= 0 && f.choose.BaseRate < 1):
		return f.choose, fmt.Errorf("--base-rate %v: write a share below 1, such as 0.1 for one bad answer in ten", f.choose.BaseRate)
	}
	var err error
	if f.choose.Sets, err = parseSets(f.sets, cfg.EnabledDetectors()); err != nil || f.keep == "" {
		return f.choose, err
	}
	f.choose.Keep, err = readCalibration("--keep", f.keep)
	return f.choose, err
}

// parseSets reads detector=set,set.
func parseSets(flags, known []string) (map[string][]string, error) {
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
	content, err := files.Read(path, calibration.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	cal, err := calibration.Load(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, path, err)
	}
	return cal, nil
}
