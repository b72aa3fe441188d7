package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/cli/verify"
	"confab/internal/console"
	"confab/internal/worker/config"
)

const verifyLong = `Audits a range of a topic of interactions, while workers run: each offset that the group of detect has committed must have one
outcome. That is a flag in llm.incidents, a dead letter, or none if the record has no value, or is left out by its input, or
nothing fires. An interaction without a flag is measured again, with emit: all it is lost. The command reads committed records
only and changes nothing.

It prints one line of counts, then the coordinates of the first lost records, and exits with 3 if any is lost. Repeats are flags
with equal ids, as at least once allows. Start a range with --from where the group started to read.

Measuring again needs the calibration and version that were in force; the flags name them. An evaluation that reached
limits.event_deadline may fire now and is then reported as lost.`

func newVerify(c *cli) *cobra.Command {
	var f rangeFlags
	var show int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Audits that every committed interaction has an outcome",
		Long:  verifyLong,
		Example: `  confab verify --from 24h
  confab verify --topic llm.interactions --partitions 0,3 --from 120000 --until 180000
  confab verify --from 2026-11-21T10:00:00Z --calibration before.yaml --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if show < 0 {
				return usageError{fmt.Errorf("--show %d: expected 0 or more", show)}
			}
			r, err := c.openRange(cmd.Context(), &f)
			if err != nil {
				return inputAsUsage(err)
			}
			defer r.done()
			return c.verify(cmd.Context(), r, show, asJSON)
		},
	}
	f.bind(cmd)
	cmd.Flags().IntVar(&show, "show", 10, "lost records to print")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON for scripts")
	return cmd
}

func (c *cli) verify(ctx context.Context, r *interactionRange, show int, asJSON bool) error {
	count, end := console.NewStage(c.err, "records")
	result, err := verify.Run(ctx, &verify.Options{
		Kafka: r.kafka, Ranges: r.ranges, Group: r.cfg.Group(config.RoleDetect),
		Incidents: r.cfg.Kafka.Topics.Incidents, DeadLetters: r.cfg.Kafka.Topics.DLQ,
		Decode: r.decode, DecodeFlag: r.flags.Decode, Evaluator: r.evaluator, EmitAll: r.cfg.Emit == config.EmitAll,
		Lost: show, Patience: brokerPatience, Progress: count,
	})
	end()
	if err != nil {
		return err
	}
	write := verify.Print
	if asJSON {
		write = verify.PrintJSON
	}
	if err := write(c.out, result); err != nil {
		return err
	}
	for _, note := range result.Notes {
		fmt.Fprintln(c.err, note)
	}
	if result.Lost > 0 {
		return errPolicy
	}
	return nil
}
