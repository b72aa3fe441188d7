package main

import (
	"errors"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
)

func newLabel(c *cli) *cobra.Command {
	var o incidents.LabelOptions
	var verdict string
	cmd := c.newConfigured("label", cobra.ExactArgs(1), func(cmd *cobra.Command, cfg *config.Config, args []string) error {
		if verdict == "" {
			return usageError{errors.New("--verdict is missing: write wrong or fine, what the answer is")}
		}
		find, done, err := c.incidentFinder(cfg)
		if err != nil {
			return err
		}
		defer done()
		progress := console.NewProgress(c.err, "flags", 0)
		defer progress.Stop()
		find.Progress, find.Done = progress.Count, progress.Stop
		find.Incident = args[0]
		o.Incidents, o.Topic, o.Verdict = find, cfg.Kafka.Topics.Feedback, verdict
		return incidents.Label(cmd.Context(), c.out, o)
	})
	flags := cmd.Flags()
	flags.StringVar(&verdict, "verdict", "", "`wrong` or fine: what the answer is")
	flags.StringVar(&o.Comment, "comment", "", "a `sentence` for readers of the label")
	flags.StringVar(&o.User, "user", osUser(), "who labels")
	flags.BoolVar(&o.Force, "force", false, "label a whole id whose flags are not found")
	flags.Lookup("user").DefValue = "the user of the system"
	return cmd
}

// incidentFinder makes the options that find incidents. Call done when they are no longer needed.
func (c *cli) incidentFinder(cfg *config.Config) (o incidents.FindOptions, done func(), err error) {
	registry, err := cfg.OpenRegistry(nil)
	if err != nil {
		return o, nil, err
	}
	done = func() {}
	if registry != nil {
		done = registry.Close
	}
	return incidents.FindOptions{
		Kafka: cfg.KafkaClient(c.logger(cfg)), Topic: cfg.Kafka.Topics.Incidents,
		Decode: records.NewFlagReader(registry), Now: time.Now,
	}, done, nil
}

// osUser is the name of the user who runs the command, "" where it is unknown.
func osUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
