package serve

import (
	"net/http"
	"sync"

	"confab"
	"confab/cmd/worker/internal/config"
)

// explainer has the evaluator that explains quiet signals, too, made when it is first asked for.
type explainer struct {
	config  *config.Config
	options confab.Options

	mu        sync.Mutex
	evaluator *confab.Evaluator
}

// get returns an evaluator with the calibration and the model of current, which is replaced on reload.
func (e *explainer) get(current *confab.Evaluator) (*confab.Evaluator, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.evaluator != nil && e.evaluator.Digest() == current.Digest() {
		return e.evaluator, nil
	}
	t, err := confab.ReadTuning(e.config.CalibrationFile, e.config.ModelFile)
	if err != nil {
		return nil, err
	}
	e.options.Suite.Explain = true
	next, err := confab.New(e.options, t)
	if err == nil {
		e.evaluator = next
	}
	return next, err
}

// deepEvaluator has the evaluator of deep evaluations, made when it is first asked for.
type deepEvaluator struct {
	open Deep

	mu        sync.Mutex
	evaluator *confab.Evaluator
	end       func()
}

func (e *deepEvaluator) get() (*confab.Evaluator, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.evaluator != nil {
		return e.evaluator, nil
	}
	v, end, err := e.open()
	if err != nil {
		return nil, &problem{http.StatusBadRequest, "pass", "pass=deep: " + err.Error(), 0}
	}
	e.evaluator, e.end = v, end
	return v, nil
}

func (e *deepEvaluator) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.end != nil {
		e.end()
	}
}
