package main

import (
	"errors"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/incidents"
	"confab/cmd/worker/internal/records"
	"confab/schemas"
)

const labelLong = `Says of an incident whether its answer is wrong (confirmed) or fine (false_positive), as the buttons under a message in
Slack do: the label goes to llm.feedback, shows in the message, counts in confab_feedback_precision, and "confab calibrate
--feedback" makes thresholds of many.

INCIDENT is the id that stands under the alert and in the flag, or the first 8 or more digits of it. Of several labels of
yours on one incident the last one counts. An incident whose flags are retained no more is labelled with --force.

Thresholds learn most from answers that nobody was told of: label some of "confab tail", and of the sampled ones, too.`

func newLabel(c *cli) *cobra.Command {
	var o incidents.LabelOptions
	var verdict string
	cmd := &cobra.Command{
		Use:   "label INCIDENT --verdict confirmed|false_positive",
		Short: "Says whether the answer of an incident is wrong or fine",
		Long:  labelLong,
		Example: `  confab label 5e1d0c9a44f2 --verdict confirmed
  confab label 5e1d0c9a44f2 --verdict false_positive --comment "the figure stands in the second source"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if verdict == "" {
				return usageError{errors.New("--verdict is missing: write confirmed where the answer is wrong, false_positive where it is fine")}
			}
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			var done func()
			if o.Incidents, done, err = c.incidentFinder(cfg); err != nil {
				return err
			}
			defer done()
			o.Incidents.Incident, o.Topic, o.Verdict = args[0], cfg.Kafka.Topics.Feedback, schemas.HumanVerdict(verdict)
			bar := c.progress("flags", 0)
			defer bar.Stop()
			o.Incidents.Progress, o.Incidents.Done = bar.Count, bar.Stop
			return inputAsUsage(incidents.Label(cmd.Context(), c.out, o))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&verdict, "verdict", "", "`confirmed` where the answer is wrong, false_positive where it is fine")
	flags.StringVar(&o.Comment, "comment", "", "a `sentence` for those who read the label")
	flags.StringVar(&o.User, "user", osUser(), "who says so")
	flags.BoolVar(&o.Force, "force", false, "label a whole id whose flags are not found")
	flags.Lookup("user").DefValue = "the user of the system"
	return cmd
}

// incidentFinder is how a command looks incidents up; done ends it.
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
		Decode: incidents.FlagDecoder(records.NewFlagReader(registry)), Now: time.Now,
	}, done, nil
}

// inputAsUsage is an error about what a person wrote as the usage error that it is.
func inputAsUsage(err error) error {
	if _, ok := errors.AsType[*incidents.InputError](err); ok {
		return usageError{err}
	}
	return err
}

// osUser is the name of whoever runs the command, "" where the system does not know.
func osUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
