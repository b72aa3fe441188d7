//go:build race

package detectors

const raceEnabled = true
