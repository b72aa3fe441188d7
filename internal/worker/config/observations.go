package config

import (
	"slices"
	"time"
)

// The values of Observations.Keep.
const (
	KeepLabels = "labels"
	KeepDeep   = "deep"
)

// Observations are claims that were found false.
type Observations struct {
	// Flag answers that repeat a claim of kafka.topics.observations, by the detector known_false.
	Enabled bool `yaml:"enabled"`
	// Which claims are kept without a command. labels: the flagged claims of an incident that a person confirms, by the role alert. deep: the claims that a language model judges unfaithful, by the role sample. Empty: none, only `confab observations` adds them.
	Keep []string `yaml:"keep" enum:"labels|deep"`
	// How long a claim counts. 0: until it is deleted.
	TTL time.Duration `yaml:"ttl" min:"0s" max:"87600h"`
	// Wait for the observations before the first answer is measured. Without it, a worker that cannot read them within 30 s starts without them and says so.
	Required bool `yaml:"required"`
	// MaxEntries and MaxPerTenant bound the claims in memory, about 300 bytes each. Further ones are counted and ignored.
	MaxEntries   int `yaml:"-"`
	MaxPerTenant int `yaml:"-"`
}

func defaultObservations() Observations {
	return Observations{TTL: 90 * 24 * time.Hour, MaxEntries: 200_000, MaxPerTenant: 100_000}
}

// Keeps reports whether claims of a kind are kept without a command.
func (s *Observations) Keeps(kind string) bool { return s.Enabled && slices.Contains(s.Keep, kind) }
