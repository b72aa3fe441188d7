package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/cli/verify"
	"confab/internal/console"
	"confab/internal/worker/config"
)

func newVerify(c *cli) *cobra.Command {
	var f rangeFlags
	var show int
	var asJSON bool
	cmd := newCommand("verify", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		if show < 0 {
			return usageError{fmt.Errorf("--show %d: expected 0 or more", show)}
		}
		r, err := c.openRange(cmd.Context(), &f)
		if err != nil {
			return err
		}
		defer r.done()
		return c.verify(cmd.Context(), r, show, asJSON)
	})
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
	if asJSON {
		err = console.PrintJSON(c.out, result)
	} else {
		err = verify.Print(c.out, result)
	}
	if err != nil {
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
