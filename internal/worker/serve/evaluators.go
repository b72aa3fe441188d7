package serve

import (
	"net/http"
	"sync"

	"confab"
)

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
