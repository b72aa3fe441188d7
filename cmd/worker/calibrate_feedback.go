package main

import (
	"fmt"

	"confab/internal/cli/calibrate"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
)

// feedbackOptions are the options of --feedback, nil without it. Call done when the labels have been read.
func (c *cli) feedbackOptions(f *calibrate.Flags, cfg *config.Config) (o *calibrate.FeedbackOptions, done func(), err error) {
	done = func() {}
	if !f.FromFeedback {
		return nil, done, nil
	}
	period, err := calibrate.ParsePeriod(f.FeedbackSince)
	if err != nil {
		return nil, done, usageError{fmt.Errorf("--feedback-since %s: %w", f.FeedbackSince, err)}
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
		Since: f.Choose.Now.Add(-period), Current: force,
	}
	return o, done, nil
}
