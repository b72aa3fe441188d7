package calibrate

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"confab/internal/cli/labelled"
)

// Flags are the flags of the command as they were given.
type Flags struct {
	Options
	Thresholds    labelled.ThresholdFlags
	Model         FitOptions // --fit, --fit-sets and --seed
	AgainstFile   string     // --against
	FromFeedback  bool       // --feedback
	FeedbackSince string
	Budget        PerDay // alerts
	// GivenBaseRate and GivenTraffic say that the flags were given, as opposed to their defaults.
	GivenBaseRate, GivenTraffic bool
}

// Validate reports flags that are missing, or that contradict each other.
func (f *Flags) Validate() error {
	if err := errors.Join(f.validateFeedback(), f.validateAlerts()); err != nil {
		return err
	}
	switch {
	case len(f.Files) == 0 && !f.FromFeedback:
		return errors.New("--labels is missing: name the files that hold labelled interactions, or read people's labels with --feedback")
	case f.Out == "":
		return errors.New("--out is missing: name the calibration file to write")
	case len(f.Model.Sets) > 0 && f.Model.Out == "":
		return errors.New("--fit-sets has no effect without --fit: name the model file with --fit")
	case f.Model.Out != "" && f.Thresholds.Options.ByModel:
		return errors.New("--by-model and --fit cannot be combined: where answers of several models are labelled, the model often predicts the label")
	case f.Thresholds.Options.Pooled && f.Thresholds.Options.ByModel:
		return errors.New("--by-model and --pooled contradict each other: leave one of them out")
	}
	return nil
}

// validateFeedback reports flags that contradict --feedback.
func (f *Flags) validateFeedback() error {
	switch {
	case f.FromFeedback && f.GivenBaseRate:
		return errors.New("--base-rate and --feedback contradict each other: weighted labels give the share of bad answers")
	case f.FromFeedback && f.Budget > 0:
		return errors.New("--budget and --feedback cannot be combined: flags do not hold what the risk is made of; calibrate on files with --labels, " +
			"or limit the messages with alerting.daily_limit")
	case f.FromFeedback && f.Model.Out != "":
		return errors.New("--fit and --feedback cannot be combined: fit a model on files first, then calibrate with --feedback while it is in force")
	case f.FromFeedback && f.Thresholds.Keep == labelled.KeepNone:
		return errors.New("--keep none and --feedback contradict each other: where people's labels are too few, the calibration in force stays")
	}
	return nil
}

// validateAlerts reports what is missing for a budget.
func (f *Flags) validateAlerts() error {
	if f.Budget > 0 && !(f.GivenTraffic && f.Traffic > 0) {
		return errors.New("--budget needs --traffic: say how many answers there are, as in --traffic 50000/day")
	}
	return nil
}

// SetAlert copies what the flags say about alerts to the options of the choice.
func (f *Flags) SetAlert() {
	f.Choose.Alert.Budget = float64(f.Budget)
	if f.GivenTraffic {
		f.Choose.Alert.Traffic = float64(f.Traffic)
	}
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
		f.Thresholds.Keep = labelled.KeepShipped
	}
}
