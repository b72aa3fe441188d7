package config

import (
	"slices"
	"strings"
	"time"

	"confab/alerting"
	"confab/detectors/rewrite"
	"confab/internal/llm"
	"confab/internal/redact"
	"confab/sampling/budget"
)

// LLM holds the endpoints of deep evaluations, and their budget.
type LLM struct {
	// Samples responses to the messages of an interaction, for consistency. Preferably the model that gave the original answer.
	Sampler Endpoint `yaml:"sampler"`
	// Judges answers by their sources, for faithfulness. Without an entailer it also compares texts for entailment.
	Judge Judge `yaml:"judge"`
	// Embeds texts, for consistency. Without one, texts are compared by their words.
	Embedder Endpoint `yaml:"embedder"`
	// A text classifier for natural language inference (premise and hypothesis), for entailment. base_url is its full address, such as http://host/predict.
	Entailer Endpoint `yaml:"entailer"`
	// Budget of deep evaluations. Tokens are reserved before every request.
	Budget budget.Options `yaml:"budget"`
	// Timeout of one request.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"10m"`
	// Maximum number of concurrent requests to one endpoint.
	MaxConcurrency int `yaml:"max_concurrency" min:"1" max:"256"`
	// How long an interaction waits for a server that does not answer before its deep flag is written without the verdict. The wait shows as lag. 0: not at all.
	Patience time.Duration `yaml:"patience" min:"0s" max:"168h"`

	// EvaluationTimeout of one deep evaluation, including all its requests and retries.
	EvaluationTimeout time.Duration `yaml:"-"`
}

// Endpoint is a server with an OpenAI-compatible HTTP API, and the model to use there.
type Endpoint struct {
	// Address with the version, such as https://host/v1. Of Azure OpenAI the deployment: https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT. Empty: there is no such endpoint.
	BaseURL string `yaml:"base_url"`
	// Name of the model, as the server knows it.
	Model string `yaml:"model"`
	// API key, preferably as ${VAR}. Empty: none is sent.
	APIKey redact.Secret `yaml:"api_key"`
	// File that holds the key.
	APIKeyFile string `yaml:"api_key_file"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
	// Price of a million prompt tokens, in a currency of your choice. 0: costs are not counted.
	PromptPrice float64 `yaml:"prompt_price" min:"0" max:"10000"`
	// Price of a million completion tokens.
	CompletionPrice float64 `yaml:"completion_price" min:"0" max:"10000"`
}

// Judge is the endpoint of the judge, and how it is asked.
type Judge struct {
	// The server and its model.
	Endpoint `yaml:",inline"`
	// What faithfulness asks. faults: one request for the faults of the answer, with quotes and probabilities. statements: the published form, two requests, whose score is the share of unfaithful statements.
	Mode string `yaml:"mode" enum:"faults|statements"`
	// Rules of your own of what is a fault and what is not, for the answers of a tenant or an operation. All that apply are sent.
	Instructions []Instruction `yaml:"instructions"`
}

// The modes of a judge.
const (
	JudgeFaults     = "faults"
	JudgeStatements = "statements"
)

// Instruction is a rule for the judge.
type Instruction struct {
	// The tenant whose answers it applies to. Empty: every tenant's.
	Tenant string `yaml:"tenant"`
	// The operation whose answers it applies to. Empty: all.
	Operation string `yaml:"operation"`
	// The rule. All rules together have at most 4,000 bytes.
	Text string `yaml:"text"`
}

// maxInstructions is the maximum number of bytes of all rules for the judge.
const maxInstructions = 4_000

// Rules are the operator's rules for an answer, a paragraph each.
func (j *Judge) Rules(tenant, operation string) string {
	var all []string
	for _, i := range j.Instructions {
		if (i.Tenant == "" || i.Tenant == tenant) && (i.Operation == "" || i.Operation == operation) {
			all = append(all, strings.TrimSpace(i.Text))
		}
	}
	return strings.Join(all, "\n")
}

// Tenant holds the overrides for one tenant.
type Tenant struct {
	// Action and alert rule.
	alerting.TenantOptions `yaml:",inline"`
	// Overrides of limits.
	Limits TenantLimits `yaml:"limits"`
	// Overrides of llm.
	LLM TenantLLM `yaml:"llm"`
	// Overrides of rewrite.
	Rewrite rewrite.Settings `yaml:"rewrite"`
	// Overrides of serve.
	Serve TenantServe `yaml:"serve"`
}

// TenantLLM holds a tenant's overrides for deep evaluations.
type TenantLLM struct {
	// Never send the tenant's texts to a language model: its sampled interactions get a deep flag without deep verdicts.
	OptOut bool `yaml:"opt_out"`
	// Tokens that the tenant may use per window of llm.budget. Unset: llm.budget.tokens_per_tenant. 0: none.
	TokensPerWindow *int64 `yaml:"tokens_per_window"`
	// What a wrong answer of the tenant is worth to sampling.judge_share. Unset: 1. 0: none is picked for its value.
	Worth *float64 `yaml:"worth"`
}

func defaultLLM() LLM {
	return LLM{
		Timeout: time.Minute, MaxConcurrency: 4, Judge: Judge{Mode: JudgeFaults},
		Budget: budget.DefaultOptions(), EvaluationTimeout: 5 * time.Minute, Patience: 15 * time.Minute,
	}
}

// Enabled reports whether an endpoint that gives verdicts is configured.
func (l *LLM) Enabled() bool {
	return l.Sampler.BaseURL != "" || l.Judge.BaseURL != "" || l.Entailer.BaseURL != ""
}

// Endpoints are all endpoints by key, configured or not.
func (l *LLM) Endpoints() map[string]*Endpoint {
	return map[string]*Endpoint{"sampler": &l.Sampler, "judge": &l.Judge.Endpoint, "embedder": &l.Embedder, "entailer": &l.Entailer}
}

// Models are the names of the configured models, sorted.
func (l *LLM) Models() []string {
	var names []string
	for _, e := range l.Endpoints() {
		if e.BaseURL != "" && e.Model != "" {
			names = append(names, e.Model)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Workers is the number of concurrent deep evaluations: enough to keep every endpoint busy.
func (l *LLM) Workers() int { return 8 * l.MaxConcurrency }

// Client makes the client of an endpoint, which redacts what it sends. It does not connect.
func (l *LLM) Client(e *Endpoint, m *llm.Metrics, redact func(string) string) (*llm.Client, error) {
	o := llm.Options{
		BaseURL: e.BaseURL, Model: e.Model, Redact: redact,
		Timeout: l.Timeout, MaxConcurrency: l.MaxConcurrency, Metrics: m,
		HTTP: e.HTTPOptions(),
	}
	if e.APIKey != "" {
		o.APIKey = e.APIKey
	}
	return llm.New(o)
}

// Cost is the price of the tokens, in the operator's currency.
func (e *Endpoint) Cost(prompt, completion int) float64 {
	const million = 1e6
	return (float64(prompt)*e.PromptPrice + float64(completion)*e.CompletionPrice) / million
}
