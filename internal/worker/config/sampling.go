package config

import (
	"fmt"
	"strings"

	"confab/internal/redact"
	"confab/sampling"
)

// Sampling says which interactions are forwarded to the sampled topic.
type Sampling struct {
	// Share of the interactions with a listed tag that is sampled, by a keyed hash of the event id. 0: none.
	Rate float64 `yaml:"rate" min:"0" max:"1"`
	// An interaction with one of these tags is eligible for rate; letter case does not matter.
	Tags []string `yaml:"tags"`
	// Key of the hash: the same on every replica, and unknown to producers. Empty: nothing is sampled.
	Salt redact.Secret `yaml:"salt"`
	// File that holds the salt.
	SaltFile string `yaml:"salt_file"`
	// By tenant: share of all its interactions that is also sampled, whatever their tags.
	Tenants map[string]float64 `yaml:"tenants"`
	// By operation: share of all its interactions that is also sampled.
	Operations map[string]float64 `yaml:"operations"`
	// Other conditions for sampling. Each samples its own share; all are off by default.
	Triggers sampling.Triggers `yaml:"triggers"`
}

// references checks the reference context.
func (k *checker) references(all []ReferenceContext) {
	for i, r := range all {
		at := fmt.Sprintf("reference_context[%d]", i)
		switch {
		case (r.Text == "") == (r.TextFile == ""):
			k.fail(at, "needs a text: set either text or text_file")
		case r.ID == "" && r.TextFile == "":
			k.fail(at+".id", "needs an id, which flags show: name the text")
		}
	}
}

// operations checks the names of operations that are not measured.
func (k *checker) operations(skipped []string) {
	for i, name := range skipped {
		if strings.Trim(name, " *") == "" {
			k.fail(fmt.Sprintf("skip_operations[%d]", i), "is not the name of an operation; to measure nothing, disable the detectors")
		}
	}
}

// SamplingOptions are the sampler's options. Without a salt nothing is sampled, which Warnings reports.
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
