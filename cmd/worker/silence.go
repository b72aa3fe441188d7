package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/worker/incidents"
	"confab/schemas"
)

const silenceLong = `A silence suppresses alerts until it ends: flags are still written, and silenced alerts are counted in
confab_notifications_suppressed_total{reason="silenced"}. They are not sent afterwards. All given matchers must match.
Silences are stored in llm.alerts; the worker applies a new one at once.`

func newSilence(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "silence",
		Short: "Mutes alerts for a while",
		Long:  silenceLong,
		Example: `  confab silence add --for 2h --service chat --detector citation --comment "new index is being built"
  confab silence list
  confab silence expire 3f9a`,
	})
	cmd.AddCommand(newSilenceAdd(c), newSilenceList(c), newSilenceExpire(c))
	return cmd
}

func newSilenceAdd(c *cli) *cobra.Command {
	var s schemas.Silence
	var d time.Duration
	cmd := &cobra.Command{
		Use:   "add --for DURATION",
		Short: "Mutes the alerts that match",
		Example: `  confab silence add --for 2h --service chat --detector citation
  confab silence add --for 8h --tenant acme --model gpt-5-mini --comment "rollout"
  confab silence add --for 1h --group 0123456789abcdef0123456789abcdef`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSilences(cmd.Context(), func(ctx context.Context, o incidents.SilenceOptions) error {
				var id [6]byte
				_, _ = rand.Read(id[:]) // never fails
				s.ID = hex.EncodeToString(id[:])
				return incidents.AddSilence(ctx, c.out, o, s, d)
			})
		},
	}
	flags, m := cmd.Flags(), &s.Matchers
	flags.DurationVar(&d, "for", 0, "how long, such as 1h or 30m; at most 720h")
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
	return cmd
}

func newSilenceList(c *cli) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Shows the silences, the first to end first",
		Example: `  confab silence list
  confab silence list --all --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withSilences(cmd.Context(), func(ctx context.Context, o incidents.SilenceOptions) error {
				kept, partitions, err := incidents.ListSilences(ctx, o, all)
				switch {
				case err != nil:
					return err
				case asJSON:
					return incidents.WriteSilences(c.out, kept, o.Now())
				default:
					return incidents.PrintSilences(c.out, kept, partitions, o.Now())
				}
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that have ended")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON Lines")
	return cmd
}

func newSilenceExpire(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "expire ID",
		Short:   "Ends a silence now",
		Example: "  confab silence expire 3f9a1c",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSilences(cmd.Context(), func(ctx context.Context, o incidents.SilenceOptions) error {
				return incidents.ExpireSilence(ctx, c.out, o, args[0])
			})
		},
	}
}

// withSilences calls do with the options of the configured cluster.
func (c *cli) withSilences(ctx context.Context, do func(ctx context.Context, o incidents.SilenceOptions) error) error {
	cfg, err := c.loadConfig()
	if err != nil {
		return err
	}
	return inputAsUsage(do(ctx, incidents.SilenceOptions{Kafka: cfg.KafkaClient(c.logger(cfg)), Topic: cfg.Kafka.Topics.Alerts, Now: time.Now}))
}
