package deep

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/llm"
	"confab/internal/worker/config"
	"confab/sampling"
)

// Metrics are the metrics of deep evaluations, with those of the clients.
type Metrics struct {
	requests  *llm.Metrics
	NotJudged *sampling.NotJudgedMetrics
	cost      *prometheus.CounterVec
}

// NewMetrics registers the metrics, with a series for each configured model.
func NewMetrics(reg prometheus.Registerer, c *config.LLM) *Metrics {
	m := &Metrics{
		requests: llm.NewMetrics(reg, c.Models()...), NotJudged: sampling.NewNotJudgedMetrics(reg),
		cost: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "confab_llm_cost_total", Help: "What answered requests cost by the configured prices, in the currency of those.",
		}, []string{"model"}),
	}
	for _, model := range c.Models() {
		m.cost.WithLabelValues(model)
	}
	return m
}

// Clients are the clients of the endpoints; a client is nil if its endpoint is not configured.
type Clients struct {
	sampler, judge, embedder, verifier *modelClient

	server *sampling.VerifierServer // of verifier

	asked *config.Judge // how the judge is asked
}

// modelClient is a client with its endpoint's prices and the counter of its costs.
type modelClient struct {
	client   *llm.Client
	endpoint *config.Endpoint
	cost     prometheus.Counter
}

// OpenClients makes the clients of the configured endpoints. The caller closes them.
func OpenClients(c *config.Config, m *Metrics) (*Clients, error) {
	opened, redactor := &Clients{asked: &c.LLM.Judge}, c.Redaction.Redactor()
	for _, row := range []struct {
		endpoint *config.Endpoint
		to       **modelClient
	}{{&c.LLM.Sampler, &opened.sampler}, {&c.LLM.Judge.Endpoint, &opened.judge}, {&c.LLM.Embedder, &opened.embedder}, {&c.LLM.Verifier.Endpoint, &opened.verifier}} {
		if row.endpoint.BaseURL == "" {
			continue
		}
		client, err := c.LLM.Client(row.endpoint, m.requests, redactor.Redact)
		if err != nil {
			opened.Close()
			return nil, err
		}
		*row.to = &modelClient{client, row.endpoint, m.cost.WithLabelValues(row.endpoint.Model)}
	}
	if v := opened.verifier; v != nil {
		form, err := c.LLM.Verifier.Form()
		if err != nil {
			opened.Close()
			return nil, err
		}
		opened.server = sampling.NewVerifierServer(v.client, form, c.LLM.Verifier.RequestsPerSecond)
	}
	return opened, nil
}

// Close closes the clients' connections.
func (c *Clients) Close() {
	for _, one := range []*modelClient{c.sampler, c.judge, c.embedder, c.verifier} {
		if one != nil {
			one.client.Close()
		}
	}
}
