package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"confab/calibration/fit"
	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/evaluate"
	"confab/cmd/worker/internal/evaluation"
	"confab/detectors/jsonschema"
	"confab/internal/strictyaml"
)

// evaluateFlags are the command's own flags.
type evaluateFlags struct {
	labels, where, mixes, floors []string
	by, format, json, page       string
	calibration, formatAssertion string
	resamples, folds             int
	seed                         uint64
	fitSets                      []string
	choosing                     chooseFlags
}

const evaluateLong = `Measures labelled interactions and says how well each detector, the fused risk and the rule "two or more" tell
faulty answers from good ones: AUROC, average precision, F1 at the shipped threshold and the best one, recall at 5 % false
alarms, precision, recall, false alarms and calibration error, with 95 % intervals by bootstrap over groups, beside the
floors "always-flag" and "answer-length". Nothing is sent anywhere. docs/tuning.md says what each figure means.

Labels are JSON Lines, gzip or plain: {"interaction": {…}, "label": 0|1, "task", "group", "spans"}. Rows that cannot be used
are left out and counted, and the exit code is then 1. --fail-below exits with 3 when a figure is not reached.

--folds fits a model and a calibration of its own for each part on the others, as confab calibrate --fit does, and so says
what these labels are worth; the flags of how thresholds are chosen belong to it.`

func newEvaluate(c *cli) *cobra.Command {
	var f evaluateFlags
	cmd := &cobra.Command{
		Use:   "evaluate --labels FILE…",
		Short: "Measures the quality of detectors on labelled interactions",
		Long:  evaluateLong,
		Example: `  confab evaluate --labels rows.jsonl.gz
  confab evaluate --labels */train.jsonl.gz --json quality.json --report quality.html
  confab evaluate --labels rows.jsonl.gz --by tenant --calibration calibration.yaml --format markdown
  confab evaluate --labels rows.jsonl.gz --where 'id!=*/optional/*' --format-assertion off`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.labels = append(f.labels, args...) // what the shell makes of a pattern behind --labels
			return c.evaluate(cmd, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.labels, "labels", nil, "labelled rows: a `file`; further files may follow")
	flags.StringVar(&f.by, "by", string(quality.ByTask), "slice each data set by `key`: task, operation, tenant or dataset (not at all)")
	flags.StringVar(&f.format, "format", string(evaluate.QualityTable), "print a `form`: table, markdown, csv or json")
	flags.StringVar(&f.json, "json", "", "write the report as JSON to a `file`")
	flags.StringVar(&f.page, "report", "", "write the report as one page of HTML to a `file`")
	flags.StringVar(&f.calibration, "calibration", "", "calibration `file` instead of the configured one")
	flags.StringVar(&f.formatAssertion, "format-assertion", "", "`on|off`: whether detector schema asserts the keyword format (default: as configured)")
	flags.StringArrayVar(&f.where, "where", nil, "keep rows by `KEY=PATTERN` or KEY!=PATTERN: id, dataset, task, group, tenant, operation, model")
	flags.StringArrayVar(&f.mixes, "mix", nil, "re-weight a data set: `DATASET:TASK=FAULTY/ALL,…`")
	flags.StringArrayVar(&f.floors, "fail-below", nil, "exit 3 where a figure is lower: `DATASET[/TASK].DETECTOR.METRIC=SHARE`")
	flags.IntVar(&f.resamples, "resamples", 1000, "resamples of the bootstrap; 0 gives no intervals")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the bootstrap and of --folds")
	flags.IntVar(&f.folds, "folds", 0, "cross-validate in so many `parts`: each is judged by a model and a calibration that are fitted on the others")
	flags.StringSliceVar(&f.fitSets, "fit-sets", nil, "data sets that the grounding of --folds learns from; all without it")
	f.choosing.bind(cmd)
	return cmd
}

func (c *cli) evaluate(cmd *cobra.Command, f *evaluateFlags) error {
	o, conditions, err := f.options()
	if err != nil {
		return usageError{err}
	}
	settings := append(calibrationSetting(f.calibration), f.assertion()...)
	cfg, err := c.loadConfig(settings...)
	if err != nil {
		return err
	}
	if o.Judge.Calibration, err = evaluation.LoadCalibration(cfg); err != nil {
		return err
	}
	if o.Suite, err = evaluation.NewSuite(cfg, o.Judge.Calibration, nil, c.logger(cfg)); err != nil {
		return err
	}
	if o.Cross, err = f.cross(cfg); err != nil {
		return usageError{err}
	}
	o.Judge.FlagAbove = cfg.FlagAbove
	labels, err := measure.OpenLabels(f.labels...)
	if err != nil {
		return usageError{err}
	}
	defer labels.Close()
	o.Labels = measure.Where(labels, conditions...)
	o.Workers, o.Stage = runtime.GOMAXPROCS(0), c.stage
	err = evaluate.Run(cmd.Context(), c.out, c.err, o)
	if errors.Is(err, evaluate.ErrBelowFloor) && !errors.Is(err, evaluate.ErrLeftOut) {
		return errPolicy // each figure was named
	}
	return err
}

// told is how many units a plain line is written after, where no bar can move.
const told = 10_000

// stage shows how far one stage of long work has come: by a bar on a terminal, elsewhere by a line now and then.
func (c *cli) stage(unit string) (count func(int), end func()) {
	if isTerminal(c.err) {
		b := c.progress(unit, 0)
		return b.Count, b.Stop
	}
	most := 0
	count = func(done int) {
		if done > most && done%told == 0 {
			fmt.Fprintf(c.err, "%d %s\n", done, unit)
		}
		most = max(most, done)
	}
	return count, func() { fmt.Fprintf(c.err, "%d %s, done\n", most, unit) }
}

// options checks what the flags say.
func (f *evaluateFlags) options() (o evaluate.Options, conditions []measure.Condition, err error) {
	o = evaluate.Options{
		Format: evaluate.QualityFormat(f.format), JSON: f.json, Page: f.page,
		Judge: quality.Options{By: quality.By(f.by), Resamples: f.resamples, Seed: f.seed},
	}
	var errs []error
	fail := func(err error) { errs = append(errs, err) }
	if len(f.labels) == 0 {
		fail(errors.New("--labels: name at least one file of labelled interactions"))
	}
	if !slices.Contains(quality.Ways(), o.Judge.By) {
		fail(fmt.Errorf("--by %s: expected one of %v", f.by, quality.Ways()))
	}
	if !slices.Contains(evaluate.QualityFormats(), o.Format) {
		fail(fmt.Errorf("--format %s: expected one of %v", f.format, evaluate.QualityFormats()))
	}
	if !slices.Contains([]string{"", "on", "off"}, f.formatAssertion) {
		fail(fmt.Errorf("--format-assertion %s: expected on or off", f.formatAssertion))
	}
	if f.resamples < 0 || f.resamples > maxResamples {
		fail(fmt.Errorf("--resamples %d: expected 0 to %d", f.resamples, maxResamples))
	}
	conditions = parseAll(f.where, "--where", measure.ParseCondition, fail)
	o.Judge.Mixes = parseAll(f.mixes, "--mix", quality.ParseMix, fail)
	o.Floors = parseAll(f.floors, "--fail-below", evaluate.ParseFloor, fail)
	return o, conditions, errors.Join(errs...)
}

// maxResamples is more than an interval could need.
const maxResamples = 100_000

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

// cross is what --folds asks for, nil without it.
func (f *evaluateFlags) cross(cfg *config.Config) (*evaluate.CrossOptions, error) {
	if f.folds == 0 {
		return nil, nil //nolint:nilnil // nothing to cross-validate is no fault
	}
	if f.folds < 2 || f.folds > maxFolds {
		return nil, fmt.Errorf("--folds %d: choose 2 to %d", f.folds, maxFolds)
	}
	choose, err := f.choosing.options(cfg)
	choose.CreatedBy = "confab evaluate --folds"
	return &evaluate.CrossOptions{Fit: fit.Options{Seed: f.seed, Folds: f.folds, Workers: runtime.GOMAXPROCS(0), Sets: f.fitSets}, Choose: choose}, err
}

const maxFolds = 20

// assertion is the setting that the flag makes.
func (f *evaluateFlags) assertion() []strictyaml.Setting {
	value := map[string]string{"on": jsonschema.FormatAssert, "off": jsonschema.FormatAnnotate}[f.formatAssertion]
	if value == "" {
		return nil
	}
	return []strictyaml.Setting{{Path: "detectors.schema.format", Value: value, Source: "--format-assertion"}}
}
