package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab/internal/cli/diff"
	"confab/internal/console"
)

const diffLong = `Compares two sets of flags over the same interactions: those of two versions of Confab, or of two calibrations.
A and B are JSON Lines as confab check and confab tail --json write them, plain or gzip; one of them may be - (standard
input). Flags are paired by incident_id and pass. Of repeated flags the first counts.

Compared are: which rows exist, alert, recommendation, fired detectors, risk, and of each detector the outcome, score,
threshold and evidence spans. Texts, times, versions and calibration ids are not compared.

The summary counts alerts per 1,000 rows, which are pings per 1,000 answers where every answer has a flag. The worst rows
follow: alerts gained or lost first, then recommendations, outcomes, fired detectors, missing rows, and the largest
changes of a risk or score.

--fail-on exits with 3 when such a change exists. Its conditions are: alerts; outcomes (with fired detectors and
recommendations); scores; risk; spans; missing (appeared or vanished rows); any (all of these, and thresholds).
Inputs without flags, or without a common row, are an error: they show nothing.`

func newDiff(c *cli) *cobra.Command {
	var worst int
	var failOn []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A|- B|-",
		Short: "Compares two sets of flags, before a change of calibration or version",
		Long:  diffLong,
		Example: `  # before a change of calibration
  confab check traffic.jsonl > a.jsonl
  confab check --calibration new.yaml traffic.jsonl > b.jsonl
  confab diff a.jsonl b.jsonl

  # a new version must not change any result
  confab check rows.jsonl.gz | confab diff --fail-on outcomes,scores,risk,spans,missing before.jsonl.gz -

  # the interactions that alert now
  confab diff --json a.jsonl b.jsonl | jq -r '.rows[] | select(any(.changes[]; .aspect == "alert" and .to)) | .interaction_id'`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			conditions, err := diff.ParseConditions(failOn)
			if err != nil {
				return usageError{fmt.Errorf("--fail-on: %w", err)}
			}
			if err := checkDiffFlags(args, worst); err != nil {
				return usageError{err}
			}
			report, err := c.compareFlags(cmd, args, worst)
			if err != nil {
				return err
			}
			write := report.WriteText
			if asJSON {
				write = report.WriteJSON
			}
			if err := write(c.out); err != nil {
				return err
			}
			return c.refuseChanges(report, conditions)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&worst, "rows", 20, "worst rows to show")
	flags.StringSliceVar(&failOn, "fail-on", nil, "exit 3 on a change: a comma-separated `list` of any, alerts, outcomes, scores, risk, spans, missing")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

func checkDiffFlags(args []string, worst int) error {
	switch {
	case args[0] == "-" && args[1] == "-":
		return errors.New("only one side can be standard input: name a file for the other")
	case worst < 0:
		return fmt.Errorf("--rows %d: expected 0 or more", worst)
	}
	return nil
}

// compareFlags opens both sides and compares them, with a progress.
func (c *cli) compareFlags(cmd *cobra.Command, args []string, worst int) (*diff.Report, error) {
	var sides []diff.Source
	var inputs []io.Reader
	total, sized := int64(0), true
	for i := range args {
		in, size, err := c.openInput(args[i : i+1])
		if err != nil {
			return nil, err
		}
		defer in.Close()
		inputs = append(inputs, in)
		total, sized = total+size, sized && size > 0
	}
	if !sized {
		total = 0
	}
	progress := console.NewProgress(c.err, "flags", total)
	defer progress.Stop()
	for i, in := range inputs {
		name := args[i]
		if name == "-" {
			name = "standard input"
		}
		sides = append(sides, diff.Source{Name: name, Reader: progress.Reader(in)})
	}
	return diff.Compare(cmd.Context(), sides[0], sides[1], worst, progress.Count)
}

// refuseChanges returns errPolicy when the report holds one of the conditions, and names those that it holds.
func (c *cli) refuseChanges(report *diff.Report, conditions []diff.Condition) error {
	found := slices.DeleteFunc(slices.Clone(conditions), func(k diff.Condition) bool { return !report.Holds(k) })
	if len(found) == 0 {
		return nil
	}
	names := make([]string, len(found))
	for i, k := range found {
		names[i] = string(k)
	}
	fmt.Fprintf(c.err, "--fail-on: found changes: %s\n", strings.Join(names, ", "))
	return errPolicy
}
