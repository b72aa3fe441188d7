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

func newLabel(c *cli) *cobra.Command {
	var o incidents.LabelOptions
	var from incidents.LabelFileOptions
	var verdict string
	cmd := newCommand("label", cobra.MaximumNArgs(1), func(cmd *cobra.Command, args []string) error {
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
	})
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
