package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confab/cmd/worker/internal/calibrate"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/evaluation"
	"confab/cmd/worker/internal/records"
)

// feedbackFlags say whether labels of people are read, and of what time.
type feedbackFlags struct {
	on    bool
	since string
}

func (f *feedbackFlags) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.on, "feedback", false, "calibrate on what people said of incidents: llm.feedback, joined with the flags and the interactions")
	cmd.Flags().StringVar(&f.since, "feedback-since", "30d", "incidents of the last so many days or hours, a `time` such as 30d or 36h")
}

// options are where the labels are, nil where none are asked for; done ends them.
func (f *feedbackFlags) options(c *cli, cfg *config.Config, now time.Time) (o *calibrate.FeedbackOptions, done func(), err error) {
	done = func() {}
	if !f.on {
		return nil, done, nil
	}
	span, err := parseDays(f.since)
	if err != nil {
		return nil, done, usageError{fmt.Errorf("--feedback-since %s: %w", f.since, err)}
	}
	force, err := evaluation.LoadCalibration(cfg)
	if err != nil {
		return nil, done, err
	}
	incidents, done, err := c.incidentFinder(cfg)
	if err != nil {
		return nil, done, err
	}
	o = &calibrate.FeedbackOptions{
		Kafka: incidents.Kafka, Topic: cfg.Kafka.Topics.Feedback, Incidents: incidents.Topic, Decode: incidents.Decode,
		Sampled: cfg.Kafka.Topics.Sampled, Since: now.Add(-span), Force: force,
		Open: func(cluster string) (calibrate.InteractionReader, func(), error) {
			read, done, err := records.NewInteractionReader(cfg, cluster)
			return calibrate.InteractionReader(read), done, err
		},
	}
	for _, in := range cfg.Kafka.Inputs {
		o.Inputs = append(o.Inputs, in.Topic)
	}
	return o, done, nil
}

// parseDays reads a time of Go, or so many days.
func parseDays(s string) (time.Duration, error) {
	const longest = 400 * 24 * time.Hour
	d, err := time.ParseDuration(s)
	if whole, is := strings.CutSuffix(s, "d"); is {
		var n int
		n, err = strconv.Atoi(whole)
		d = time.Duration(max(0, min(n, 1000))) * 24 * time.Hour
	}
	if err != nil || d <= 0 || d > longest {
		return 0, errors.New("write a time up to 400d, such as 30d or 36h")
	}
	return d, nil
}
