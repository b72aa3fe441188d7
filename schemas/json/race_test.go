//go:build race

package json

// underRace: the race detector makes sync.Pool drop values at random, so nothing can be said about allocations.
const underRace = true
