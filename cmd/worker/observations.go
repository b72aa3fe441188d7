package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/observations"
	"confab/internal/worker/records"
	"confab/schemas"
)

// observationFlags are the flags of confab observations.
type observationFlags struct {
	filter                               observations.Filter
	add, claim, file, user               string
	feedback, remove                     bool
	all, json, yes, skipFaulty, ttlGiven bool
	ttl                                  time.Duration
}

func newObservations(c *cli) *cobra.Command {
	var o observationFlags
	cmd := c.newConfigured("observations", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		o.ttlGiven = cmd.Flags().Changed("ttl")
		return c.observations(cmd.Context(), cfg, &o)
	})
	flags := cmd.Flags()
	flags.StringVar(&o.filter.Tenant, "tenant", "", "claims of this `tenant`; with --add-claim the tenant of the claim")
	flags.StringVar(&o.filter.Incident, "incident", "", "claims of this `incident`, by its id or the beginning of it")
	flags.StringSliceVar(&o.filter.About, "about", nil, "claims with this `word`; if given several times, with all of them")
	flags.StringVar(&o.filter.Claim, "claim", "", "this claim: its `text`, or 12 or more digits of its key")
	flags.BoolVar(&o.all, "all", false, "also expired claims; with --delete every claim of every tenant")
	flags.BoolVar(&o.json, "json", false, "print JSON Lines, which --import and check --observations read")
	flags.StringVar(&o.add, "add", "", "add the flagged claims of this `incident`")
	flags.StringVar(&o.claim, "add-claim", "", "add a claim that is false, a whole `sentence`")
	flags.StringVar(&o.file, "import", "", "add the claims of a `file`, - for standard input")
	flags.BoolVar(&o.skipFaulty, "skip-faulty", false, "with --import: leave faulty lines out instead of refusing them all")
	flags.BoolVar(&o.feedback, "from-feedback", false, "add the claims of incidents that people confirmed")
	flags.StringVar(&o.user, "user", osUser(), "who adds the claims")
	flags.Lookup("user").DefValue = "the user of the system"
	flags.DurationVar(&o.ttl, "ttl", 0, "how long added claims count; 0: for ever")
	flags.Lookup("ttl").DefValue = "observations.ttl"
	flags.BoolVar(&o.remove, "delete", false, "delete the selected claims")
	flags.BoolVar(&o.yes, "yes", false, "with --delete: delete them")
	cmd.MarkFlagsMutuallyExclusive("add", "add-claim", "import", "from-feedback", "delete")
	return cmd
}

// observations does what the flags say.
func (c *cli) observations(ctx context.Context, cfg *config.Config, o *observationFlags) error {
	if o.remove && o.filter.IsSet() == o.all {
		return usageError{errors.New("say which claims: --tenant, --incident, --claim or --about, or --all for every one")}
	}
	at := observations.Options{Kafka: cfg.KafkaClient(c.logger(cfg)), Topic: cfg.Kafka.Topics.Observations, Now: time.Now}
	if !o.ttlGiven {
		o.ttl = cfg.Observations.TTL
	}
	added, err := c.addedObservations(ctx, cfg, at, o)
	switch {
	case err != nil:
		return err
	case added != nil:
		if err := observations.Write(ctx, at, added); err != nil {
			return err
		}
		return observations.Print(c.out, added, at.Now())
	case o.feedback: // nothing to add
		return observations.Print(c.out, nil, at.Now())
	}
	return c.selectedObservations(ctx, at, o)
}

// addedObservations are the observations that the flags add.
func (c *cli) addedObservations(ctx context.Context, cfg *config.Config, at observations.Options, o *observationFlags) (all []schemas.Observation, err error) {
	switch {
	case o.claim != "":
		one, err := observations.FromClaim(o.filter.Tenant, o.claim, o.user, at.Now(), o.ttl)
		return []schemas.Observation{one}, err
	case o.file != "":
		return c.importedObservations(at, o)
	case o.add == "" && !o.feedback:
		return nil, nil
	}
	registry, err := cfg.OpenRegistry(nil)
	if err != nil {
		return nil, err
	}
	if registry != nil {
		defer registry.Close()
	}
	k := observations.NewKeeper(cfg, at.Kafka, records.NewFlagReader(registry), at.Now)
	k.TTL = o.ttl
	defer k.Texts.Close()
	if o.add != "" {
		return k.FromIncident(ctx, o.add, o.user, at.Now())
	}
	progress := console.NewProgress(c.err, "incidents", 0)
	all, gone, err := k.FromFeedback(ctx, at.Kafka, cfg.Kafka.Topics.Feedback, progress.Count)
	progress.Stop()
	if err == nil && gone > 0 {
		err = console.Printf(c.err, "%d labelled incidents are no longer retained\n", gone)
	}
	return all, err
}

func (c *cli) importedObservations(at observations.Options, o *observationFlags) ([]schemas.Observation, error) {
	in, _, err := c.openInput([]string{o.file})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all, faults, err := observations.ReadLines(in, at.Now(), o.ttl)
	if err != nil {
		return nil, err
	}
	console.PrintFaults(c.err, faults)
	if len(faults) > 0 && !o.skipFaulty {
		return nil, usageError{errors.New("nothing was written: correct the faulty lines, or leave them out with --skip-faulty")}
	}
	return all, nil
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
