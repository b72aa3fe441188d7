package evaluate

import (
	"errors"
	"fmt"
	"slices"

	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/internal/tablefile"
)

// Flags are the flags of the command as they were given.
type Flags struct {
	Labels, Where, Mixes []string
	By, JSON, Rows       string
	Markdown             bool
	Resamples            int
}

// maxResamples bounds the number on the command line.
const maxResamples = 100_000

// Options checks the flags and parses them. The error joins all that are wrong.
func (f *Flags) Options() (o Options, conditions []measure.Condition, err error) {
	o = Options{Markdown: f.Markdown, JSON: f.JSON, Quality: quality.Options{By: quality.By(f.By), Resamples: f.Resamples, Seed: 1}}
	var errs []error
	fail := func(err error) { errs = append(errs, err) }
	if len(f.Labels) == 0 {
		fail(errors.New("--labels: name at least one file of labelled interactions"))
	}
	if !slices.Contains(quality.Ways(), o.Quality.By) {
		fail(fmt.Errorf("--by %s: expected one of %v", f.By, quality.Ways()))
	}
	if f.Resamples < 0 || f.Resamples > maxResamples {
		fail(fmt.Errorf("--resamples %d: expected 0 to %d", f.Resamples, maxResamples))
	}
	o.Rows.File = f.Rows
	if f.Rows != "" {
		if _, err := tablefile.FormatOf(f.Rows); err != nil {
			fail(fmt.Errorf("--rows: %w", err))
		}
	}
	conditions = parseAll(f.Where, "--where", measure.ParseCondition, fail)
	o.Quality.Mixes = parseAll(f.Mixes, "--mix", quality.ParseMix, fail)
	return o, conditions, errors.Join(errs...)
}

func parseAll[T any](texts []string, flag string, parse func(string) (T, error), fail func(error)) []T {
	var all []T
	for _, text := range texts {
		v, err := parse(text)
		if err != nil {
			fail(fmt.Errorf("%s: %w", flag, err))
			continue
		}
		all = append(all, v)
	}
	return all
}
