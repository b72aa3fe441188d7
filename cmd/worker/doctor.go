package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"confab/alerting"
	"confab/consumer"
	"confab/internal/cli/doctor"
	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/sampling"
)

func newDoctor(c *cli) *cobra.Command {
	var asJSON bool
	cmd := c.newConfigured("doctor", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
		all, err := c.examine(cmd, cfg)
		if err != nil {
			return err
		}
		if asJSON {
			err = console.FindingsJSON(c.out, all)
		} else {
			err = console.PrintFindings(c.out, all, c.useColor(c.out))
		}
		if n := console.CountFindings(all, console.Problem); err == nil && n > 0 {
			err = fmt.Errorf("doctor: %d of %d findings are problems", n, len(all))
		}
		return err
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "findings as JSON")
	return cmd
}

// examine makes the findings.
func (c *cli) examine(cmd *cobra.Command, cfg *config.Config) ([]console.Finding, error) {
	ctx := cmd.Context()
	sample, end := records.NewSampleReader(cfg)
	defer end()
	o := doctor.Options{
		Kafka: cfg.KafkaClient(c.logger(cfg)), Inputs: cfg.Kafka.InputTopics(), Topics: resources.TopicNeeds(cfg), Grants: resources.Grants(cfg, cfg.ActiveRoles()...),
		Transactions: cfg.Kafka.ExactlyOnce() && slices.Contains(cfg.ActiveRoles(), config.RoleDetect), Sample: sample,
		Remedy: func(topic, reason string, value []byte) string {
			return records.NewRemedy(cfg)(topic, consumer.StageDecode, reason, value)
		},
	}
	o.Agreement = doctor.JudgeCheck{Asked: deep.Asked(&cfg.LLM.Judge), Topic: cfg.Kafka.Topics.Feedback, Now: time.Now()}
	if evaluator, err := evaluation.NewFast(cfg, nil, nil); err == nil { // the checks of the settings report the error
		o.Suite, o.KnowsModel = evaluator.Suite, evaluator.KnowsModel
	}
	judge, done := c.judgeForecast(cfg)
	defer done()
	o.Judge = judge
	all := doctor.Settings(cfg, cmp.Or(c.configFile(), "defaults and environment"), time.Now())
	all = append(all, doctor.Cluster(ctx, o)...)
	all = append(all, doctor.Versions(ctx, cfg, o.Kafka, time.Now())...)
	all = append(all, doctor.Registry(ctx, cfg)...)
	all = append(all, doctor.LLM(ctx, cfg)...)
	all = append(all, doctor.Destinations(ctx, cfg)...)
	return append(all, doctor.Sink(ctx, cfg, time.Now)...), ctx.Err()
}

// judgeForecast is what the doctor says about the judge; nil where none is asked beside the random sample, or without what other
// checks report.
func (c *cli) judgeForecast(cfg *config.Config) (o *doctor.JudgeOptions, done func()) {
	sampler, err := sampling.New(cfg.SamplingOptions())
	if err != nil || !cfg.ConfirmsAlerts() && cfg.Sampling.JudgeShare == 0 {
		return nil, func() {}
	}
	flags, done, err := c.incidentFinder(cfg)
	if err != nil {
		return nil, func() {}
	}
	b := cfg.LLM.Budget
	return &doctor.JudgeOptions{
		Policy: alerting.NewPolicy(cfg.PolicyOptions()), Sampler: sampler, Share: cfg.Sampling.JudgeShare, Confirms: cfg.ConfirmsAlerts(),
		Tokens: int64(float64(b.TokensPerWindow) * 24 / b.Window.Hours()), Flags: flags, Now: time.Now(),
	}, done
}
