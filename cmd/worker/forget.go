package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/cli/forget"
	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
)

func newForget(c *cli) *cobra.Command {
	o := &forget.Options{Now: time.Now, Timeout: brokerPatience}
	var dryRun, asJSON bool
	cmd := c.newConfigured("forget", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		return c.forget(cmd.Context(), cfg, o, asJSON)
	})
	flags, s := cmd.Flags(), &o.Selection
	flags.StringVar(&s.Tenant, "tenant", "", "records of this `tenant`")
	flags.StringArrayVar(&s.Interactions, "interaction-id", nil, "the interaction with this `id`; may be repeated")
	flags.StringArrayVar(&s.Conversations, "conversation-id", nil, "the conversation with this `id`; may be repeated")
	flags.StringArrayVar(&s.Incidents, "incident-id", nil, "the incident with this whole `id`; may be repeated")
	flags.StringArrayVar(&s.Attributes, "attribute", nil, "retained interactions with this attribute, as `NAME=VALUE`; may be repeated")
	flags.StringArrayVar(&s.Users, "user-id", nil, "votes of the end user with this `id`, and the answers whose records hold them; may be repeated")
	flags.BoolVar(&o.SkipInputs, "skip-inputs", false, "do not read input topics, copies and dead letters, which takes time")
	flags.BoolVar(&dryRun, "dry-run", false, "change nothing, the default")
	flags.BoolVar(&o.Write, "yes", false, "delete")
	flags.BoolVar(&asJSON, "json", false, "write JSON for scripts")
	flags.StringVar(&o.User, "user", osUser(), "who deletes")
	flags.Lookup("user").DefValue = "the user of the system"
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	return cmd
}

func (c *cli) forget(ctx context.Context, cfg *config.Config, o *forget.Options, asJSON bool) error {
	flags, done, err := c.incidentFinder(cfg)
	if err != nil {
		return err
	}
	defer done()
	o.Kafka, o.DecodeFlag, o.Topics = flags.Kafka, flags.Decode, forget.Topics(cfg)
	o.Labels, o.DeadLetters = cfg.Kafka.Topics.Feedback, cfg.Kafka.Topics.DLQ
	o.Votes = incidents.VotesOf(cfg)
	o.Open = func(cluster string) (records.RecordReader, func(), error) {
		return records.NewRecordReader(cfg, cluster)
	}
	count, end := console.NewStage(c.err, "records")
	o.Progress = count
	result, err := forget.Run(ctx, o)
	end()
	if result == nil {
		return err
	}
	if asJSON {
		return errors.Join(console.PrintJSON(c.out, result), err)
	}
	return errors.Join(forget.PrintTable(c.out, result, o.Write), err)
}
