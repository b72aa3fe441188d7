package serve

import (
	"net/http"
	"sync"

	"confab"
	"confab/internal/worker/config"
)

// explainer has the evaluator that explains quiet signals, too, made when it is first asked for.
type explainer struct {
	config  func() *config.Config // in force
	options func() (confab.Options, error)

	mu        sync.Mutex
	of        *confab.Evaluator // the one that it explains
	evaluator *confab.Evaluator
}

// get returns an evaluator with the options, the calibration and the model of current, which is replaced on reload.
func (e *explainer) get(current *confab.Evaluator) (*confab.Evaluator, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.evaluator != nil && e.of == current {
		return e.evaluator, nil
	}
	c := e.config()
	t, err := confab.ReadTuning(c.CalibrationFile, c.ModelFile)
	if err != nil {
		return nil, err
	}
	o, err := e.options()
	if err != nil {
		return nil, err
	}
	o.Suite.Explain = true
	next, err := confab.New(o, t)
	if err == nil {
		e.of, e.evaluator = current, next
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
		return nil, &apiProblem{http.StatusBadRequest, "pass", "pass=deep: " + err.Error(), 0}
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
