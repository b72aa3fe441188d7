package config

import "time"

// Observations are claims that were found false.
type Observations struct {
	// Flag answers that repeat a claim of kafka.topics.observations, by the detector known_false. The role alert keeps there the flagged claims of incidents that people confirm.
	Enabled bool `yaml:"enabled"`
	// How long a claim counts. 0: until it is deleted.
	TTL time.Duration `yaml:"ttl" min:"0s" max:"87600h"`
	// Wait for the observations before the first answer is measured. Without it, a worker that cannot read them within 30 s starts without them and says so.
	Required bool `yaml:"required"`
	// MaxEntries and MaxPerTenant bound the claims in memory, about 300 bytes each. Further ones are counted and ignored.
	MaxEntries   int `yaml:"-"`
	MaxPerTenant int `yaml:"-"`
}
