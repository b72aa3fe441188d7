package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"confab"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/standard"
	"confab/internal/cli/check"
	"confab/internal/console"
	"confab/internal/strictyaml"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
)

// checkOptions are the flags of confab check.
type checkOptions struct {
	check.Flags
	shape           lineShape
	calibration, at string
	deep, fail      bool
}

func newCheck(c *cli) *cobra.Command {
	var o checkOptions
	cmd := newCommand("check", cobra.MaximumNArgs(1), func(cmd *cobra.Command, args []string) error { return c.runCheck(cmd.Context(), args, &o) })
	cmd.Flags().StringVar(&o.calibration, "calibration", "", "calibration `file` instead of the configured one")
	o.shape.bind(cmd)
	cmd.Flags().StringVar(&o.at, "now", "", "`time` to stamp as detected_at (RFC 3339), for output that can be compared")
	cmd.Flags().BoolVar(&o.deep, "deep", false, "ask the language models that are configured under llm, too")
	cmd.Flags().BoolVar(&o.Explain, "explain", false, "show what was compared with which source for quiet detectors, too")
	cmd.Flags().BoolVar(&o.fail, "fail", false, "exit 3 when any answer is recommended for blocking")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "write flags as JSON Lines on a terminal, too")
	cmd.Flags().StringVar(&o.Only, "only", "", "the `answers` to write and show: all, flagged or alerts (default all, on a terminal flagged)")
	cmd.Flags().StringVar(&o.Report, "report", "", "write the worst answers as an HTML page to this `file`")
	cmd.Flags().StringVar(&o.Rewrite, "rewrite", "", "add rewritten answers: `mode` remove, hedge or annotate")
	return cmd
}

func (c *cli) runCheck(ctx context.Context, args []string, o *checkOptions) error {
	cfg, err := c.loadConfig(calibrationSetting(o.calibration)...)
	if err != nil {
		return err
	}
	now, err := parseClock(o.at)
	if err != nil {
		return err
	}
	command, err := check.NewCommand(o.Flags, args, c.out, console.IsTerminal(c.out))
	if err != nil {
		return usageError{err}
	}
	command.Printer.Explain = o.Explain
	o.Explain = o.Explain || command.Hints // of which the command keeps some
	in, size, err := c.openInput(args)
	if err != nil {
		return err
	}
	defer in.Close()
	if cfg.Flags.Excerpts != config.ExcerptsNone {
		command.Unread = &check.UnreadReplies{Redactor: cfg.Redaction.Redactor()}
	}
	baselines, err := c.learnBaselines(ctx, cfg, args, o)
	if err != nil {
		return err
	}
	evaluator, end, err := c.evaluator(cfg, o, command.Unread, baselines)
	if err != nil {
		return err
	}
	defer end()
	admitted, err := o.shape.reads(cfg, command)
	if err != nil {
		return err
	}
	progress := console.NewProgress(command.ProgressTo(c.err), "lines", size)
	defer progress.Stop()
	c.configureCheck(command, cfg)
	command.Evaluate, command.NoAlert = evaluator.Evaluate, evaluator.Policy.NoAlert
	command.Now, command.Clock, command.Progress, command.Finish = now, time.Now, progress.Count, progress.Stop
	res, err := command.Run(ctx, progress.Reader(in), c.out, c.err)
	if command.Read != nil {
		fmt.Fprintln(c.err, admitted.Report())
	}
	if err != nil {
		return err
	}
	return c.checkResult(res, o)
}

// configureCheck sets what the configuration says of texts, colors and thresholds.
func (c *cli) configureCheck(command *check.Command, cfg *config.Config) {
	command.Redactor, command.Set = cfg.Redaction.Redactor(), cfg.Thresholds()
	command.Printer.Color = c.useColor(c.out)
	if command.Rewriting != nil {
		command.Rewriting.EmptyAnswer = func(tenant string) string { return cfg.RewriteSettings(tenant).EmptyAnswer }
		command.Rewriting.Logger = c.logger(cfg)
		command.Rewriting.HideTexts = cfg.Flags.Excerpts == config.ExcerptsNone
	}
}

// reads sets how the command reads lines. The input counts what it admits.
func (s *lineShape) reads(cfg *config.Config, command *check.Command) (input *records.FileInput, err error) {
	if input, command.Read, err = s.open(cfg); err != nil {
		return nil, err
	}
	command.Admit, command.Preset, command.Parts = input.Admit, s.preset, input.Parts()
	if command.Read != nil {
		command.TimeAt = input.Map["occurred_at"]
	}
	input.LearnOrder(command.Name, command.Read != nil)
	command.Expand, command.Spans, err = s.expander(cfg, input)
	return input, err
}

// learnBaselines learns from the file which token uncertainty is usual; nil for a pipe, whose answers teach as they are judged.
func (c *cli) learnBaselines(ctx context.Context, cfg *config.Config, args []string, o *checkOptions) (*confidence.Live, error) {
	if len(args) == 0 || !cfg.Runs(confidence.Name) {
		return nil, nil
	}
	if info, err := os.Stat(args[0]); err != nil || !info.Mode().IsRegular() {
		return nil, nil // who opens it next reports it
	}
	command := &check.Command{Options: check.Options{Name: args[0], Now: time.Now}}
	if _, err := o.shape.reads(cfg, command); err != nil {
		return nil, err
	}
	in, _, err := c.openInput(args)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return command.Learn(ctx, in), nil
}

// checkResult returns the command's error: unreadable lines first, then answers that deep detectors failed on, then blocked
// answers under --fail.
func (c *cli) checkResult(res check.Result, o *checkOptions) error {
	if err := res.Err(); err != nil {
		return err
	}
	if err := res.NotJudged(detectors.Names(standard.Deep(standard.Dependencies{}))); err != nil {
		return err
	}
	if o.fail && res.Blocked > 0 {
		fmt.Fprintf(c.err, "%d of %d answers are recommended for blocking\n", res.Blocked, res.Lines)
		return errPolicy
	}
	return nil
}

// evaluator makes the evaluator of the command, which gives replies that cannot be read to unread. Call end when it is no longer needed.
func (c *cli) evaluator(
	cfg *config.Config, o *checkOptions, unread *check.UnreadReplies, baselines *confidence.Live,
) (e *confab.Evaluator, end func(), err error) {
	if !o.deep {
		options, err := evaluation.FastOptions(cfg, nil, c.logger(cfg))
		if err != nil {
			return nil, nil, err
		}
		options.Suite.Explain, options.Deps.Live = o.Explain, baselines
		e, err = evaluation.New(cfg, options)
		return e, func() {}, err
	}
	e, end, err = deep.NewEvaluator(cfg, deep.EvaluatorOptions{Logger: c.logger(cfg), Now: time.Now, Explain: o.Explain, Unread: unread.Keep, Baselines: baselines})
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--deep: %w", err)}
	}
	return e, end, nil
}

func calibrationSetting(file string) []strictyaml.Setting {
	if file == "" {
		return nil
	}
	return []strictyaml.Setting{{Path: "calibration_file", Value: file, Source: "--calibration"}}
}

// parseClock returns the wall clock, or a clock that is fixed at the given time.
func parseClock(at string) (func() time.Time, error) {
	if at == "" {
		return time.Now, nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return nil, usageError{fmt.Errorf("--now %s: write a time as in 2026-01-31T12:00:00Z", at)}
	}
	return func() time.Time { return t }, nil
}
