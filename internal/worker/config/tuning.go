package config

import "time"

// Tuning says whether a worker learns from its own traffic.
type Tuning struct {
	// Refit thresholds and risk to the judge's verdicts and people's labels. `propose`: on-call is told what would change, and `confab tune --accept` applies it. `apply`: it is applied if tests on held-out answers allow it, and `confab tune --rollback` goes back. The versions are in kafka.topics.calibrations.
	Auto string `yaml:"auto" enum:"off|propose|apply"`
	// How often, on the answers of four times as long. Nothing changes with fewer than 200 judged answers a week.
	Every time.Duration `yaml:"every" min:"24h" max:"2160h"`
}

// The values of Tuning.Auto.
const (
	TuningOff     = "off"
	TuningPropose = "propose"
	TuningApply   = "apply"
)

// Learns reports whether there are versions of the calibration to follow.
func (t *Tuning) Learns() bool { return t.Auto != TuningOff }
