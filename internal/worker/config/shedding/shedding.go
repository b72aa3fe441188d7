// Package shedding holds the settings of load shedding.
package shedding

import "time"

// Settings are those of load shedding.
type Settings struct {
	// Skip expensive detectors while the role detect is behind. Their signals are `skipped: load_shed`, flags carry the level, and the log has the offsets, which `confab replay` measures again.
	Enabled bool `yaml:"enabled"`
	// How far behind level 1 begins, which skips the detector grounding. That is the time to read what is not read yet at the present speed. A level ends at half of its limit.
	Behind time.Duration `yaml:"behind" min:"1s" max:"24h"`
	// How far behind level 2 begins, which skips facts, citation and known_false too. The rest costs a few microseconds.
	FarBehind time.Duration `yaml:"far_behind" min:"1s" max:"24h"`
}

// DefaultSettings are the defaults of load shedding.
func DefaultSettings() Settings { return Settings{Behind: time.Minute, FarBehind: 5 * time.Minute} }

// Check reports problems between the settings to fail, each at a path below them.
func (s *Settings) Check(fail func(at, format string, args ...any)) {
	if s.FarBehind < s.Behind {
		fail(".far_behind", "is less than behind (%s): raise it", s.Behind)
	}
}
