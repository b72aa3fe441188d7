package config

import (
	"confab/internal/redact"
	"confab/sampling"
)

// Sampling says which interactions are forwarded to the sampled topic.
type Sampling struct {
	// Share of the interactions with a listed tag that is sampled, by a keyed hash of the event id. 0: none.
	Rate float64 `yaml:"rate" min:"0" max:"1"`
	// An interaction with one of these tags is eligible for rate; letter case does not matter.
	Tags []string `yaml:"tags"`
	// Key of the hash: the same on every replica. Empty: with llm.sampler or llm.judge one is made of kafka.consumer_group, so that replicas agree; a producer who knows it can choose ids that are not sampled. Without them nothing is sampled.
	Salt redact.Secret `yaml:"salt"`
	// File that holds the salt.
	SaltFile string `yaml:"salt_file"`
	// By tenant: share of all its interactions that is also sampled, whatever their tags.
	Tenants map[string]float64 `yaml:"tenants"`
	// By operation: share of all its interactions that is also sampled.
	Operations map[string]float64 `yaml:"operations"`
	// Share of the answers about which llm.judge is asked besides: those where a request is worth most by risk, tags, llm.worth of the tenant, and length. They are no part of the random sample. 0: only what is sampled, and alerts that wait (alerting.confirm).
	JudgeShare float64 `yaml:"judge_share" min:"0" max:"1"`
	// Other conditions for sampling. Each samples its own share; all are off by default.
	Triggers sampling.Triggers `yaml:"triggers"`
}

// SamplingOptions are the sampler's options. Without a key nothing is sampled, which Warnings reports.
func (c *Config) SamplingOptions() sampling.Options {
	var o sampling.Options
	if c.SamplingEnabled() {
		o = c.samplingOptions()
	}
	o.Verify = c.verifies()
	o.Worth, o.OptedOut = make(map[string]float64, len(c.Tenants)), make(map[string]bool)
	for name, t := range c.Tenants {
		o.OptedOut[name] = t.LLM.OptOut
		switch worth := t.LLM.Worth; {
		case t.LLM.OptOut:
			o.Worth[name] = 0
		case worth != nil:
			o.Worth[name] = *worth
		}
	}
	return o
}

func (c *Config) samplingOptions() sampling.Options {
	s := &c.Sampling
	o := sampling.Options{
		Rate: s.Rate, Tags: s.Tags, Salt: s.Salt, Tenants: s.Tenants, Operations: s.Operations, Triggers: s.Triggers, JudgeShare: s.JudgeShare,
	}
	if o.Salt == "" && (c.LLM.Sampler.BaseURL != "" || c.LLM.Judge.BaseURL != "") {
		o.Salt = redact.Secret("confab-sample:" + c.Kafka.ConsumerGroup)
	}
	return o
}
