package config

import (
	"confab/internal/redact"
	"confab/sampling"
)

// Sampling is which interactions are forwarded to the sampled topic.
type Sampling struct {
	// Share of the interactions with a listed tag that is picked, by a keyed hash of the event id. 0: none.
	Rate float64 `yaml:"rate" min:"0" max:"1"`
	// What an interaction must be tagged with, one of them, to be picked; letter case does not count.
	Tags []string `yaml:"tags"`
	// Key of the hash, the same on every replica, unknown to those who write interactions. Empty: nothing is sampled.
	Salt redact.Secret `yaml:"salt"`
	// File that holds the salt.
	SaltFile string `yaml:"salt_file"`
	// By tenant: share of all its interactions that is picked as well, whatever their tags.
	Tenants map[string]float64 `yaml:"tenants"`
	// By operation: share of all its interactions that is picked as well.
	Operations map[string]float64 `yaml:"operations"`
	// What else makes an interaction worth a deeper look. Each picks its own share; all are off by default.
	Triggers sampling.Triggers `yaml:"triggers"`
}

// SamplingOptions are the sampler's; without a salt nothing is sampled, of which Warnings tells.
func (c *Config) SamplingOptions() sampling.Options {
	if !c.SamplingEnabled() {
		return sampling.Options{}
	}
	return c.Sampling.options()
}

func (s *Sampling) options() sampling.Options {
	return sampling.Options{
		Rate: s.Rate, Tags: s.Tags, Salt: s.Salt, Tenants: s.Tenants, Operations: s.Operations, Triggers: s.Triggers,
	}
}
