package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"confab/internal/cli/check"
	"confab/internal/cli/produce"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/recordshape"
	"confab/schemas"
)

type produceFlags struct {
	topic, format string
	rate          float64
	raw           bool
	shape         lineShape
}

func newProduce(c *cli) *cobra.Command {
	var o produceFlags
	cmd := c.newConfigured("produce", cobra.ExactArgs(1), func(cmd *cobra.Command, cfg *config.Config, args []string) error {
		return c.produce(cmd.Context(), cfg, args, o)
	})
	cmd.Flags().StringVar(&o.topic, "topic", "", "`topic` to write to (default: the first of kafka.inputs)")
	cmd.Flags().StringVar(&o.format, "format", config.FormatJSON, "how to write the values: json or avro")
	cmd.Flags().Float64Var(&o.rate, "rate", 0, "records a second; 0 is as fast as possible")
	cmd.Flags().BoolVar(&o.raw, "raw", false, "write each line as it is")
	o.shape.bind(cmd)
	for _, name := range []string{"format", "input", "preset", "map"} {
		cmd.MarkFlagsMutuallyExclusive(name, "raw")
	}
	return cmd
}

// produce writes the lines of the named file.
func (c *cli) produce(ctx context.Context, cfg *config.Config, args []string, o produceFlags) error {
	in, size, err := c.openInput(args)
	if err != nil {
		return err
	}
	defer in.Close()
	name, topic := args[0], cmp.Or(o.topic, cfg.Kafka.Inputs[0].Topic)
	if name == "-" {
		name = "standard input"
	}
	options := produce.Options{Topic: topic, Name: name, Rate: o.rate, Raw: o.raw}
	if err = o.shape.setReading(cfg, &options); err != nil {
		return err
	}
	client := cfg.KafkaClient(c.logger(cfg))
	if err := cluster.RequireTopic(ctx, client, topic); err != nil {
		return err
	}
	client.Proven = true // a broker that restarts while records are written is waited for
	var done func()
	options.Encode, done, err = newRecordEncoder(ctx, cfg, o.format, topic)
	if err != nil {
		return err
	}
	defer done()
	if options.Producer, err = kafka.NewProducer(client); err != nil {
		return err
	}
	defer options.Producer.Close()
	if !o.raw && isMapped(cfg, topic) {
		fmt.Fprintf(c.err, "warning: the input %s has a map, and these records have Confab's own names; --raw writes the lines as they are\n", topic)
	}
	progress := console.NewProgress(c.err, "records", size)
	options.Progress = progress.Count
	res, err := produce.Run(ctx, progress.Reader(in), c.err, options)
	progress.Stop()
	fmt.Fprintf(c.err, "%d records written to %s, %d without a model's answer left out\n", res.Written, topic, res.Skipped)
	if err == nil && res.Bad > 0 {
		err = fmt.Errorf("%w: %d of %d", check.ErrBadLines, res.Bad, res.Lines)
	}
	return err
}

// setReading sets how lines are read.
func (s *lineShape) setReading(cfg *config.Config, o *produce.Options) error {
	input, decode, err := s.open(cfg)
	if err != nil {
		return err
	}
	o.Parts = input.Parts()
	input.LearnOrder(o.Name, decode != nil)
	if decode == nil || input.HoldsSpans() {
		o.Expand, _, err = s.expander(cfg, input)
	}
	o.Decode = func(line []byte, row *schemas.Labelled) error {
		if decode != nil {
			return decode(line, &row.Interaction)
		}
		defer input.ReadTime(&row.Interaction)
		return recordshape.DecodeLabelled(line, row)
	}
	if topicInput, fault := records.NewFileInput(cfg, o.Topic); fault == nil { // else no input reads the topic
		o.Reads = func(line []byte) bool { return topicInput.Decode(line, new(schemas.Interaction)) == nil }
	}
	return err
}

// isMapped reports whether the topic is an input with a map.
func isMapped(cfg *config.Config, topic string) bool {
	return slices.ContainsFunc(cfg.Kafka.Inputs, func(in config.Input) bool { return in.Topic == topic && len(in.Map) > 0 })
}

// newRecordEncoder encodes record values in the format; nil stands for JSON. Call done when it is no longer needed.
func newRecordEncoder(ctx context.Context, cfg *config.Config, format, topic string) (encode records.InteractionEncoder, done func(), err error) {
	switch format {
	case config.FormatJSON:
		return nil, func() {}, nil
	case config.FormatAvro:
	default:
		return nil, nil, usageError{fmt.Errorf("--format %s: expected json or avro", format)}
	}
	registry, err := openRegistry(cfg)
	if err != nil {
		return nil, nil, err
	}
	if encode, err = records.NewInteractionEncoder(ctx, registry, topic); err != nil {
		registry.Close()
		return nil, nil, err
	}
	return encode, registry.Close, nil
}
