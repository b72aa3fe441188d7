package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"confab/alerting"
	"confab/detectors/confidence"
	"confab/internal/cli/labelled"
	"confab/internal/cli/tune"
	"confab/internal/console"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/tuning"
)

// tuneFlags are those of confab tune.
type tuneFlags struct {
	tune.Options
	shape           lineShape
	calibration, at string
	traffic, alerts string
	kafka, print    bool
	since           string
	versions        versionFlags
	draw            bool // --draw is given
}

func newTune(c *cli) *cobra.Command {
	f := &tuneFlags{}
	cmd := newCommand("tune", cobra.MaximumNArgs(1), func(cmd *cobra.Command, args []string) error { return c.tune(cmd, args, f) })
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Labels, "labels", nil, "a filled table, or labelled rows without a log: a `file`; may be given again")
	flags.IntVar(&f.Draws, "draw", 40, "answers to draw into the table; with --labels, of those without a label")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the draw")
	flags.StringVar(&f.Out, "out", "", "`file` to write: the table (default labels.csv) or a page for a browser (.html); with labels, the calibration (default none: say what would change)")
	flags.BoolVar(&f.kafka, "kafka", false, "read what people and the judge said of recorded answers, too: llm.feedback and llm.incidents")
	flags.StringVar(&f.since, "since", "30d", "with --kafka: answers since a `time`, such as 7d or 36h ago")
	flags.StringVar(&f.alerts, "alerts", "", "alerts to spend, as `N/day` (default: what costs least)")
	flags.StringVar(&f.traffic, "traffic", "", "answers that come, as `N/day` (default: by the times of the answers)")
	flags.StringVar(&f.Rows, "rows", "", "write the labelled answers of the log as rows for confab evaluate to this `file`")
	flags.BoolVar(&f.JSON, "json", false, "write the report as JSON")
	flags.BoolVar(&f.print, "print", false, "print the calibration in force as YAML, and do nothing else")
	flags.BoolVar(&f.Lenient, "skip-faulty", false, "leave faulty labels out instead of refusing them all")
	flags.StringVar(&f.calibration, "calibration", "", "calibration `file` to start from instead of the configured one")
	flags.StringVar(&f.at, "now", "", "`time` that dates the file (RFC 3339), for output that can be compared")
	f.shape.bind(cmd)
	f.versions.bind(cmd)
	return cmd
}

func (c *cli) tune(cmd *cobra.Command, args []string, f *tuneFlags) error {
	f.draw = cmd.Flags().Changed("draw")
	cfg, err := c.loadConfig(calibrationSetting(f.calibration)...)
	if err != nil {
		return err
	}
	if f.versions.any() {
		return c.tuneVersions(cmd, cfg, &f.versions)
	}
	if f.InForce, err = evaluation.LoadCalibration(cfg); err != nil {
		return usageError{err}
	}
	if f.print {
		return c.printCalibration(cmd, cfg, f)
	}
	if err := f.parse(args); err != nil {
		return usageError{err}
	}
	if err := c.setTune(cmd.Context(), cfg, args, f); err != nil {
		return err
	}
	return c.runTune(cmd, cfg, f)
}

// runTune draws or fits.
func (c *cli) runTune(cmd *cobra.Command, cfg *config.Config, f *tuneFlags) error {
	progress := console.NewProgress(c.err, "answers", 0)
	defer progress.Stop()
	f.Progress, f.Done = progress.Count, progress.Stop
	if f.kafka {
		done, err := c.setTopics(cfg, f)
		if err != nil {
			return err
		}
		defer done()
	}
	if f.fits() {
		return tune.Fit(cmd.Context(), c.out, c.err, f.Options)
	}
	f.Out = cmp.Or(f.Out, "labels.csv")
	return tune.Draw(cmd.Context(), c.out, c.err, f.Options)
}

// fits reports whether there are labels to fit to.
func (f *tuneFlags) fits() bool { return (len(f.Labels) > 0 || f.kafka) && !f.draw }

// parse checks the flags.
func (f *tuneFlags) parse(args []string) (err error) {
	if err := f.check(strings.Join(args, "")); err != nil {
		return err
	}
	if f.PerDay, err = perDay("--traffic", f.traffic); err != nil {
		return err
	}
	f.Alerts, err = perDay("--alerts", f.alerts)
	return err
}

// check rejects flags that do not go together. log is empty without one.
func (f *tuneFlags) check(log string) error {
	table := log != "" && len(f.Labels) > 0
	for _, r := range []struct {
		wrong  bool
		remedy string
	}{
		{log == "" && !f.fits(), "name the log to draw answers from, or labels with --labels or --kafka"},
		{log == "-", "the log is read twice: write standard input to a file and name it"},
		{log != "" && f.kafka && !table, "--kafka reads recorded answers: leave the log out, or give its filled table with --labels"},
		{f.Draws < 1, fmt.Sprintf("--draw %d: draw at least one answer", f.Draws)},
		{f.Rows != "" && !table, "--rows writes the labelled answers of a log: name the log, and its filled table with --labels"},
		{!f.fits() && (f.JSON || f.alerts != ""), "--json and --alerts are about labels: give them with --labels or --kafka"},
	} {
		if r.wrong {
			return errors.New(r.remedy)
		}
	}
	return nil
}

// perDay parses N/day; 0 if the text is empty.
func perDay(flag, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "/day"), 64)
	if err != nil || !(n > 0 && n < 1e12) {
		return 0, fmt.Errorf("%s %q: write a number above 0 and /day, such as 20/day", flag, text)
	}
	return n, nil
}

func (c *cli) setTune(ctx context.Context, cfg *config.Config, args []string, f *tuneFlags) (err error) {
	if f.Now, err = parseClock(f.at); err != nil {
		return err
	}
	model, err := evaluation.LoadModel(cfg)
	if err != nil {
		return usageError{err}
	}
	if len(args) > 0 {
		if f.Log, err = logFile(cfg, args[0], &f.shape); err != nil {
			return err
		}
	}
	options, err := evaluation.FastOptions(cfg, nil, c.logger(cfg))
	if err != nil {
		return err
	}
	options.Deps.Live = f.learnBaselines(ctx)
	if f.Evaluator, err = evaluation.New(cfg, options); err != nil {
		return err
	}
	f.Workers, f.Version, f.Model, f.Set = runtime.GOMAXPROCS(0), buildinfo.Version(), model.ID, cfg.Thresholds()
	f.Policy = alerting.NewPolicy(cfg.PolicyOptions())
	log := cmp.Or(strings.Join(args, ""), "LOG")
	f.Command, f.Check = c.readCommand("tune", log, f.calibration, &f.shape), c.readCommand("check", log, "", &f.shape)
	return nil
}

// learnBaselines learns from the log, or else from the labelled rows, which token uncertainty is usual. What cannot be read is
// reported by who reads it next.
func (f *tuneFlags) learnBaselines(ctx context.Context) *confidence.Live {
	if f.Log == nil {
		live, err := labelled.LearnBaselines(ctx, f.Labels...)
		if err != nil {
			return nil
		}
		return live
	}
	live := confidence.NewFileLive()
	_, _, err := f.Log.EachLine(func(l *labelled.InteractionLine) error {
		live.LearnAnswer(&l.Row.Interaction)
		return ctx.Err()
	})
	if err != nil {
		return nil
	}
	live.Freeze()
	return live
}

// readCommand is a command that reads the log as this one does, for hints: with the same configuration, or it finds no input.
func (c *cli) readCommand(name, log, calibration string, shape *lineShape) string {
	words := []string{"confab", name, console.ShellQuote(log)}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, console.ShellQuote(value))
		}
	}
	add("--config", c.file)
	for _, setting := range c.settings {
		add("--set", setting)
	}
	add("--calibration", calibration)
	add("--preset", shape.preset)
	add("--input", shape.topic)
	add("--map", shape.mapFile)
	return strings.Join(words, " ")
}

// logFile is a file whose lines are read as confab check reads them.
func logFile(cfg *config.Config, path string, shape *lineShape) (*labelled.InteractionFile, error) {
	admitted, decode, err := shape.open(cfg)
	if err != nil {
		return nil, err
	}
	admitted.LearnOrder(path, decode != nil)
	expand, spans, err := shape.expander(cfg, admitted)
	if err != nil {
		return nil, err
	}
	return &labelled.InteractionFile{Path: path, Decode: decode, Admit: admitted.Admit, Expand: expand, Spans: spans, Parts: admitted.Parts()}, nil
}

// setTopics sets where recorded answers and what was said of them are. Call done when they have been read.
func (c *cli) setTopics(cfg *config.Config, f *tuneFlags) (done func(), err error) {
	since, err := optionalTime("--since", f.since, f.Now())
	if err != nil {
		return nil, err
	}
	flags, done, err := c.incidentFinder(cfg)
	if err != nil {
		return nil, err
	}
	f.Topics = &tuning.ReadOptions{
		Kafka: flags.Kafka, Incidents: flags.Topic, Labels: cfg.Kafka.Topics.Feedback, Decode: flags.Decode,
		Since: since, Progress: f.Progress,
	}
	return done, nil
}
