package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confab"
	"confab/internal/cli/topicrange"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
)

// rangeFlags are those of commands that measure a range of a topic of interactions again.
type rangeFlags struct {
	topicrange.Selection

	calibration string
}

func (f *rangeFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Topic, "topic", "", "`topic` of interactions, an input of the configuration (default: the only one)")
	flags.Int32SliceVar(&f.Partitions, "partitions", nil, "only these `partitions`")
	flags.StringVar(&f.From, "from", "", "first `offset` or time, such as 1200, 2026-11-21T10:00:00Z, or 36h or 7d ago (default: the oldest record)")
	flags.StringVar(&f.Until, "until", "", "`offset` or time to stop before (default: the newest record)")
	flags.StringVar(&f.calibration, "calibration", "", "calibration `file` instead of the configured one")
}

// interactionRange is a range of a topic of interactions, and what is needed to measure it again.
type interactionRange struct {
	cfg       *config.Config
	kafka     kafka.Config
	ranges    []kafka.Range
	decode    records.RecordReader
	evaluator *confab.Evaluator
	flags     incidents.FindOptions
	done      func()
}

// openRange loads the configuration and looks up the range. Call done when it is no longer needed.
func (c *cli) openRange(ctx context.Context, f *rangeFlags) (*interactionRange, error) {
	cfg, err := c.loadConfig(calibrationSetting(f.calibration)...)
	if err != nil {
		return nil, err
	}
	input, err := inputOf(cfg, f.Topic)
	if err != nil {
		return nil, usageError{err}
	}
	f.Topic = input.Topic
	r := &interactionRange{cfg: cfg, kafka: cfg.KafkaClient(c.logger(cfg))}
	if r.evaluator, err = evaluation.NewFast(cfg, nil, nil); err != nil {
		return nil, usageError{err}
	}
	if r.ranges, err = f.Resolve(ctx, r.kafka, time.Now()); err != nil {
		return nil, err
	}
	var id string
	err = cluster.WithAdmin(ctx, r.kafka, func(ctx context.Context, admin *kafka.Admin) (err error) {
		id, err = admin.ClusterID(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	var closeFlags, closeRecords func()
	if r.flags, closeFlags, err = c.incidentFinder(cfg); err != nil {
		return nil, err
	}
	if r.decode, closeRecords, err = records.NewRecordDecoder(cfg, id); err != nil {
		closeFlags()
		return nil, err
	}
	r.done = func() { closeRecords(); closeFlags() }
	return r, nil
}

// inputOf is the named input, or the only one.
func inputOf(cfg *config.Config, topic string) (*config.Input, error) {
	var names []string
	for i := range cfg.Kafka.Inputs {
		in := &cfg.Kafka.Inputs[i]
		if names = append(names, in.Topic); topic != in.Topic && (topic != "" || len(cfg.Kafka.Inputs) > 1) {
			continue
		}
		return in, nil
	}
	return nil, fmt.Errorf("--topic %q: name an input of the configuration: %s", topic, strings.Join(names, ", "))
}
