package app

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/llm"
	"confab/sampling"
)

// deepMetrics are what deep evaluations count beside what the client does.
type deepMetrics struct {
	requests  *llm.Metrics
	notJudged *sampling.NotJudgedMetrics
	cost      *prometheus.CounterVec
}

// newDeepMetrics registers the metrics, with a series for each configured model.
func newDeepMetrics(reg prometheus.Registerer, c *LLM) *deepMetrics {
	m := &deepMetrics{
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

// modelClients are the clients of the configured endpoints; nil where one is not configured.
type modelClients struct{ sampler, judge, embedder, entailer *modelClient }

// modelClient is a client with the prices of its endpoint and the counter of what was paid.
type modelClient struct {
	client   *llm.Client
	endpoint *Endpoint
	cost     prometheus.Counter
}

// openClients makes the clients of the configured endpoints. Close them after use.
func openClients(c *LLM, m *deepMetrics) (*modelClients, error) {
	opened := &modelClients{}
	for _, row := range []struct {
		endpoint *Endpoint
		to       **modelClient
	}{{&c.Sampler, &opened.sampler}, {&c.Judge, &opened.judge}, {&c.Embedder, &opened.embedder}, {&c.Entailer, &opened.entailer}} {
		if row.endpoint.BaseURL == "" {
			continue
		}
		client, err := row.endpoint.client(m.requests)
		if err != nil {
			opened.close()
			return nil, err
		}
		*row.to = &modelClient{client, row.endpoint, m.cost.WithLabelValues(row.endpoint.Model)}
	}
	return opened, nil
}

// close closes the clients' connections.
func (c *modelClients) close() {
	for _, one := range []*modelClient{c.sampler, c.judge, c.embedder, c.entailer} {
		if one != nil {
			one.client.Close()
		}
	}
}
