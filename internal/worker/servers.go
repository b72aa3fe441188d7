package worker

import (
	"context"
	"sync/atomic"

	"confab"
	"confab/internal/worker/config"
	"confab/internal/worker/deep"
	"confab/internal/worker/httpserver"
	"confab/internal/worker/serve"
	"confab/internal/worker/ui"
)

// buildUI builds the page of incidents.
func (w *worker) buildUI() error {
	p, err := ui.New(ui.Options{Config: w.Config, Kafka: w.kafka, Logger: w.Logger, Now: w.Now, Started: w.serving})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, p.Close)
	w.servers = append(w.servers, func(ctx context.Context) error { return p.Run(ctx, stopTime(w.Config)) })
	w.ready = append(w.ready, httpserver.Check{Name: string(config.RoleUI), Ask: p.Ready})
	return nil
}

// buildServe builds the server of checks on request. It has the evaluator of detect.
func (w *worker) buildServe() error {
	o, err := w.fastOptions(w.Config)
	if err != nil {
		return err
	}
	evaluator, err := w.newEvaluator(o)
	if err != nil {
		return err
	}
	var current atomic.Pointer[confab.Evaluator]
	current.Store(evaluator)
	s, err := serve.New(serve.Options{
		Config: w.Config, Evaluator: &current, Logger: w.Logger, Now: w.Now, Checks: w.groundingChecks(evaluator.Policy),
		Deep: func() (*confab.Evaluator, func(), error) {
			return deep.NewEvaluator(w.Config, deep.EvaluatorOptions{Logger: w.Logger, Now: w.Now, Baselines: w.Baselines})
		},
		Publish: serve.NewPublish(w.Config, w.producer, w.publisher()), Vote: serve.NewVote(w.Config, w.producer),
		Produce: w.producer.Produce, Limits: w.limits, Started: w.serving,
	})
	if err != nil {
		return err
	}
	w.reloader.Add(evaluatorTarget(&current, w.fastOptions))
	w.servers = append(w.servers, func(ctx context.Context) error {
		w.observed.Wait(ctx)
		return s.Run(ctx, stopTime(w.Config))
	})
	return nil
}
