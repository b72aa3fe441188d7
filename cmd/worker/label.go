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
	"confab/schemas"
)

const labelLong = `Labels the answer of an incident as wrong (confirmed) or fine (false_positive), as the buttons of a Slack message do. The
label is written to llm.feedback, shown in the message and counted in confab_feedback_precision. "confab calibrate
--feedback" chooses thresholds by such labels.

INCIDENT is the id under the alert and in the flag, or its first 8 or more digits. If you label an incident several times,
the last label counts. To label an incident whose flags are no longer retained, use --force.

--from labels many incidents by a table (CSV, JSON Lines or a JSON list) with the columns incident_id, or interaction_id and
tenant; verdict; and optionally by, note and at. Faulty rows are reported with their lines; nothing is written then,
unless --skip-faulty leaves them out. Rows without a verdict are skipped and counted.

Label some answers without an alert too, from "confab tail" and from the sampled ones: they improve thresholds most.`

func newLabel(c *cli) *cobra.Command {
	var o incidents.LabelOptions
	var from incidents.LabelFileOptions
	var verdict string
	cmd := &cobra.Command{
		Use:   "label INCIDENT --verdict confirmed|false_positive | label --from FILE",
		Short: "Labels the answer of an incident as wrong or fine",
		Long:  labelLong,
		Example: `  confab label 5e1d0c9a44f2 --verdict confirmed
  confab label 5e1d0c9a44f2 --verdict false_positive --comment "the figure stands in the second source"
  confab label --from labels.csv --dry-run`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case from.File != "" && (len(args) > 0 || verdict != ""):
				return usageError{errors.New("--from labels the incidents of a file: leave INCIDENT and --verdict out")}
			case from.File == "" && len(args) == 0:
				return usageError{errors.New("name the INCIDENT to label, or a file of labels with --from")}
			case from.File != "":
				from.User, from.Force = o.User, o.Force
				return c.labelFromFile(cmd, from)
			}
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
			progress := console.NewProgress(c.err, "flags", 0)
			defer progress.Stop()
			o.Incidents.Progress, o.Incidents.Done = progress.Count, progress.Stop
			return inputAsUsage(incidents.Label(cmd.Context(), c.out, o))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&verdict, "verdict", "", "`confirmed` where the answer is wrong, false_positive where it is fine")
	flags.StringVar(&o.Comment, "comment", "", "a `sentence` for readers of the label")
	flags.StringVar(&o.User, "user", osUser(), "who labels")
	flags.BoolVar(&o.Force, "force", false, "label a whole id whose flags are not found")
	flags.StringVar(&from.File, "from", "", "label the incidents of a `file`: .csv, .jsonl or .json")
	flags.BoolVar(&from.DryRun, "dry-run", false, "with --from: check the file and count, write nothing")
	flags.BoolVar(&from.SkipFaulty, "skip-faulty", false, "with --from: leave faulty rows out instead of refusing them all")
	flags.Lookup("user").DefValue = "the user of the system"
	return cmd
}

func (c *cli) labelFromFile(cmd *cobra.Command, o incidents.LabelFileOptions) error {
	cfg, err := c.loadConfig()
	if err != nil {
		return err
	}
	var done func()
	if o.Incidents, done, err = c.incidentFinder(cfg); err != nil {
		return err
	}
	defer done()
	o.Topic = cfg.Kafka.Topics.Feedback
	progress := console.NewProgress(c.err, "flags", 0)
	defer progress.Stop()
	o.Incidents.Progress, o.Incidents.Done = progress.Count, progress.Stop
	return inputAsUsage(incidents.LabelFromFile(cmd.Context(), c.out, c.err, o))
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

// inputAsUsage marks errors about the person's input as usage errors.
func inputAsUsage(err error) error {
	if _, ok := errors.AsType[*console.InputError](err); ok {
		return usageError{err}
	}
	return err
}

// osUser is the name of the user who runs the command, "" where it is unknown.
func osUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
