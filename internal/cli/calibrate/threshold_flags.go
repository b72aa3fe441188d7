package calibrate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/internal/files"
)

// ThresholdFlags are the flags of how thresholds are chosen.
type ThresholdFlags struct {
	Sets    []string // detector=set,set
	Keep    string   // a calibration file, KeepShipped, or KeepNone; empty is KeepNone
	Options thresholds.Options
}

// Values of --keep that are not files.
const (
	KeepShipped = "shipped"
	KeepNone    = "none"
)

// Resolve checks the flags and reads the file that --keep names. detectors are the names that --sets may hold.
func (f *ThresholdFlags) Resolve(detectors []string) (thresholds.Options, error) {
	o := f.Options
	switch {
	case !(o.Target.Precision > 0 && o.Target.Precision <= 1):
		return o, fmt.Errorf("--target-precision %v: write a share above 0, up to 1, such as 0.7", o.Target.Precision)
	case o.Target.MinFired < 1:
		return o, fmt.Errorf("--min-fired %d: write a number of rows, 1 or more", o.Target.MinFired)
	}
	err := checkRates(&o)
	if err != nil {
		return o, err
	}
	if o.Sets, err = parseSets(f.Sets, detectors); err != nil || f.Keep == "" || f.Keep == KeepNone {
		return o, err
	}
	o.Keep, err = ReadCalibration("--keep", f.Keep)
	return o, err
}

// checkRates checks the shares of bad answers and of false alarms.
func checkRates(o *thresholds.Options) error {
	switch {
	case !(o.Alert.BaseRate > 0 && o.Alert.BaseRate < 1):
		return fmt.Errorf("--base-rate %v: write a share above 0, below 1, such as 0.1 for one bad answer in ten", o.Alert.BaseRate)
	case !(o.BaseRate >= 0 && o.BaseRate < 1):
		return fmt.Errorf("--flag-base-rate %v: write a share below 1, such as 0.1 for one bad answer in ten, or 0 for the rows as they are", o.BaseRate)
	case !(o.Alert.FalseAlarms > 0 && o.Alert.FalseAlarms < 1):
		return fmt.Errorf("--false-alarms %v: write a share above 0, below 1, such as 0.01 for one good answer in a hundred", o.Alert.FalseAlarms)
	}
	return nil
}

func parseSets(flags, detectors []string) (map[string][]string, error) {
	sets := map[string][]string{}
	for _, flag := range flags {
		detector, list, ok := strings.Cut(flag, "=")
		if !ok || list == "" {
			return nil, fmt.Errorf("--sets %s: write detector=set,set", flag)
		}
		if !slices.Contains(detectors, detector) {
			return nil, fmt.Errorf("--sets %s: no such detector; there are %s", flag, strings.Join(detectors, ", "))
		}
		sets[detector] = append(sets[detector], strings.Split(list, ",")...)
	}
	return sets, nil
}

// ReadCalibration reads the calibration file that a flag names, or the embedded one for "shipped".
func ReadCalibration(flag, path string) (*calibration.Calibration, error) {
	if path == KeepShipped {
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
