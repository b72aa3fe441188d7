package observing

import (
	"slices"
	"time"
)

// The values of Settings.Keep.
const (
	KeepLabels = "labels"
	KeepDeep   = "deep"
)

// Settings are those of observations.
type Settings struct {
	// Flag answers that repeat a claim of kafka.topics.observations, by the detector known_false.
	Enabled bool `yaml:"enabled"`
	// Which claims are kept without a command. labels: the flagged claims of an incident that a person confirms, by the role alert. deep: the claims that a language model judges unfaithful, by the role sample. Empty: none, only `confab observations` adds them.
	Keep []string `yaml:"keep" enum:"labels|deep"`
	// How long a claim counts. 0: until it is deleted.
	TTL time.Duration `yaml:"ttl" min:"0s" max:"87600h"`
	// Wait for the observations before the first answer is measured. Without it, a worker that cannot read them within 30 s starts without them and says so.
	Required bool `yaml:"required"`
	// Maximum number of claims in memory, about 300 bytes each. Further ones are counted and ignored.
	MaxEntries int `yaml:"max_entries" min:"1" max:"10000000"`
	// Maximum number of claims of one tenant.
	MaxPerTenant int `yaml:"max_per_tenant" min:"1" max:"10000000"`
}

// DefaultSettings are the defaults of observations.
func DefaultSettings() Settings {
	return Settings{TTL: 90 * 24 * time.Hour, MaxEntries: 200_000, MaxPerTenant: 100_000}
}

// Keeps reports whether claims of a kind are kept without a command.
func (s *Settings) Keeps(kind string) bool { return s.Enabled && slices.Contains(s.Keep, kind) }

// Check reports problems between the settings to fail, each at a path below them.
func (s *Settings) Check(fail func(at, format string, args ...any)) {
	if len(s.Keep) > 0 && !s.Enabled {
		fail(".keep", "has no effect: set observations.enabled: true, or remove it")
	}
	if s.MaxPerTenant > s.MaxEntries {
		fail(".max_per_tenant", "exceeds max_entries (%d): lower it", s.MaxEntries)
	}
}
