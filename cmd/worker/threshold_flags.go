package main

import (
	"github.com/spf13/cobra"

	"confab/internal/cli/labelled"
)

// bindThresholds adds the flags of how thresholds are chosen. kept describes the default of --keep.
func bindThresholds(cmd *cobra.Command, f *labelled.ThresholdFlags, kept string) {
	o, flags := &f.Options, cmd.Flags()
	flags.Float64Var(&o.Target.Precision, "target-precision", 0.7, "share of right ones among what fires")
	flags.IntVar(&o.Target.MinFired, "min-fired", 20, "rows that must have fired for the share to count")
	flags.Float64Var(&o.RulePrecision, "rule-precision", 0, "share of right ones among pings: sets the target of every detector to the lowest that gives it; 0 leaves it")
	flags.Float64Var(&o.Alert.BaseRate, "base-rate", 0.05, "share of bad answers in your traffic, for alerts")
	flags.Float64Var(&o.Alert.FalseAlarms, "false-alarms", 0.01, "share of good answers that may alert")
	flags.Float64Var(&o.BaseRate, "flag-base-rate", 0, "share of bad answers that rows are weighted to for flags; 0: as they are")
	flags.StringVar(&f.Keep, "keep", "", "calibration `file`, shipped or none: its thresholds and baselines stay for detectors that the labels say too little of")
	flags.Lookup("keep").DefValue = kept
	flags.StringArrayVar(&f.Sets, "sets", nil, "data sets that a detector's threshold is chosen on, as `detector=set,set`")
	flags.BoolVar(&o.Pooled, "pooled", false, "one threshold per detector, whatever the tenant and the operation")
}
