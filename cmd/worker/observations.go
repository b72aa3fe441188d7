package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/worker/observations"
	"confab/schemas"
)

const observationsLong = `An observation is a claim that was found false. With observations.enabled the roles detect and serve flag each answer of the
same tenant that repeats it, by the detector known_false. Case, punctuation and spacing may differ; figures, names and
negation must not. A claim that a source of the answer states is not flagged.

The role alert keeps the flagged claims of incidents that people confirm; --add-claim adds another one. Without --add-claim or
--delete it shows the claims that --tenant, --incident and --claim select. --delete shows what it would delete until --yes is
given.

Observations are stored in llm.observations, without secrets. A change has an effect within seconds, in every worker.
docs/observations.md has more.`

// observationFlags are the flags of confab observations.
type observationFlags struct {
	filter                           observations.Filter
	claim, user                      string
	all, json, remove, yes, ttlGiven bool
	ttl                              time.Duration
}

func newObservations(c *cli) *cobra.Command {
	var o observationFlags
	cmd := &cobra.Command{
		Use:   "observations",
		Short: "Shows, adds and deletes claims that were found false",
		Long:  observationsLong,
		Example: `  confab observations --tenant acme
  confab observations --add-claim "The tower is 331 m high." --tenant acme --ttl 8760h
  confab observations --json > observations.jsonl
  confab observations --delete --tenant acme --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ttlGiven = cmd.Flags().Changed("ttl")
			return inputAsUsage(c.observations(cmd.Context(), &o))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.filter.Tenant, "tenant", "", "claims of this `tenant`; with --add-claim the tenant of the claim")
	flags.StringVar(&o.filter.Incident, "incident", "", "claims of this `incident`, by its id or the beginning of it")
	flags.StringVar(&o.filter.Claim, "claim", "", "this claim: its `text`, or 12 or more digits of its key")
	flags.BoolVar(&o.all, "all", false, "also expired claims; with --delete every claim of every tenant")
	flags.BoolVar(&o.json, "json", false, "print JSON Lines")
	flags.StringVar(&o.claim, "add-claim", "", "add a claim that is false, a whole `sentence`")
	flags.StringVar(&o.user, "user", osUser(), "who adds the claim")
	flags.Lookup("user").DefValue = "the user of the system"
	flags.DurationVar(&o.ttl, "ttl", 0, "how long the added claim counts; 0: for ever")
	flags.Lookup("ttl").DefValue = "observations.ttl"
	flags.BoolVar(&o.remove, "delete", false, "delete the selected claims")
	flags.BoolVar(&o.yes, "yes", false, "with --delete: delete them")
	cmd.MarkFlagsMutuallyExclusive("add-claim", "delete")
	return cmd
}

// observations does what the flags say.
func (c *cli) observations(ctx context.Context, o *observationFlags) error {
	if o.remove && o.filter.IsSet() == o.all {
		return usageError{errors.New("say which claims: --tenant, --incident or --claim, or --all for every one")}
	}
	cfg, err := c.loadConfig()
	if err != nil {
		return err
	}
	at := observations.Options{Kafka: cfg.KafkaClient(c.logger(cfg)), Topic: cfg.Kafka.Topics.Observations, Now: time.Now}
	if o.claim == "" {
		err := c.selectedObservations(ctx, at, o)
		if err != nil && !cfg.Observations.Enabled {
			err = fmt.Errorf("%w, after observations.enabled is set to true", err)
		}
		return err
	}
	if !cfg.Observations.Enabled {
		return usageError{errors.New("--add-claim: observations.enabled is false, so nothing would read the claim: set it to true for the workers and for this command")}
	}
	if !o.ttlGiven {
		o.ttl = cfg.Observations.TTL
	}
	one, err := observations.FromClaim(o.filter.Tenant, o.claim, o.user, at.Now(), o.ttl)
	if err == nil {
		err = observations.Write(ctx, at, &one)
	}
	if err != nil {
		return err
	}
	return observations.Print(c.out, []schemas.Observation{one}, at.Now())
}

// selectedObservations shows or deletes the selected observations.
func (c *cli) selectedObservations(ctx context.Context, at observations.Options, o *observationFlags) error {
	o.filter.Expired = o.all || o.remove
	found, err := observations.Select(ctx, at, &o.filter)
	switch {
	case err != nil:
		return err
	case o.remove && o.yes && len(found) > 0:
		if err := observations.Delete(ctx, at, found); err != nil {
			return err
		}
		return console.Printf(c.out, "deleted %d observations\n", len(found))
	case o.json:
		return observations.WriteLines(c.out, found)
	}
	if err := observations.Print(c.out, found, at.Now()); err != nil || !o.remove || len(found) == 0 {
		return err
	}
	return console.Printf(c.err, "nothing was deleted: repeat with --yes to delete these %d\n", len(found))
}
