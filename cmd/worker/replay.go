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
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/sampling"
)

const replayLong = `Measures a range of a topic of interactions again, as the role detect does, and prints the flags as JSON Lines. It joins no
consumer group, commits nothing and copies no samples. --to writes the flags, as JSON, to a topic that Confab does not use.

--live writes the flags that the range has in llm.incidents to a file, for confab diff. With equal versions, calibration and
settings both are equal byte by byte, except detected_at, and what
limits.event_deadline or observations changed. Observations need what came before the range.`

func newReplay(c *cli) *cobra.Command {
	var f rangeFlags
	var o replay.Options
	var to, live string
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Measures a range of a topic again without publishing",
		Long:  replayLong,
		Example: `  confab replay --from 24h --calibration new.yaml --live live.jsonl > new.jsonl
  confab diff live.jsonl new.jsonl
  confab replay --partitions 0 --from 1200 --until 1300 --all --to flags.replayed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := c.openRange(cmd.Context(), &f)
			if err != nil {
				return inputAsUsage(err)
			}
			defer r.done()
			o.All = o.All || r.cfg.Emit == config.EmitAll
			if live != "" {
				if err := c.writeLive(cmd.Context(), r, live); err != nil {
					return err
				}
			}
			return c.replay(cmd.Context(), r, &o, to)
		},
	}
	f.bind(cmd)
	cmd.Flags().BoolVar(&o.All, "all", false, "flags on which no detector fired too, as with emit: all")
	cmd.Flags().StringVar(&to, "to", "", "write the flags to this `topic` instead of standard output")
	cmd.Flags().StringVar(&live, "live", "", "write the live flags of the range to this `file`")
	return cmd
}

func (c *cli) replay(ctx context.Context, r *interactionRange, o *replay.Options, to string) (err error) {
	topic := r.cfg.Kafka.Topics.Incidents
	o.Kafka, o.Ranges, o.Decode, o.Evaluator = r.kafka, r.ranges, r.decode, r.evaluator
	o.Patience, o.Now = brokerPatience, time.Now
	if o.Sampler, err = sampling.New(r.cfg.SamplingOptions()); err != nil {
		return usageError{fmt.Errorf("sampling: %w", err)}
	}
	out := bufio.NewWriter(c.out)
	if to == "" {
		o.Out = out
	} else {
		topic = to
		if err := requireForeign(ctx, r, to); err != nil {
			return err
		}
		if o.Producer, err = kafka.NewProducer(r.kafka); err != nil {
			return err
		}
		defer o.Producer.Close()
	}
	if o.Publisher, err = newPublisher(ctx, r, topic); err != nil {
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

// requireForeign returns an error unless the topic exists and Confab does not use it.
func requireForeign(ctx context.Context, r *interactionRange, topic string) error {
	for _, s := range resources.TopicSpecs(r.cfg, resources.Sizing{}) {
		if s.Name == topic {
			return usageError{fmt.Errorf("--to %s: Confab uses this topic: name another one", topic)}
		}
	}
	return cluster.WithAdmin(ctx, r.kafka, func(ctx context.Context, admin *kafka.Admin) error {
		counts, err := admin.PartitionCounts(ctx, topic)
		if err == nil && counts[topic] == 0 {
			err = errors.New("the topic does not exist, or may not be described: create it with the tools of Kafka, or grant DESCRIBE")
		}
		if err != nil {
			return fmt.Errorf("--to %s: %w", topic, err)
		}
		return nil
	})
}

// newPublisher makes the publisher of flags to a topic, with its size limit.
func newPublisher(ctx context.Context, r *interactionRange, topic string) (p records.Publisher, err error) {
	var limits map[string]int
	err = cluster.WithAdmin(ctx, r.kafka, func(ctx context.Context, admin *kafka.Admin) (err error) {
		if limits, err = admin.MaxMessageBytes(ctx, topic); err != nil {
			return fmt.Errorf("read max.message.bytes of topic %s, grant DESCRIBE_CONFIGS: %w", topic, err)
		}
		return nil
	})
	p.Topics.Incidents, p.Limits = topic, kafka.NewSizeLimits(r.kafka, limits, topic)
	return p, err
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
