//go:build race

package standard

const raceEnabled = true
