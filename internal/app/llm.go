package app

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/detectors"
	"confab/internal/llm"
	"confab/internal/redact"
	"confab/sampling"
)

// client speaks to the endpoint. It connects to nothing.
func (e *Endpoint) client(m *llm.Metrics) (*llm.Client, error) {
	o := llm.Options{
		BaseURL: e.BaseURL, Model: e.Model, Redact: redact.Redact,
		Azure:   llm.Azure{Deployment: e.Azure.Deployment, APIVersion: e.Azure.APIVersion},
		Timeout: e.Timeout, MaxConcurrency: e.MaxConcurrency, IgnoresN: e.IgnoresN, Metrics: m,
	}
	if e.APIKey != "" {
		o.APIKey = e.APIKey
	}
	return llm.New(o)
}

// lookMetrics are what deep looks count beside what the client does.
type lookMetrics struct {
	requests  *llm.Metrics
	notJudged *sampling.NotJudgedMetrics
	cost      *prometheus.CounterVec
}

func newLookMetrics(reg prometheus.Registerer, c *LLM) *lookMetrics {
	m := &lookMetrics{
		requests: llm.NewMetrics(reg, c.models()...), notJudged: sampling.NewNotJudgedMetrics(reg),
		cost: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "confab_llm_cost_total", Help: "What answered requests cost by the configured prices, in the currency of those.",
		}, []string{"model"}),
	}
	for _, model := range c.models() {
		m.cost.WithLabelValues(model)
	}
	return m
}

// asking is what deep detectors ask through: clients behind the gate of the look that is under way.
type asking struct {
	deps    detectors.Deps // the deep ones only
	clients []*llm.Client
}

// newAsking opens the configured endpoints. Close it.
func newAsking(c *LLM, m *lookMetrics) (*asking, error) {
	a := &asking{}
	open := func(e *Endpoint) (sampling.EndpointOptions, desk, error) {
		client, err := e.client(m.requests)
		if err != nil {
			return sampling.EndpointOptions{}, desk{}, err
		}
		a.clients = append(a.clients, client)
		return sampling.EndpointOptions{Client: client, Gate: reserve}, desk{e, m.cost.WithLabelValues(e.Model)}, nil
	}
	for _, row := range []struct {
		endpoint *Endpoint
		use      func(o sampling.EndpointOptions, d desk)
	}{
		{&c.Sampler, func(o sampling.EndpointOptions, d desk) { a.deps.Resampler = resampler{sampling.NewResampler(o), d} }},
		{&c.Embedder, func(o sampling.EndpointOptions, d desk) { a.deps.Embedder = embedder{sampling.NewEmbedder(o), d} }},
		{&c.Judge, func(o sampling.EndpointOptions, d desk) {
			a.deps.Judge = judge{sampling.NewJudge(o), d}
			a.deps.Entailer = entailer{sampling.NewComparer(o), d}
		}},
		{&c.Entailer, func(o sampling.EndpointOptions, d desk) { a.deps.Entailer = entailer{sampling.NewClassifier(o), d} }},
	} {
		if row.endpoint.BaseURL == "" {
			continue
		}
		o, d, err := open(row.endpoint)
		if err != nil {
			a.close()
			return nil, err
		}
		row.use(o, d)
	}
	return a, nil
}

func (a *asking) close() {
	for _, c := range a.clients {
		c.Close()
	}
}
