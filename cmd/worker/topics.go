package main

import (
	"github.com/spf13/cobra"

	"confab/internal/cli/topics"
	"confab/internal/worker/resources"
)

func newTopics(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "topics",
		Short: "Plans and creates the topics",
		Example: `  confab topics plan
  confab topics apply --partitions 12 --replication-factor 3`,
	})
	plan := newTopicsCommand(c, "plan", "Shows which topics are missing or configured differently; changes nothing", topics.Plan)
	withPrincipal(c, plan)
	cmd.AddCommand(
		plan,
		newTopicsCommand(c, "apply", "Creates missing topics; reports existing ones and never changes them", topics.Apply),
	)
	return cmd
}

func newTopicsCommand(c *cli, name, short string, do topics.Func) *cobra.Command {
	var size resources.Sizing
	cmd := &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "  confab topics " + name + " --config confab.yaml --partitions 12",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			return do(cmd.Context(), cfg.KafkaClient(c.logger(cfg)), resources.TopicSpecs(cfg, size), c.out)
		},
	}
	cmd.Flags().IntVar(&size.Partitions, "partitions", 12, "partitions of the topics that carry interactions: twice the peak number of consumers")
	cmd.Flags().IntVar(&size.ReplicationFactor, "replication-factor", 0, "copies of each partition; 0 lets the cluster choose")
	return cmd
}

// withPrincipal adds --principal to plan. It prints the access rules before it contacts brokers, which may refuse to answer
// without them.
func withPrincipal(c *cli, plan *cobra.Command) {
	var principal string
	plan.Flags().StringVar(&principal, "principal", "", "print the access rules (ACLs) that this `User:name` needs, by role")
	plan.Example += "\n  confab topics plan --principal User:confab"
	printPlan := plan.RunE
	plan.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("principal") {
			return printPlan(cmd, args)
		}
		cfg, err := c.loadConfig()
		if err != nil {
			return err
		}
		err = topics.PlanAccess(c.out, topics.AccessPlan{
			Principal: principal, Brokers: cfg.Kafka.SeedBrokers, Grants: resources.AllGrants(cfg),
		})
		if err != nil {
			return usageError{err}
		}
		return printPlan(cmd, args)
	}
}
