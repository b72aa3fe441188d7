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

const observationsLong = `An observation is a claim that was found false. With observations.enabled the roles detect and serve flag each answer of the
same tenant that repeats it, by the detector known_false. Case, punctuation and spacing may differ; figures, names and
negation must not. A claim that a source of the answer states is not flagged.

Observations are stored in llm.observations, without secrets. A change has an effect within seconds, in every worker.
docs/observations.md has more.`

// observationFlags are the flags that several subcommands share.
type observationFlags struct {
	filter     observations.Filter
	user       string
	ttl        time.Duration
	json, yes  bool
	claim      string
	feedback   bool
	skipFaulty bool
}

func newObservations(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "observations",
		Short: "Keeps claims that were found false",
		Long:  observationsLong,
		Example: `  confab observations add 5e1d0c9a44f2
  confab observations list --about tower
  confab observations delete --tenant acme --yes`,
	})
	cmd.AddCommand(newObservationsList(c), newObservationsAdd(c), newObservationsImport(c), newObservationsDelete(c))
	return cmd
}

func newObservationsList(c *cli) *cobra.Command {
	var o observationFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Shows the claims that were found false",
		Example: `  confab observations list --tenant acme --about tower
  confab observations list --json > observations.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, at, err := c.observations()
			if err != nil {
				return err
			}
			all, err := observations.Select(cmd.Context(), at, &o.filter)
			switch {
			case err != nil:
				return err
			case o.json:
				return observations.WriteLines(c.out, all)
			}
			return observations.Print(c.out, all, at.Now())
		},
	}
	o.bindFilter(cmd)
	cmd.Flags().BoolVar(&o.filter.Expired, "all", false, "also expired ones")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON Lines, which import and check --observations read")
	return cmd
}

func (o *observationFlags) bindFilter(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.filter.Tenant, "tenant", "", "claims of this `tenant`")
	flags.StringVar(&o.filter.Incident, "incident", "", "claims of this `incident`, by its id or the beginning of it")
	flags.StringSliceVar(&o.filter.About, "about", nil, "claims with this `word`; if given several times, with all of them")
	flags.StringVar(&o.filter.Claim, "claim", "", "this claim: its `text`, or 12 or more digits of its key")
}

func newObservationsAdd(c *cli) *cobra.Command {
	var o observationFlags
	var tenant string
	cmd := &cobra.Command{
		Use:   "add INCIDENT | add --claim TEXT",
		Short: "Adds the flagged claims of an incident, or one claim",
		Long: `Adds the claims of an incident that detectors flagged, from its answer while that is retained; or one claim, a whole
sentence as answers have it. A claim that is there already is replaced, with a new expiry.`,
		Example: `  confab observations add 5e1d0c9a44f2
  confab observations add --claim "The tower is 331 m high." --tenant acme --ttl 8760h`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) == (o.claim == "") {
				return usageError{errors.New("name an INCIDENT or give a claim with --claim, one of both")}
			}
			cfg, at, err := c.observations()
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("ttl") {
				o.ttl = cfg.Observations.TTL
			}
			if o.claim != "" {
				one, err := observations.FromClaim(tenant, o.claim, o.user, at.Now(), o.ttl)
				if err != nil {
					return inputAsUsage(err)
				}
				return c.writeObservations(cmd.Context(), at, []schemas.Observation{one})
			}
			return c.withKeeper(cfg, at, o.ttl, func(k *observations.Keeper) error {
				all, err := k.FromIncident(cmd.Context(), args[0], o.user, at.Now())
				if err != nil {
					return inputAsUsage(err)
				}
				return c.writeObservations(cmd.Context(), at, all)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.claim, "claim", "", "a claim that is false, a whole `sentence`")
	flags.StringVar(&tenant, "tenant", schemas.DefaultTenant, "`tenant` of the claim")
	o.bindAuthor(cmd)
	return cmd
}

func (o *observationFlags) bindAuthor(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.user, "user", osUser(), "who adds the claims")
	cmd.Flags().DurationVar(&o.ttl, "ttl", 0, "how long the claims count; 0: for ever")
	cmd.Flags().Lookup("user").DefValue = "the user of the system"
	cmd.Flags().Lookup("ttl").DefValue = "observations.ttl"
}

func newObservationsImport(c *cli) *cobra.Command {
	var o observationFlags
	cmd := &cobra.Command{
		Use:   "import FILE|- | import --from-feedback",
		Short: "Adds claims of a file, or of all confirmed incidents",
		Long: `Adds the claims of a file of JSON Lines, as "confab observations list --json" writes them; a line with tenant and claim is
enough. Faulty lines are reported, and nothing is written unless --skip-faulty leaves them out.

--from-feedback adds the flagged claims of the incidents in llm.feedback whose last label is confirmed, as far as their answers
are retained.`,
		Example: `  confab observations import observations.jsonl
  confab observations import --from-feedback`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) == !o.feedback {
				return usageError{errors.New("name a FILE (- for standard input), or give --from-feedback, one of both")}
			}
			cfg, at, err := c.observations()
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("ttl") {
				o.ttl = cfg.Observations.TTL
			}
			if o.feedback {
				return c.importFeedback(cmd.Context(), cfg, at, o.ttl)
			}
			return c.importFile(cmd.Context(), at, args, &o)
		},
	}
	cmd.Flags().BoolVar(&o.feedback, "from-feedback", false, "add the claims of incidents that people confirmed")
	cmd.Flags().BoolVar(&o.skipFaulty, "skip-faulty", false, "leave faulty lines out instead of refusing them all")
	o.bindAuthor(cmd)
	return cmd
}

func (c *cli) importFile(ctx context.Context, at observations.Options, args []string, o *observationFlags) error {
	in, _, err := c.openInput(args)
	if err != nil {
		return err
	}
	defer in.Close()
	all, faults, err := observations.ReadLines(in, at.Now(), o.ttl)
	if err != nil {
		return err
	}
	console.PrintFaults(c.err, faults)
	if len(faults) > 0 && !o.skipFaulty {
		return usageError{errors.New("nothing was written: correct the faulty lines, or leave them out with --skip-faulty")}
	}
	return c.writeObservations(ctx, at, all)
}

func (c *cli) importFeedback(ctx context.Context, cfg *config.Config, at observations.Options, ttl time.Duration) error {
	return c.withKeeper(cfg, at, ttl, func(k *observations.Keeper) error {
		progress := console.NewProgress(c.err, "incidents", 0)
		defer progress.Stop()
		all, gone, err := k.FromFeedback(ctx, at.Kafka, cfg.Kafka.Topics.Feedback, progress.Count)
		if err != nil {
			return err
		}
		progress.Stop()
		if gone > 0 {
			if err := console.Printf(c.err, "%d labelled incidents are no longer retained\n", gone); err != nil {
				return err
			}
		}
		return c.writeObservations(ctx, at, all)
	})
}

func newObservationsDelete(c *cli) *cobra.Command {
	var o observationFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "delete --tenant TENANT | --incident INCIDENT | --claim TEXT | --about WORD | --all",
		Short: "Deletes claims, so that they are no longer flagged",
		Long: `Deletes the claims that all given flags select. It shows them and deletes nothing until --yes is given. Kafka removes
deleted records from its disks when it next compacts the topic.`,
		Example: `  confab observations delete --incident 5e1d0c9a44f2
  confab observations delete --tenant acme --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.filter.IsSet() == all {
				return usageError{errors.New("say which claims: --tenant, --incident, --claim or --about, or --all for every one")}
			}
			_, at, err := c.observations()
			if err != nil {
				return err
			}
			o.filter.Expired = true
			found, err := observations.Select(cmd.Context(), at, &o.filter)
			if err != nil {
				return err
			}
			if !o.yes || len(found) == 0 {
				return c.printDeletion(at, found)
			}
			if err := observations.Delete(cmd.Context(), at, found); err != nil {
				return err
			}
			return console.Printf(c.out, "deleted %d observations\n", len(found))
		},
	}
	o.bindFilter(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every claim of every tenant")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "delete them")
	return cmd
}

func (c *cli) printDeletion(at observations.Options, found []schemas.Observation) error {
	if err := observations.Print(c.out, found, at.Now()); err != nil || len(found) == 0 {
		return err
	}
	return console.Printf(c.err, "nothing was deleted: repeat with --yes to delete these %d\n", len(found))
}

func (c *cli) writeObservations(ctx context.Context, at observations.Options, all []schemas.Observation) error {
	if err := observations.Write(ctx, at, all); err != nil {
		return err
	}
	return observations.Print(c.out, all, at.Now())
}

// observations loads the configuration and returns where the observations are.
func (c *cli) observations() (*config.Config, observations.Options, error) {
	cfg, err := c.loadConfig()
	if err != nil {
		return nil, observations.Options{}, err
	}
	return cfg, observations.Options{Kafka: cfg.KafkaClient(c.logger(cfg)), Topic: cfg.Kafka.Topics.Observations, Now: time.Now}, nil
}

// withKeeper calls do with what reads incidents and their answers.
func (c *cli) withKeeper(cfg *config.Config, at observations.Options, ttl time.Duration, do func(k *observations.Keeper) error) error {
	registry, err := cfg.OpenRegistry(nil)
	if err != nil {
		return err
	}
	if registry != nil {
		defer registry.Close()
	}
	k := observations.NewKeeper(cfg, at.Kafka, records.NewFlagReader(registry), at.Now)
	k.TTL = ttl
	defer k.Texts.Close()
	return do(k)
}
