package evaluate

import (
	"errors"
	"fmt"
	"slices"

	"confab/calibration/quality"
	"confab/detectors/standard"
	"confab/internal/tablefile"
)

// Flags are the flags of the command as they were given.
type Flags struct {
	Labels                       []string
	By, JSON                     string
	Calibration, FormatAssertion string
	Rows, Features               string
	Without                      []string
	Deep                         bool
	Resamples                    int
	Seed                         uint64
}

// maxResamples bounds the number on the command line.
const maxResamples = 100_000

// Options checks the flags and parses them. The error joins all that are wrong.
func (f *Flags) Options() (o Options, err error) {
	o = Options{
		JSON:    f.JSON,
		Quality: quality.Options{By: quality.By(f.By), Resamples: f.Resamples, Seed: f.Seed},
	}
	var errs []error
	fail := func(err error) { errs = append(errs, err) }
	if len(f.Labels) == 0 {
		fail(errors.New("--labels: name at least one file of labelled interactions"))
	}
	if err := o.Quality.By.Check(); err != nil {
		fail(fmt.Errorf("--by %w", err))
	}
	if !slices.Contains([]string{"", "on", "off"}, f.FormatAssertion) {
		fail(fmt.Errorf("--format-assertion %s: expected on or off", f.FormatAssertion))
	}
	if f.Resamples < 0 || f.Resamples > maxResamples {
		fail(fmt.Errorf("--resamples %d: expected 0 to %d", f.Resamples, maxResamples))
	}
	f.checkParts(fail)
	o.Rows = RowOptions{File: f.Rows}
	if f.Rows != "" {
		if err := tablefile.CheckName(f.Rows); err != nil {
			fail(fmt.Errorf("--rows: %w", err))
		}
	}
	return o, errors.Join(errs...)
}

func (f *Flags) checkParts(fail func(error)) {
	for _, name := range f.Without {
		if !slices.Contains(standard.Parts(), name) {
			fail(fmt.Errorf("--without %s: expected some of %v", name, standard.Parts()))
		}
	}
	if f.Deep && len(f.Without) > 0 {
		fail(errors.New("--without: it cannot be used with --deep"))
	}
	if f.Features != "" && (f.Deep || f.JSON != "" || f.Rows != "" || len(f.Without) > 0) {
		fail(errors.New("--features: no figures are measured: leave out --deep, --json, --rows and --without"))
	}
}
