package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/cli/replay"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/sampling"
)

func newReplay(c *cli) *cobra.Command {
	var f rangeFlags
	var o replay.Options
	var live string
	cmd := newCommand("replay", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		r, err := c.openRange(cmd.Context(), &f)
		if err != nil {
			return err
		}
		defer r.done()
		o.All = o.All || r.cfg.Emit == config.EmitAll
		if live != "" {
			if err := c.writeLive(cmd.Context(), r, live); err != nil {
				return err
			}
		}
		return c.replay(cmd.Context(), r, &o)
	})
	f.bind(cmd)
	cmd.Flags().BoolVar(&o.All, "all", false, "flags on which no detector fired too, as with emit: all")
	cmd.Flags().StringVar(&live, "live", "", "write the live flags of the range to this `file`")
	return cmd
}

func (c *cli) replay(ctx context.Context, r *interactionRange, o *replay.Options) (err error) {
	o.Kafka, o.Ranges, o.Decode, o.Evaluator = r.kafka, r.ranges, r.decode, r.evaluator
	o.Patience, o.Now = brokerPatience, time.Now
	if o.Sampler, err = sampling.New(r.cfg.SamplingOptions()); err != nil {
		return usageError{fmt.Errorf("sampling: %w", err)}
	}
	out := bufio.NewWriter(c.out)
	o.Out = out
	topic := r.cfg.Kafka.Topics.Incidents
	err = cluster.WithAdmin(ctx, r.kafka, func(ctx context.Context, admin *kafka.Admin) error {
		limits, err := admin.MaxMessageBytes(ctx, topic)
		if err != nil {
			return fmt.Errorf("read max.message.bytes of topic %s, grant DESCRIBE_CONFIGS: %w", topic, err)
		}
		o.Publisher.Topics.Incidents, o.Publisher.Limits = topic, kafka.NewSizeLimits(r.kafka, limits, topic)
		return nil
	})
	if err != nil {
		return err
	}
	count, end := console.NewStage(c.err, "records")
	o.Progress = count
	result, err := replay.Run(ctx, o)
	err = errors.Join(err, out.Flush())
	end()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.err, "%d records: %d flags, %d dead letters\n", result.Records, result.Flags, result.Undecodable)
	return nil
}

// writeLive writes the live flags of the range to a file.
func (c *cli) writeLive(ctx context.Context, r *interactionRange, file string) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return usageError{fmt.Errorf("--live: %w", err)}
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	count, end := console.NewStage(c.err, "live flags read")
	flags, err := replay.WriteLive(ctx, w, &replay.LiveOptions{
		Kafka: r.kafka, Topic: r.cfg.Kafka.Topics.Incidents, Ranges: r.ranges, Decode: r.flags.Decode, Patience: brokerPatience, Progress: count,
	})
	end()
	fmt.Fprintf(c.err, "%d live flags of the range\n", flags)
	return errors.Join(err, w.Flush())
}
