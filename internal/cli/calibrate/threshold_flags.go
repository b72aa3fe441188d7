package calibrate

import (
	"bytes"
	"fmt"

	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/internal/files"
)

// ThresholdFlags are the flags of how thresholds are chosen.
type ThresholdFlags struct {
	Keep    string // a calibration file, KeepShipped, or KeepNone; empty is KeepNone
	Options thresholds.Options
}

// Values of --keep that are not files.
const (
	KeepShipped = "shipped"
	KeepNone    = "none"
)

// Resolve checks the flags and reads the file that --keep names.
func (f *ThresholdFlags) Resolve() (o thresholds.Options, err error) {
	o = f.Options
	switch {
	case !(o.Target.Precision > 0 && o.Target.Precision <= 1):
		return o, fmt.Errorf("--target-precision %v: write a share above 0, up to 1, such as 0.7", o.Target.Precision)
	case o.Target.MinFired < 1:
		return o, fmt.Errorf("--min-fired %d: write a number of rows, 1 or more", o.Target.MinFired)
	case !(o.Alert.BaseRate > 0 && o.Alert.BaseRate < 1):
		return o, fmt.Errorf("--base-rate %v: write a share above 0, below 1, such as 0.1 for one bad answer in ten", o.Alert.BaseRate)
	case !(o.Alert.FalseAlarms > 0 && o.Alert.FalseAlarms < 1):
		return o, fmt.Errorf("--false-alarms %v: write a share above 0, below 1, such as 0.01 for one good answer in a hundred", o.Alert.FalseAlarms)
	}
	if f.Keep != "" && f.Keep != KeepNone {
		o.Keep, err = ReadCalibration("--keep", f.Keep)
	}
	return o, err
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
