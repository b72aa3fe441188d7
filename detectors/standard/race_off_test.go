//go:build !race

package standard

const raceEnabled = false
