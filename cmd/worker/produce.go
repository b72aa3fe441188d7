package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/kafka"
	"confab/internal/ops"
)

func newProduce(c *cli) *cobra.Command {
	var topic string
	var rate float64
	var raw bool
	cmd := &cobra.Command{
		Use:   "produce FILE|-",
		Short: "Writes interactions of a file to Kafka",
		Long: `Reads interactions or labelled rows as JSON Lines (gzip is recognized) and writes them to the first configured
input topic, keyed by conversation, else by interaction. Lines that are no interaction are reported with their number
and left out; the exit code is then 1. --raw writes every line as it is.`,
		Example: `  confab produce interactions.jsonl
  confab produce rows.jsonl.gz --rate 100 --topic llm.interactions
  confab produce broken.jsonl --raw`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := c.load()
			if err != nil {
				return err
			}
			in, size, err := c.input(args)
			if err != nil {
				return err
			}
			defer in.Close()
			if topic == "" {
				topic = cfg.Kafka.Inputs[0].Topic
			}
			client := cfg.KafkaClient(c.logger(cfg))
			if err := ops.Reach(cmd.Context(), client, topic); err != nil {
				return err
			}
			producer, err := kafka.NewProducer(client)
			if err != nil {
				return err
			}
			defer producer.Close()
			bar := c.progress("records", size)
			res, err := ops.Produce(cmd.Context(), bar.Reader(in), c.err, ops.ProduceOptions{
				Producer: producer, Topic: topic, Rate: rate, Raw: raw, Progress: bar.Count,
			})
			bar.Stop()
			fmt.Fprintf(c.err, "%d records written to %s\n", res.Written, topic)
			if err == nil && res.Bad > 0 {
				err = fmt.Errorf("%w: %d of %d", ops.ErrBadLines, res.Bad, res.Lines)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&topic, "topic", "", "`topic` to write to (default: the first of kafka.inputs)")
	cmd.Flags().Float64Var(&rate, "rate", 0, "records a second; 0 is as fast as possible")
	cmd.Flags().BoolVar(&raw, "raw", false, "write each line as it is")
	return cmd
}
