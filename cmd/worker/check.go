package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confab"
	"confab/cmd/worker/internal/check"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/console"
	"confab/cmd/worker/internal/deep"
	"confab/cmd/worker/internal/evaluation"
	"confab/cmd/worker/internal/records"
	"confab/internal/strictyaml"
)

func newCheck(c *cli) *cobra.Command {
	var calibration, at, input string
	var fail, useModels bool
	cmd := &cobra.Command{
		Use:   "check [FILE|-]",
		Short: "Measures interactions of a file, without Kafka",
		Long: `Reads interactions or labelled rows as JSON Lines (gzip is recognized) and writes one flag per line, in input
order, quiet ones too: the same flags that the worker would write. Memory stays bounded whatever the file's size.
--input reads the lines as records of an input topic, by its map and with its tenant, and prints how many had each field.

--deep evaluates every line deeply, sampled or not: it asks the endpoints under llm, within a budget of
llm.budget.tokens_per_window for this run. Nothing is written to Kafka.

A line that cannot be read is reported with its number on standard error and gets no flag. The rest is measured, and the
exit code is 1. --fail exits with 3 when any answer is recommended for blocking.`,
		Example: `  confab check interactions.jsonl | jq 'select(.fired != [])'
  zcat logs.jsonl.gz | confab check - --fail > flags.jsonl
  confab check chat.jsonl --input openai.chat.log
  confab check answers.jsonl --deep | jq '.signals[] | select(.detector == "consistency")'
  confab check rows.jsonl.gz --calibration calibration.yaml --now 2026-01-01T00:00:00Z`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := c.loadConfig(calibrationSetting(calibration)...)
			if err != nil {
				return err
			}
			now, err := parseClock(at)
			if err != nil {
				return err
			}
			in, size, err := c.openInput(args)
			if err != nil {
				return err
			}
			defer in.Close()
			evaluator, end, err := c.evaluator(cfg, useModels)
			if err != nil {
				return err
			}
			defer end()
			admitted, decode, err := lineInput(cfg, input)
			if err != nil {
				return err
			}
			progress := console.NewProgress(c.err, "lines", size)
			res, err := check.Run(cmd.Context(), progress.Reader(in), c.out, c.err, check.Options{
				Admit: admitted.Admit, Evaluate: evaluator.Evaluate, Now: now, Workers: runtime.GOMAXPROCS(0), Progress: progress.Count, Read: decode,
			})
			c.reportFields(progress, decode, admitted)
			if err == nil {
				err = c.checkResult(res, fail)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&calibration, "calibration", "", "calibration `file` instead of the configured one")
	cmd.Flags().StringVar(&input, "input", "", "read the lines as records of this input `topic`, by its map")
	cmd.Flags().StringVar(&at, "now", "", "`time` to stamp as detected_at (RFC 3339), for output that can be compared")
	cmd.Flags().BoolVar(&useModels, "deep", false, "ask the language models that are configured under llm, too")
	cmd.Flags().BoolVar(&fail, "fail", false, "exit 3 when any answer is recommended for blocking")
	return cmd
}

// reportFields ends the progress and prints how many records of an input had each field.
func (c *cli) reportFields(progress *console.Progress, decode check.LineDecoder, input *records.FileInput) {
	if progress.Stop(); decode != nil {
		fmt.Fprintln(c.err, strings.Join(input.Report(), "\n"))
	}
}

// checkResult returns the command's error: unreadable lines first, then blocked answers under --fail.
func (c *cli) checkResult(res check.Result, fail bool) error {
	switch {
	case res.Bad > 0:
		return res.Err()
	case fail && res.Blocked > 0:
		fmt.Fprintf(c.err, "%d of %d answers are recommended for blocking\n", res.Blocked, res.Lines)
		return errPolicy
	}
	return nil
}

// evaluator makes the evaluator of the command. Call end when it is no longer needed.
func (c *cli) evaluator(cfg *config.Config, useModels bool) (e *confab.Evaluator, end func(), err error) {
	if !useModels {
		e, err = evaluation.NewFast(cfg, nil, c.logger(cfg))
		return e, func() {}, err
	}
	e, end, err = deep.NewEvaluator(cfg, c.logger(cfg), time.Now)
	if err != nil {
		return nil, nil, usageError{fmt.Errorf("--deep: %w", err)}
	}
	return e, end, nil
}

// lineInput treats lines as records of an input topic. Without a topic decode is nil: lines are interactions or labelled
// rows.
func lineInput(cfg *config.Config, topic string) (input *records.FileInput, decode check.LineDecoder, err error) {
	if input, err = records.NewFileInput(cfg, topic); err != nil {
		return nil, nil, usageError{fmt.Errorf("--input: %w", err)}
	}
	if topic != "" {
		decode = input.Decode
	}
	return input, decode, nil
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
