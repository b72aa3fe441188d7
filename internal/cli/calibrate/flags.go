package calibrate

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Flags are the flags of the command as they were given.
type Flags struct {
	Options
	Thresholds    ThresholdFlags
	FromFeedback  bool // --feedback
	FeedbackSince string
	GivenBaseRate bool // the flag was given, as opposed to its default
}

// Validate reports flags that are missing, or that contradict each other.
func (f *Flags) Validate() error {
	if err := f.validateFeedback(); err != nil {
		return err
	}
	switch {
	case len(f.Files) == 0 && !f.FromFeedback:
		return errors.New("--labels is missing: name the files that hold labelled interactions, or read people's labels with --feedback")
	case f.Out == "":
		return errors.New("--out is missing: name the calibration file to write")
	}
	return nil
}

// validateFeedback reports flags that contradict --feedback.
func (f *Flags) validateFeedback() error {
	switch {
	case f.FromFeedback && f.GivenBaseRate:
		return errors.New("--base-rate and --feedback contradict each other: weighted labels give the share of bad answers")
	case f.FromFeedback && f.Thresholds.Keep == KeepNone:
		return errors.New("--keep none and --feedback contradict each other: where people's labels are too few, the calibration in force stays")
	}
	return nil
}

// ParsePeriod parses a Go duration, or a number of days such as 30d, up to 400 days.
func ParsePeriod(s string) (time.Duration, error) {
	const longest = 400 * 24 * time.Hour
	d, err := time.ParseDuration(s)
	if whole, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		n, err = strconv.Atoi(whole)
		d = time.Duration(max(0, min(n, 1000))) * 24 * time.Hour
	}
	if err != nil || d <= 0 || d > longest {
		return 0, errors.New("write a time up to 400d, such as 30d or 36h")
	}
	return d, nil
}

// SetDefaults keeps the shipped thresholds where the labels say too little, unless --keep names others. With --feedback
// those in force stay.
func (f *Flags) SetDefaults() {
	if f.Thresholds.Keep == "" && !f.FromFeedback {
		f.Thresholds.Keep = KeepShipped
	}
}
