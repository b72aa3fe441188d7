package detectors

// What the steps of an evaluation cost, in units of [Work]: measured on the texts that are worst for the step
// (BenchmarkWork), so that a unit is 10 ns within a factor of about two.

// Bytes a unit.
const (
	paddingBytes  = 2
	sentenceBytes = 1
	tokenBytes    = 1
	claimBytes    = 4
	markerBytes   = 2
	recordBytes   = 4
	scanBytes     = 4 // of the passes for links, identifiers and packages
	addressBytes  = 2
	foldedBytes   = 8  // of a comparison in either case
	searchBytes   = 64 // of a search for a string
)

// Units a step.
const (
	scriptCost   = 100 // of the script of one text
	stemCost     = 4   // of a word that gets its number
	sourceCost   = 4   // of a source word that is looked up
	wordCost     = 20  // of a word of a claim, with a model
	figureCost   = 8   // of a token that is read for figures
	boundCost    = 20  // of the words around a figure
	mentionCost  = 10  // of a place that may be a mention
	lineCost     = 10  // of a line that may be a heading over references
	bracketCost  = 20  // of a bracket that may be a citation marker
	fieldCost    = 20  // of a field of a record
	importCost   = 10  // of a line of code that may import something
	installCost  = 20  // of a word that may be a command that fetches packages
	nearestCost  = 10  // of a well-known name that is compared
	bagCost      = 2   // of a byte of a text that is read as a set of words
	polarityCost = 8   // of a word whose polarity is read
)

// Steps a unit.
const (
	englishTokens = 4
	postings      = 4 // sentences that hold a word
	labels        = 8 // ids of sources that are compared
	glances       = 8 // tokens or rows that are only looked at
)
