package detectors

// What the steps of an evaluation cost, in units of [Work]: measured on the texts that are worst for the step
// (BenchmarkWork), so that a unit is 10 ns within a factor of about two.

// Bytes a unit.
const (
	paddingBytes  = 2
	sentenceBytes = 1
	tokenBytes    = 1
	claimBytes    = 4
)

// Units a step.
const (
	englishTokens = 4   // tokens a unit whose language is read
	scriptCost    = 100 // of the script of one text
)

// What detectors charge in common, per unit.
const (
	SearchBytes = 64 // bytes of a search for a string
	Glances     = 8  // tokens or rows that are only looked at
)
