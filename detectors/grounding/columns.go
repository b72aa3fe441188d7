package grounding

// claimColumns names the features of the claim model, in order. Counts are of words; shares are 0 to 1.
var claimColumns = []string{ //nolint:gochecknoglobals // a read-only table
	"words", "weight", "single", "window", "anywhere", "rare_window", "rare_anywhere", "cited",
	"missing", "missing_share", "missing_rare", "rarest", "run", "run_rare", "prefix_match", "in_prompt", "elsewhere", "elsewhere_rare",
	"figures", "figures_missing", "figures_elsewhere", "names", "names_missing", "names_elsewhere",
	"opposed", "polarity_missing", "negated", "unnegated", "polarity_cues", "hedges", "islands", "island_rare",
	"pairs_held", "pairs_new", "pairs_turned", "start_self",
	"place", "index", "claims", "window_words", "length_ratio", "records", "sources", "source_words", "prompt_words", "in_prompt_share", "turns",
	"local", "local_least", "local_loose", "local_rare",
	"named", "newly_negated", "no_longer_negated",
	"second", "cited_union", "same_source",
	"related_forms", "synonyms", "opposites", "wider_terms",
	"facts_figures", "facts_dates", "facts_names", "facts_weak", "facts_fields", "facts_missing", "facts_any",
	"risk_1", "risk_2", "risk_3", "risk_mass", "risk_any", "risk_missing",
}

// Indexes of claimColumns.
const (
	colWords = iota
	colWeight
	colSingle
	colWindow
	colAnywhere
	colRareWindow
	colRareAnywhere
	colCited
	colMissing
	colMissingShare
	colMissingRare
	colRarest
	colRun
	colRunRare
	colPrefixMatch
	colPrompt
	colElsewhere
	colElsewhereRare
	colFigures
	colFiguresMissing
	colFiguresElsewhere
	colNames
	colNamesMissing
	colNamesElsewhere
	colOpposed
	colPolarityMissing
	colNegated
	colUnnegated
	colPolarityCues
	colHedges
	colIslands
	colIslandRare
	colPairsHeld
	colPairsNew
	colPairsTurned
	colStartSelf
	colPlace
	colIndex
	colClaims
	colWindowWords
	colLengthRatio
	colRecords
	colSources
	colSourceWords
	colPromptWords
	colPromptShare
	colTurns
	colLocal
	colLocalLeast
	colLocalLoose
	colLocalRare
	colNamed
	colNewlyNegated
	colNoLongerNegated
	colSecond
	colCitedUnion
	colSameSource
	colRelated
	colFacts      = iota + 3
	colRisk       = colFacts + 7
	claimFeatures = colRisk + 6
)

type claimVector [claimFeatures]float32
