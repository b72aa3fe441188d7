package main

import (
	"github.com/spf13/cobra"

	"confab/internal/app"
	"confab/internal/ops"
)

func newTopics(c *cli) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "topics",
		Short: "Plans and creates the topics",
		Example: `  confab topics plan
  confab topics apply --partitions 12 --replication-factor 3`,
	})
	cmd.AddCommand(
		newTopicsCommand(c, "plan", "Says what is missing or set differently, and changes nothing", ops.PlanTopics),
		newTopicsCommand(c, "apply", "Creates what is missing; existing topics are reported, never changed", ops.ApplyTopics),
	)
	return cmd
}

func newTopicsCommand(c *cli, name, short string, do ops.TopicsFunc) *cobra.Command {
	var size app.Sizing
	cmd := &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "  confab topics " + name + " --config confab.yaml --partitions 12",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.load()
			if err != nil {
				return err
			}
			return do(cmd.Context(), cfg.KafkaClient(c.logger(cfg)), app.TopicSpecs(cfg, size), c.out)
		},
	}
	cmd.Flags().IntVar(&size.Partitions, "partitions", 12, "partitions of the topics that carry interactions: twice the peak number of consumers")
	cmd.Flags().IntVar(&size.ReplicationFactor, "replication-factor", 0, "copies of each partition; 0 lets the cluster choose")
	return cmd
}
