package config

import (
	"slices"
	"strings"
	"time"

	"confab/alerting"
	"confab/detectors/rewrite"
	"confab/internal/llm"
	"confab/internal/redact"
	"confab/sampling"
	"confab/sampling/budget"
)

// LLM holds the endpoints of deep evaluations, and their budget.
type LLM struct {
	// Samples responses to the messages of an interaction, for consistency. Preferably the model that gave the original answer.
	Sampler Endpoint `yaml:"sampler"`
	// Judges answers by their sources, for faithfulness. Without a verifier it also compares texts for entailment.
	Judge Judge `yaml:"judge"`
	// Embeds texts, for consistency. Without one, texts are compared by their words.
	Embedder Endpoint `yaml:"embedder"`
	// A server of a model made to check claims against passages, for entailment.
	Verifier Verifier `yaml:"verifier"`
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

// Verifier is a server of a model that checks claims, how it is asked, and about which answers.
type Verifier struct {
	// The server and its model. base_url is the full address, such as http://host/predict; of kinds minicheck and granite_guardian with the version, such as http://host/v1.
	Endpoint `yaml:",inline"`
	// Interface. nli and rerank: text-embeddings-inference's /predict and /rerank. lettucedetect: its /v1/lettucedetect/spans. hhem: Vectara's evaluate_factual_consistency. minicheck, granite_guardian: chat of OpenAI's API. http: as request and the pointers say.
	Kind string `yaml:"kind" enum:"nli|rerank|lettucedetect|hhem|minicheck|granite_guardian|http"`
	// Which answers it checks beside those that are sampled. flagged: at which a detector fired. grey: of risk from 0.3 up to 0.7. all: every answer. sampled: no others.
	On string `yaml:"on" enum:"sampled|flagged|grey|all"`
	// Requests a second of one worker, on average; retries are not counted. An answer that would wait for more than 10 seconds is not checked.
	RequestsPerSecond float64 `yaml:"requests_per_second" min:"0" max:"100000"`
	// Kind http: the JSON of a request, with {claim}, {passage} and {model} in its strings.
	Request string `yaml:"request"`
	// Kind http: JSON pointer to the probability, 0 to 1, that the passage supports the claim, or to true, false, or a text with yes or no.
	Supported string `yaml:"supported"`
	// Kind http: the same of the probability that it does not.
	Unsupported string `yaml:"unsupported"`
	// Kind http: JSON pointer to a list of unsupported parts of the claim: objects with start and end, in characters, and a score.
	Spans string `yaml:"spans"`
}

// Form is how the server is asked.
func (v *Verifier) Form() (*llm.Form, error) {
	return llm.NewForm(llm.Kind(v.Kind), llm.FormMap{Request: v.Request, Supported: v.Supported, Unsupported: v.Unsupported, Spans: v.Spans})
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
	// By detector: overrides of detectors.
	Detectors map[string]TenantDetector `yaml:"detectors"`
	// Overrides of limits.
	Limits TenantLimits `yaml:"limits"`
	// Overrides of llm.
	LLM TenantLLM `yaml:"llm"`
	// Overrides of rewrite.
	Rewrite rewrite.Settings `yaml:"rewrite"`
	// Overrides of serve.
	Serve TenantServe `yaml:"serve"`
}

// TenantDetector holds a tenant's overrides for one detector.
type TenantDetector struct {
	// Overrides detectors.NAME.enabled for the answers of this tenant.
	Enabled *bool `yaml:"enabled"`
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
		Verifier: Verifier{Kind: string(llm.KindNLI), On: string(sampling.VerifyFlagged), RequestsPerSecond: 20},
		Budget:   budget.DefaultOptions(), EvaluationTimeout: 5 * time.Minute, Patience: 15 * time.Minute,
	}
}

// Enabled reports whether an endpoint that gives verdicts is configured.
func (l *LLM) Enabled() bool {
	return l.Sampler.BaseURL != "" || l.Judge.BaseURL != "" || l.Verifier.BaseURL != ""
}

// Endpoints are all endpoints by key, configured or not.
func (l *LLM) Endpoints() map[string]*Endpoint {
	return map[string]*Endpoint{"sampler": &l.Sampler, "judge": &l.Judge.Endpoint, "embedder": &l.Embedder, "verifier": &l.Verifier.Endpoint}
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
	return llm.New(llm.Options{
		BaseURL: e.BaseURL, Model: e.Model, APIKey: e.APIKey, Redact: redact,
		Timeout: l.Timeout, MaxConcurrency: l.MaxConcurrency, Metrics: m,
		HTTP: e.HTTPOptions(),
	})
}

// Cost is the price of the tokens, in the operator's currency.
func (e *Endpoint) Cost(prompt, completion int) float64 {
	const million = 1e6
	return (float64(prompt)*e.PromptPrice + float64(completion)*e.CompletionPrice) / million
}
