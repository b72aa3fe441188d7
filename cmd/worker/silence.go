package main

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/schemas"
)

func newSilence(c *cli) *cobra.Command {
	var s schemas.Silence
	var d time.Duration
	var expire string
	var all, asJSON bool
	cmd := c.newConfigured("silence", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		o := incidents.SilenceOptions{Kafka: cfg.KafkaClient(c.logger(cfg)), Topic: cfg.Kafka.Topics.Alerts, Now: time.Now}
		adds := slices.ContainsFunc([]string{"for", "tenant", "service", "operation", "provider", "model", "detector", "group"}, cmd.Flags().Changed)
		switch {
		case expire != "":
			return incidents.ExpireSilence(cmd.Context(), c.out, o, expire)
		case adds:
			var id [6]byte
			_, _ = rand.Read(id[:]) // never fails
			s.ID = hex.EncodeToString(id[:])
			return incidents.AddSilence(cmd.Context(), c.out, o, s, d)
		}
		return incidents.ShowSilences(cmd.Context(), c.out, o, all, asJSON)
	})
	flags, m := cmd.Flags(), &s.Matchers
	flags.DurationVar(&d, "for", 0, "mute for so long, such as 1h or 30m; at most 720h")
	flags.StringVar(&m.Tenant, "tenant", "", "alerts of this `tenant`")
	flags.StringVar(&m.Service, "service", "", "alerts of this `service`")
	flags.StringVar(&m.Operation, "operation", "", "alerts of this `operation`")
	flags.StringVar(&m.Provider, "provider", "", "alerts of this `provider`")
	flags.StringVar(&m.Model, "model", "", "alerts of this `model`")
	flags.StringSliceVar(&m.Detectors, "detector", nil, "alerts in which this `detector` fired; if given several times, all must have fired")
	flags.StringVar(&s.Group, "group", "", "alerts of one group, by its `key`")
	flags.StringVar(&s.Comment, "comment", "", "why, a `sentence`")
	flags.StringVar(&s.User, "user", osUser(), "who silences")
	flags.Lookup("user").DefValue = "the user of the system"
	flags.StringVar(&expire, "expire", "", "end the silence with this `id`, or the beginning of it, now")
	flags.BoolVar(&all, "all", false, "show also those that have ended")
	flags.BoolVar(&asJSON, "json", false, "show JSON Lines")
	cmd.MarkFlagsMutuallyExclusive("for", "expire")
	cmd.MarkFlagsMutuallyExclusive("for", "all")
	cmd.MarkFlagsMutuallyExclusive("expire", "all")
	return cmd
}
