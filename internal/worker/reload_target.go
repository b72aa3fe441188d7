package worker

import (
	"sync/atomic"

	"confab"
	"confab/internal/worker/config"
)

// evaluatorTarget replaces an evaluator by one with the options of the new configuration.
func evaluatorTarget(e *atomic.Pointer[confab.Evaluator], options func(*config.Config) (confab.Options, error)) reloadTarget {
	return func(next *config.Config, t confab.Tuning) (func(), error) {
		o, err := options(next)
		if err != nil {
			return nil, err
		}
		v, err := confab.New(o, t)
		if err != nil {
			return nil, err
		}
		return func() { e.Store(v) }, nil
	}
}
