package main

import (
	"github.com/spf13/cobra"

	"confab/internal/cli/topics"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

func newTopics(c *cli) *cobra.Command {
	var principal string
	plan := newTopicsCommand(c, "topics plan", func(cmd *cobra.Command, cfg *config.Config, specs []kafka.TopicSpec) error {
		if cmd.Flags().Changed("principal") { // before brokers are contacted, which may refuse to answer without these rules
			err := topics.PlanAccess(c.out, topics.AccessPlan{Principal: principal, Brokers: cfg.Kafka.SeedBrokers, Grants: resources.AllGrants(cfg)})
			if err != nil {
				return usageError{err}
			}
		}
		return topics.Plan(cmd.Context(), cfg.KafkaClient(c.logger(cfg)), specs, c.out)
	})
	plan.Flags().StringVar(&principal, "principal", "", "print the access rules (ACLs) that this `User:name` needs, by role")
	apply := newTopicsCommand(c, "topics apply", func(cmd *cobra.Command, cfg *config.Config, specs []kafka.TopicSpec) error {
		return topics.Apply(cmd.Context(), cfg.KafkaClient(c.logger(cfg)), specs, c.out)
	})
	cmd := commandGroup(newCommand("topics", nil, nil))
	cmd.AddCommand(plan, apply)
	return cmd
}

func newTopicsCommand(c *cli, path string, do func(cmd *cobra.Command, cfg *config.Config, specs []kafka.TopicSpec) error) *cobra.Command {
	var size resources.Sizing
	cmd := c.newConfigured(path, cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		return do(cmd, cfg, resources.TopicSpecs(cfg, size))
	})
	cmd.Flags().IntVar(&size.Partitions, "partitions", 12, "partitions of the topics that carry interactions: twice the peak number of consumers")
	cmd.Flags().IntVar(&size.ReplicationFactor, "replication-factor", 0, "copies of each partition; 0 lets the cluster choose")
	return cmd
}
